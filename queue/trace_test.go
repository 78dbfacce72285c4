package queue

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/policies"
)

func TestReadTrace(t *testing.T) {
	arrivals, work, err := ReadTrace(strings.NewReader("# time work\n0 2\n\n1.5,\t3 # late\r\n1.5 0\n"), "t")
	require.NoError(t, err)
	assert.Equal(t, RecordedArrivals{0, 1.5, 1.5}, arrivals)
	assert.Equal(t, RecordedWork{2, 3, 0}, work)

	arrivals, work, err = ReadTrace(strings.NewReader("1\n2"), "t")
	require.NoError(t, err)
	assert.Equal(t, RecordedArrivals{1, 2}, arrivals)
	assert.Nil(t, work)
}

func TestReadTraceNamesTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "trace: no arrivals, want at least one line with a time",
		"# nothing\n":                       "trace: no arrivals, want at least one line with a time",
		"1\nx\n":                            `trace:2: time of arrival "x", want a finite number, 1 or more`,
		"1\n\n0.5\n":                        `trace:3: time of arrival "0.5", want a finite number, 1 or more`,
		"NaN 1":                             `trace:1: time of arrival "NaN", want a finite number, 0 or more`,
		"1 1\n+Inf 1":                       `trace:2: time of arrival "+Inf", want a finite number, 1 or more`,
		"-1":                                `trace:1: time of arrival "-1", want a finite number, 0 or more`,
		"1 -2":                              `trace:1: work "-2", want a finite number, 0 or more`,
		"1 2\n2":                            "trace:2: 1 fields, want 2 as in the lines before",
		"1\n2 2":                            "trace:2: 2 fields, want 1 as in the lines before",
		"1 2 3":                             "trace:1: 3 fields, want the time of arrival and at most the work",
		"1 0\n2 0":                          "trace: queue: recorded work has mean 0, want it finite and positive",
		"1\n" + strings.Repeat("9", 70_000): "trace:2: bufio.Scanner: token too long",
	} {
		_, _, err := ReadTrace(strings.NewReader(text), "trace")
		assert.EqualError(t, err, want)
	}
}

func TestReadWork(t *testing.T) {
	work, err := ReadWork(strings.NewReader("# work\n2\n\n0 # none\r\n1.5\n"), "t")
	require.NoError(t, err)
	assert.Equal(t, RecordedWork{2, 0, 1.5}, work)
	for text, want := range map[string]string{
		"":         "work: queue: recorded work is empty, want at least one number",
		"0\n":      "work: queue: recorded work has mean 0, want it finite and positive",
		"1\nx":     `work:2: work "x", want a finite number, 0 or more`,
		"\n\n1, 2": "work:3: 2 fields, want the work alone",
		"Inf":      `work:1: work "Inf", want a finite number, 0 or more`,
	} {
		_, err := ReadWork(strings.NewReader(text), "work")
		assert.EqualError(t, err, want)
	}
}

// Two jobs of work 2 and 3 at one server: the second waits.
func TestSimulateARecord(t *testing.T) {
	w := World{Servers: 1, Arrivals: RecordedArrivals{0, 1, 10}, Work: RecordedWork{2, 3, 1}}
	var jobs []Job
	w.Observe = func(j Job) { jobs = append(jobs, j) }
	got, err := Simulate(w, func() policies.Policy { return policies.Random{} }, 1)
	require.NoError(t, err)
	assert.Equal(t, []Job{
		{Number: 1, Arrival: 0, Work: 2, Start: 0, Finish: 2},
		{Number: 2, Arrival: 1, Work: 3, Start: 2, Finish: 5, InSystemBefore: 1},
		{Number: 3, Arrival: 10, Work: 1, Start: 10, Finish: 11},
	}, jobs)
	assert.Equal(t, (4.0+1)/2, got.Mean, "the request at time 0 is not after the warm-up of 0")
}
