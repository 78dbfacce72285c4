package peers

import (
	"context"
	"fmt"

	"github.com/picklaw/picklaw/spec"
)

// SameFirstPick is the deviation of a peer whose instances all send their first
// request to the same server.
func SameFirstPick(name, version string, build spec.Factory, effect string) Deviation {
	const servers, instances = 5, 100
	return Deviation{
		Name: name + "/same-first-pick", Version: version,
		State:    fmt.Sprintf("%d new instances over the same %d servers, one request each", instances, servers),
		Expected: "first requests at several servers",
		Observed: fmt.Sprintf("all %d first requests at one server", instances),
		Effect:   effect,
		Observe: func() (string, error) {
			fleet := Fleet(servers)
			first := make(map[spec.ServerID]int)
			for k := range instances {
				p, err := build(spec.Fleet{Servers: fleet, Seed: uint64(k)})
				if err != nil {
					return "", err
				}
				id, done, err := p.Pick(context.Background(), spec.Request{})
				if err != nil {
					return "", err
				}
				if err := done(spec.Outcome{}); err != nil {
					return "", err
				}
				first[id]++
			}
			if len(first) == 1 {
				return fmt.Sprintf("all %d first requests at one server", instances), nil
			}
			return fmt.Sprintf("first requests by server %v", first), nil
		},
	}
}
