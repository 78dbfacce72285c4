package opinion

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// A Status is what became of a mutation.
type Status string

// The statuses. A timeout is no kill: something else may be slow. Broken is a
// fault of the suite: it fell over without a verdict, and nothing else convicts.
const (
	Killed     Status = "killed"
	Survived   Status = "survived"
	TimedOut   Status = "timeout"
	NotViable  Status = "not viable"
	NotCovered Status = "not covered"
	Broken     Status = "broken"
)

// Stages in which a mutation is killed.
const (
	bySuite = "suite"
	byTests = "tests"
)

// A Result is what became of one mutation.
type Result struct {
	Mutation
	Digest  string  `json:"digest"` // of its function
	Status  Status  `json:"status"`
	Stage   string  `json:"stage,omitempty"` // suite or tests
	By      string  `json:"by,omitempty"`    // a property, or a test of the package
	How     string  `json:"how,omitempty"`
	Seconds float64 `json:"seconds"`

	// Why it may survive, from the known reasons.
	Kind Kind   `json:"kind,omitempty"`
	Why  string `json:"why,omitempty"`
}

// A log keeps results as lines of JSON, so that a stop loses nothing.
type log struct {
	file  *os.File // nil: in memory alone
	known map[string]Result
}

func logKey(digest string, m Mutation) string { return digest + " " + m.Key() }

// openLog reads what there is. Later lines replace earlier ones.
func openLog(path string) (*log, error) {
	l := &log{known: make(map[string]Result)}
	if path == "" {
		return l, nil
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opinion: %w", err)
	}
	l.file = f
	var end int64
	for lines := bufio.NewReader(f); ; {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break // what has no end of line is half a result
		} else if err != nil {
			return nil, fmt.Errorf("opinion: %w", err)
		}
		var r Result
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("opinion: %s is no file of results: %w", path, err)
		}
		l.known[logKey(r.Digest, r.Mutation)] = r
		end += int64(len(line))
	}
	if err := f.Truncate(end); err != nil {
		return nil, err
	}
	_, err = f.Seek(end, io.SeekStart)
	return l, err
}

// find returns the result of a mutation of a function that is as it was.
func (l *log) find(digest string, m Mutation) (Result, bool) {
	r, ok := l.known[logKey(digest, m)]
	return r, ok
}

func (l *log) add(r Result) error {
	l.known[logKey(r.Digest, r.Mutation)] = r
	if l.file == nil {
		return nil
	}
	line, err := json.Marshal(r)
	if err == nil {
		_, err = l.file.Write(append(line, '\n'))
	}
	return err
}

func (l *log) close() {
	if l.file != nil {
		l.file.Close()
	}
}
