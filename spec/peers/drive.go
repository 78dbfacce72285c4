package peers

import (
	"context"

	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/spec"
)

// firstID is that of the first server of a Fleet.
const firstID = 10

// Fleet is n equal servers with ids that are no indices.
func Fleet(n int) []spec.Server {
	f := policies.Fleet(n)
	for i := range f {
		f[i].ID = spec.ServerID(firstID + i)
	}
	return f
}

// Sequence takes picks one after another, each of which succeeds before the
// next.
func Sequence(p spec.Picker, picks int) ([]spec.ServerID, error) {
	turns := make([]spec.ServerID, picks)
	for k := range turns {
		id, done, err := p.Pick(context.Background(), spec.Request{})
		if err != nil {
			return nil, err
		}
		if err := done(spec.Outcome{}); err != nil {
			return nil, err
		}
		turns[k] = id
	}
	return turns, nil
}

// Hold takes picks until k requests are in flight at the server, and ends those
// that went elsewhere. It holds them for good.
func Hold(p spec.Picker, at spec.ServerID, k int) error {
	var elsewhere []func(spec.Outcome) error
	for held := 0; held < k; {
		id, done, err := p.Pick(context.Background(), spec.Request{})
		if err != nil {
			return err
		}
		if id == at {
			held++
		} else {
			elsewhere = append(elsewhere, done)
		}
	}
	for _, done := range elsewhere {
		if err := done(spec.Outcome{}); err != nil {
			return err
		}
	}
	return nil
}

// Share is the part of the turns that went to the server.
func Share(turns []spec.ServerID, at spec.ServerID) float64 {
	n := 0
	for _, id := range turns {
		if id == at {
			n++
		}
	}
	return float64(n) / float64(len(turns))
}
