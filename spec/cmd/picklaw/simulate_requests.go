package main

import (
	"fmt"
	"os"

	"github.com/picklaw/picklaw/queue"
)

// requests reads when requests come and what work they bring.
func (q *simulation) requests(w *queue.World) error {
	if q.trace != "" {
		if q.arrivals != "" {
			return fmt.Errorf("--trace and --arrivals %s, want one of them", q.arrivals)
		}
		arrivals, work, err := readTrace("trace", q.trace)
		if err != nil {
			return err
		}
		w.Arrivals = arrivals
		switch {
		case work != nil && q.work != "":
			return fmt.Errorf("--trace %s has work, and --work is %s: want one of them", q.trace, q.work)
		case work != nil:
			w.Work = work
			return nil
		case q.work == "":
			return fmt.Errorf("--trace %s has no work, want a second number on each line or --work", q.trace)
		}
	}
	var err error
	switch {
	case q.trace != "":
	case isFile(q.arrivals, "poisson", "even"):
		var work queue.RecordedWork
		w.Arrivals, work, err = readTrace("arrivals", q.arrivals)
		if err == nil && work != nil {
			return fmt.Errorf("--arrivals %s has two numbers on each line, want the time alone, or --trace", q.arrivals)
		}
	default:
		w.Arrivals, err = queue.ParseArrivals(q.arrivals)
	}
	if err != nil {
		return err
	}
	if isFile(q.work, "exponential", "constant", "lognormal", "erlang", "hyperexponential") {
		w.Work, err = readWork(q.work)
	} else {
		w.Work, err = queue.ParseWork(q.work)
	}
	return err
}

func readTrace(flag, name string) (queue.RecordedArrivals, queue.RecordedWork, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, fmt.Errorf("--%s: %w", flag, err)
	}
	defer f.Close()
	return queue.ReadTrace(f, name)
}

func readWork(name string) (queue.RecordedWork, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("--work is no distribution and no file: %w", err)
	}
	defer f.Close()
	return queue.ReadWork(f, name)
}
