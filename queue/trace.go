//go:build !mutants

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
	last := 0.0
	err := readLines(r, name, func(words []string) error {
		if len(words) > 2 {
			return fmt.Errorf("%d fields, want the time of arrival and at most the work", len(words))
		}
		if hasWork := len(words) == 2; len(arrivals) > 0 && hasWork != (work != nil) {
			return fmt.Errorf("%d fields, want %d as in the lines before", len(words), 3-len(words))
		}
		t, err := strconv.ParseFloat(words[0], 64)
		if err != nil || !(t >= last) || math.IsInf(t, 1) {
			return fmt.Errorf("time of arrival %q, want a finite number, %v or more", words[0], last)
		}
		arrivals, last = append(arrivals, t), t
		if len(words) == 1 {
			return nil
		}
		w, err := readWork(words[1])
		work = append(work, w)
		return err
	})
	if err != nil {
		return nil, nil, err
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

// ReadWork reads recorded work, one number a line, with the same freedoms and
// errors as ReadTrace.
func ReadWork(r io.Reader, name string) (RecordedWork, error) {
	var work RecordedWork
	err := readLines(r, name, func(words []string) error {
		if len(words) > 1 {
			return fmt.Errorf("%d fields, want the work alone", len(words))
		}
		w, err := readWork(words[0])
		work = append(work, w)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := work.validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return work, nil
}

func readWork(word string) (float64, error) {
	w, err := strconv.ParseFloat(word, 64)
	if err != nil || !(w >= 0) || math.IsInf(w, 1) {
		return 0, fmt.Errorf("work %q, want a finite number, 0 or more", word)
	}
	return w, nil
}

// readLines passes on the words of each line that has some, and puts the file
// and the line before an error.
func readLines(r io.Reader, name string, read func(words []string) error) error {
	lines := bufio.NewScanner(r)
	line := 0
	for lines.Scan() {
		line++
		text, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\r' })
		if len(words) == 0 {
			continue
		}
		if err := read(words); err != nil {
			return fmt.Errorf("%s:%d: %w", name, line, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s:%d: %w", name, line+1, err)
	}
	return nil
}
