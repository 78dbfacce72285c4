package mutants

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// keep writes the diff and the log of one mutant.
func keep(dir, diff string, r MutantResult, o outcome) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var log strings.Builder
	fmt.Fprintf(&log, "%s: %s after %.2f s\n%s\nsource: %s\n", r.ID, r.Status, r.Seconds, r.Story, r.Source)
	if r.Reason != "" {
		fmt.Fprintf(&log, "reason: %s\n", r.Reason)
	}
	for _, w := range r.Wrong {
		fmt.Fprintf(&log, "wrong prediction: %s\n", w)
	}
	for _, c := range r.Convictions {
		fmt.Fprintf(&log, "\n%s on %s (%s)\n  expected  %s\n  observed  %s\n", c.Property, c.Subject, c.Finding, c.Expected, c.Observed)
	}
	fmt.Fprintf(&log, "\noutput of the suite:\n%s", o.output)
	for name, text := range map[string]string{r.ID + ".diff": diff, r.ID + ".log": log.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Write writes the report, the matrix, and one list of mutants for each status.
func (r *Report) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	report, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	page, err := r.HTML()
	if err != nil {
		return err
	}
	files := map[string][]byte{"report.json": append(report, '\n'), "matrix.html": page}
	for _, s := range []Status{Caught, Survived, Broken, Equivalent} {
		var list []byte
		for _, m := range r.Mutants {
			if m.Status == s {
				list = append(list, m.ID+"\n"...)
			}
		}
		files[string(s)+".txt"] = list
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
