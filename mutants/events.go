package mutants

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// An event is one property decided on one subject, as the suite reports it.
type event struct {
	Subject string `json:"subject"`
	Result  struct {
		Name     string  `json:"name"`
		Tier     string  `json:"tier"`
		Verdict  string  `json:"verdict"`
		Finding  string  `json:"finding"`
		Expected string  `json:"expected"`
		Observed string  `json:"observed"`
		Pinned   string  `json:"pinned"`
		Seconds  float64 `json:"seconds"`
	} `json:"result"`
	End bool `json:"end"`

	// Reached are the mutants whose functions were called since the last event,
	// and at the end those called outside of all checks; nil when the suite does
	// not record them.
	Reached []string `json:"reached"`
}

// A check is one property on one subject.
type check struct{ Subject, Property string }

func (e event) check() check { return check{e.Subject, e.Result.Name} }

// Verdicts of properties, as package spec spells them.
const (
	holds        = "holds"
	violated     = "violated"
	notClaimed   = "not claimed"
	harnessError = "harness error"
)

// exact is the tier that decides for certain.
const exact = "exact"

// golden is the tier of digit-for-digit tables. They change with every change
// of the simulator, so they tell nothing about what a mutant breaks.
const golden = "golden"

// readEvents reads what a suite reported, and its end. Events that were read
// come back even with an error, which is not nil unless the last line says that
// the suite has come to its end.
func readEvents(file string) (all []event, end event, err error) {
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, end, errors.New("the suite reported nothing; is there a test TestReference?")
	}
	if err != nil {
		return nil, end, err
	}
	defer f.Close()
	for lines := json.NewDecoder(bufio.NewReader(f)); ; {
		var e event
		switch err := lines.Decode(&e); {
		case errors.Is(err, io.EOF):
			return all, end, fmt.Errorf("the suite stopped before its end, after %d results", len(all))
		case err != nil:
			return all, end, fmt.Errorf("result %d of the suite cannot be read: %w", len(all)+1, err)
		case e.End && lines.More():
			return all, end, fmt.Errorf("the suite went on after its end")
		case e.End && len(all) == 0:
			return nil, end, errors.New("the suite ended without any result")
		case e.End:
			return all, e, nil
		}
		if e.Result.Name == "" || e.Result.Verdict == "" {
			return all, end, fmt.Errorf("result %d of the suite has no name or no verdict", len(all)+1)
		}
		all = append(all, e)
	}
}
