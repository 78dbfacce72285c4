package remote

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/picklaw/picklaw/spec"
)

// A Program is a subject in any language: a command whose process speaks the
// protocol. One process serves all the fleets of a run; when it dies, or does
// something that ends it, the next fleet gets a new one.
type Program struct {
	Command string // for the shell
	// Patience is how long an answer may take; 5 seconds when it is 0.
	Patience time.Duration

	mu     sync.Mutex
	child  *child
	starts int
	fleets int
}

// restarts bounds how many processes a program gets.
const restarts = 20

// Factory builds balancers in the process of the program.
func (p *Program) Factory() spec.Factory {
	return func(f spec.Fleet) (spec.Picker, error) {
		c, number, err := p.running()
		if err != nil {
			return nil, err
		}
		a := c.ask(question{Op: opCreate, Fleet: number, Seed: pointer(f.Seed % (1 << 53)), Servers: serversOf(f.Servers)})
		if a.Error != "" {
			return nil, errors.New(a.Error)
		}
		return withAbilities(&balancer{child: c, number: number, fleet: slices.Clone(f.Servers)}), nil
	}
}

// running is a child that works, and the number of the next fleet.
func (p *Program) running() (*child, int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.child == nil || p.child.isBroken() {
		if p.starts == restarts {
			spec.GiveUp("the program was started %d times, which is enough", restarts)
		}
		p.starts++
		patience := p.Patience
		if patience == 0 {
			patience = 5 * time.Second
		}
		c, err := start(p.Command, patience)
		if err != nil {
			return nil, 0, err
		}
		p.child, p.fleets = c, 0
		c.hello()
	}
	p.fleets++
	return p.child, p.fleets, nil
}

// Close ends the process and waits for it.
func (p *Program) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.child != nil {
		p.child.stop()
		p.child = nil
	}
	return nil
}

// Kill ends the process at once, and lets no other one start: what is being
// checked gets no verdict.
func (p *Program) Kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.starts = restarts
	if p.child != nil {
		p.child.breaks(spec.Exited, "it was interrupted")
	}
}

// A balancer is one fleet in the process of a program.
type balancer struct {
	child  *child
	number int

	mu       sync.Mutex
	fleet    []spec.Server
	requests uint64
}

func (b *balancer) Pick(ctx context.Context, r spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
	if err := ctx.Err(); err != nil {
		return 0, nil, err // the protocol cannot interrupt a pick, so it never begins
	}
	b.mu.Lock()
	b.requests++
	request := b.requests
	b.mu.Unlock()
	a := b.child.ask(question{Op: opPick, Fleet: b.number, Request: request, Key: r.Key, Cookie: r.Cookie, Tried: r.Tried})
	switch {
	case a.Error != "":
		return 0, nil, errors.New(a.Error)
	case a.Server == nil:
		b.child.blame(Garbage, "its answer to pick %d of fleet %d names no server", request, b.number)
	}
	return *a.Server, func(o spec.Outcome) error { return b.done(request, o) }, nil
}

func (b *balancer) done(request uint64, o spec.Outcome) error {
	word := "ok"
	switch {
	case o.Canceled:
		word = "canceled"
	case o.Failed:
		word = "failed"
	}
	return b.say(question{Op: opDone, Fleet: b.number, Request: request, Outcome: word, Latency: pointer(o.Latency.Nanoseconds())})
}

// say asks a question whose answer holds nothing.
func (b *balancer) say(q question) error {
	if a := b.child.ask(q); a.Error != "" {
		return errors.New(a.Error)
	}
	return nil
}

// Close forgets the fleet. A program that has ended has forgotten it.
func (b *balancer) Close() error {
	if b.child.isBroken() {
		return nil
	}
	return b.say(question{Op: opClose, Fleet: b.number})
}

// Update tells what has changed. Where that is only who is eligible, and the
// program can eject, it is told so.
func (b *balancer) Update(fleet []spec.Server) error {
	b.mu.Lock()
	before := b.fleet
	b.fleet = slices.Clone(fleet)
	b.mu.Unlock()
	if !b.can(opEject) || !slices.EqualFunc(before, fleet, sameOrEjected) {
		return b.say(question{Op: opUpdate, Fleet: b.number, Servers: serversOf(fleet)})
	}
	for i, s := range fleet {
		if s.Weight == before[i].Weight {
			continue
		}
		if err := b.say(question{Op: opEject, Fleet: b.number, Server: pointer(s.ID), Ejected: pointer(s.Weight == 0)}); err != nil {
			return err
		}
	}
	return nil
}

// sameOrEjected compares a server before and after. A weight that comes back
// other than it was is a change of the fleet, but only the balancer knows what it
// was; so a return counts as such from weight 1 only.
func sameOrEjected(before, after spec.Server) bool {
	w, v := before.Weight, after.Weight
	return before.ID == after.ID && before.Name == after.Name && (w == v || v == 0 && w == 1 || w == 0 && v == 1)
}

// InFlight asks the program what it counts.
func (b *balancer) InFlight(id spec.ServerID) int {
	a := b.child.ask(question{Op: opInFlight, Fleet: b.number, Server: &id})
	if a.Error != "" || a.Count == nil {
		b.child.blame(Garbage, "it tells no count for server %d: %s", id, a.Error)
	}
	return *a.Count
}

// Sleep moves the clock of the program.
func (b *balancer) Sleep(d time.Duration) {
	if err := b.say(question{Op: opAdvance, Fleet: b.number, Duration: pointer(d.Nanoseconds())}); err != nil {
		b.child.blame(spec.Refused, "it refused to let %v pass: %v", d, err)
	}
}

func (b *balancer) can(ability string) bool { return slices.Contains(b.child.can, ability) }

// core is what every balancer can do.
type core interface {
	spec.Picker
	Close() error
}

// withAbilities shows of a balancer what its program can do: an audit finds out
// by asking for interfaces.
func withAbilities(b *balancer) spec.Picker {
	updates, counts, sleeps := b.can(opUpdate), b.can(opInFlight), b.can(opAdvance)
	switch fmt.Sprint(updates, counts, sleeps) {
	case "true true true":
		return b
	case "true true false":
		return struct {
			core
			spec.Updater
			spec.Counter
		}{b, b, b}
	case "true false true":
		return struct {
			core
			spec.Updater
			spec.Sleeper
		}{b, b, b}
	case "true false false":
		return struct {
			core
			spec.Updater
		}{b, b}
	case "false true true":
		return struct {
			core
			spec.Counter
			spec.Sleeper
		}{b, b, b}
	case "false true false":
		return struct {
			core
			spec.Counter
		}{b, b}
	case "false false true":
		return struct {
			core
			spec.Sleeper
		}{b, b}
	}
	return struct{ core }{b}
}
