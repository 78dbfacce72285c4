package remote

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/picklaw/picklaw/spec"
)

// An Answer is a line from the subject to the auditor.
type Answer struct {
	Seq      *uint64        `json:"seq"`
	Error    string         `json:"error,omitempty"`
	Protocol int            `json:"protocol,omitempty"`
	Can      []string       `json:"can,omitempty"`
	Server   *spec.ServerID `json:"server,omitempty"`
	Count    *int           `json:"count,omitempty"`
}

// field is where the value of a key goes; nil when answers have no such key.
func (a *Answer) field(key string) any {
	switch key {
	case "seq":
		return &a.Seq
	case "error":
		return &a.Error
	case "protocol":
		return &a.Protocol
	case "can":
		return &a.Can
	case "server":
		return &a.Server
	case "count":
		return &a.Count
	}
	return nil
}

// ParseAnswer reads a line of a subject; the error says what is wrong with it. It
// takes no key in another spelling and none twice: of two values a subject means
// one, and nobody knows which.
func ParseAnswer(line []byte) (Answer, error) {
	var a Answer
	if err := a.decode(json.NewDecoder(bytes.NewReader(line))); err != nil {
		return Answer{}, fmt.Errorf("%s, which is no answer: %w", shown(line), err)
	}
	if a.Seq == nil {
		return Answer{}, fmt.Errorf("%s, which has no seq", shown(line))
	}
	for _, can := range a.Can {
		if !slices.Contains(abilities, can) {
			return Answer{}, fmt.Errorf("%s, which can %q; want some of %q", shown(line), can, abilities)
		}
	}
	return a, nil
}

func (a *Answer) decode(d *json.Decoder) error {
	switch opening, err := d.Token(); {
	case err != nil:
		return err
	case opening != json.Delim('{'):
		return fmt.Errorf("it begins with %v, want an object", opening)
	}
	var seen []string
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		key := token.(string) // nothing else passes for a key
		field := a.field(key)
		switch {
		case field == nil:
			return fmt.Errorf("unknown field %q", key)
		case slices.Contains(seen, key):
			return fmt.Errorf("%q twice", key)
		}
		seen = append(seen, key)
		if err := d.Decode(field); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	if _, err := d.Token(); err != nil { // the closing brace
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("there is more than one object")
	}
	return nil
}

// shown is a line as a diagnosis can hold it.
func shown(line []byte) string {
	const width = 120
	if len(line) > width {
		return fmt.Sprintf("%q...", line[:width])
	}
	return fmt.Sprintf("%q", line)
}
