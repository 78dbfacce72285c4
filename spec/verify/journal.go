package verify

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/picklaw/picklaw/spec"
)

// An entry is a line of the journal that a child keeps for its parent: first
// the start of a property, then its result; in the end the whole report.
type entry struct {
	Applies []string             `json:"applies,omitempty"` // what is claimed, before anything else
	Start   string               `json:"start,omitempty"`
	Result  *spec.PropertyResult `json:"result,omitempty"`
	End     *ending              `json:"end,omitempty"`
}

type ending struct {
	CouldClaim []string `json:"could_claim,omitempty"`
}

// A journal is a file, because a subject may write whatever it likes to the
// standard streams.
type journal struct{ file *os.File }

func openJournal(path string) (*journal, error) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return &journal{f}, nil
}

func (j *journal) write(e entry) {
	line, err := json.Marshal(e)
	if err == nil {
		_, err = j.file.Write(append(line, '\n'))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "verify: writing the journal:", err)
		os.Exit(exitHarness)
	}
}

// readJournal reads what a child wrote before it ended. A line that was cut
// off by its death is dropped.
func readJournal(path string) ([]entry, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var entries []entry
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var e entry
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			break
		}
		entries = append(entries, e)
	}
	return entries, lines.Err()
}
