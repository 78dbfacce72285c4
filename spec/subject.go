package spec

import (
	"context"
	"time"

	"github.com/picklaw/picklaw/policies"
)

// The vocabulary of a pick, as package policies defines it.
type (
	Server   = policies.Server
	ServerID = policies.ServerID
	Request  = policies.Request
	Outcome  = policies.Outcome
)

// A Fleet is what a subject is asked to balance over.
type Fleet struct {
	Servers []Server // in increasing order of ids; a weight of 0 means not eligible
	// Seed is for subjects whose chance can be seeded. Two instances that are
	// built with different seeds must be independent.
	Seed uint64
}

// A Picker is what an audit drives: one pick, counted in flight until done is
// called once with its outcome. Servers are named by id.
type Picker interface {
	Pick(context.Context, Request) (id ServerID, done func(Outcome) error, err error)
}

// A Factory builds a new balancer over a fleet. Every check gets its own.
type Factory func(Fleet) (Picker, error)

// Optional abilities of a Picker. A property that needs one is decided only
// for subjects that have it.
type (
	// An Updater replaces its fleet while requests are in flight. Servers are
	// recognised by id.
	Updater interface{ Update([]Server) error }
	// A Counter tells how many requests it believes to be in flight at a server.
	Counter interface{ InFlight(ServerID) int }
	// A Sleeper lives on a clock of its own, which Sleep moves.
	Sleeper interface{ Sleep(time.Duration) }
)

// A Subject is something that the specification is held against.
type Subject struct {
	Name string // as on the command line
	Doc  string // one line: what it is, with its version

	// New builds it as a black box.
	New Factory
	// Policy builds the bare rule, when it can be had: then its exact law is
	// computed instead of sampled.
	Policy func() policies.Policy
	// Claims are what the subject promises.
	Claims []Option
	// Pinned are known deviations of this very version, by the name of the
	// property that they violate, each with a sentence on what it does to a user.
	// They are still reported as violated; one that goes away is a surprise.
	Pinned map[string]string
}

// OfPolicy is the subject that consists of a policy alone. Leased it is a
// policies.Balancer over that policy.
func OfPolicy(name string, newPolicy func() policies.Policy, claims ...Option) Subject {
	return Subject{Name: name, Policy: newPolicy, Claims: claims}
}
