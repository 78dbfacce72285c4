package queue

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// ReadTrace reads recorded requests, one a line: the time of arrival and, in
// all lines or in none, the work, separated by blanks or a comma. Empty lines
// and what follows a # are ignored. Times must not descend. Errors name the
// file, the line and what was expected there.
func ReadTrace(r io.Reader, name string) (RecordedArrivals, RecordedWork, error) {
	var arrivals RecordedArrivals
	var work RecordedWork
	lines := bufio.NewScanner(r)
	line, last := 0, 0.0
	fail := func(format string, args ...any) (RecordedArrivals, RecordedWork, error) {
		return nil, nil, fmt.Errorf("%s:%d: %s", name, line, fmt.Sprintf(format, args...))
	}
	for lines.Scan() {
		line++
		text, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\r' })
		if len(words) == 0 {
			continue
		}
		if len(words) > 2 {
			return fail("%d fields, want the time of arrival and at most the work", len(words))
		}
		if hasWork := len(words) == 2; len(arrivals) > 0 && hasWork != (work != nil) {
			return fail("%d fields, want %d as in the lines before", len(words), 3-len(words))
		}
		t, err := strconv.ParseFloat(words[0], 64)
		if err != nil || !(t >= last) || math.IsInf(t, 1) {
			return fail("time of arrival %q, want a finite number, %v or more", words[0], last)
		}
		arrivals, last = append(arrivals, t), t
		if len(words) == 1 {
			continue
		}
		w, err := strconv.ParseFloat(words[1], 64)
		if err != nil || !(w >= 0) || math.IsInf(w, 1) {
			return fail("work %q, want a finite number, 0 or more", words[1])
		}
		work = append(work, w)
	}
	if err := lines.Err(); err != nil {
		line++
		return fail("%v", err)
	}
	if len(arrivals) == 0 {
		return nil, nil, fmt.Errorf("%s: no arrivals, want at least one line with a time", name)
	}
	if work != nil {
		if err := work.validate(); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return arrivals, work, nil
}
