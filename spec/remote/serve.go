package remote

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/picklaw/picklaw/spec"
)

// Serve lets a Go balancer speak the protocol, one line at a time: the other
// end of a [Program], and what an adapter in another language looks like. It
// returns when the input ends.
func Serve(in io.Reader, out io.Writer, factory spec.Factory) error {
	s := speaker{factory: factory, fleets: make(map[int]*served)}
	lines := json.NewDecoder(bufio.NewReader(in))
	answers := json.NewEncoder(out)
	for {
		var q question
		if err := lines.Decode(&q); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("remote: reading a question: %w", err)
		}
		a := s.answer(q)
		a.Seq = &q.Seq
		if err := answers.Encode(a); err != nil {
			return fmt.Errorf("remote: writing an answer: %w", err)
		}
	}
}

// lacks names a field that a question of its kind must have and this one has not.
func (q question) lacks() string {
	for _, f := range []struct {
		name    string
		missing bool
		in      []string
	}{
		{"servers", q.Servers == nil, []string{opCreate, opUpdate}},
		{"seed", q.Seed == nil, []string{opCreate}},
		{"latency_ns", q.Latency == nil, []string{opDone}},
		{"server", q.Server == nil, []string{opEject, opInFlight}},
		{"ejected", q.Ejected == nil, []string{opEject}},
		{"ns", q.Duration == nil, []string{opAdvance}},
	} {
		if f.missing && slices.Contains(f.in, q.Op) {
			return f.name
		}
	}
	return ""
}

type speaker struct {
	factory spec.Factory
	fleets  map[int]*served
}

// served is one fleet, with its requests in flight.
type served struct {
	picker  spec.Picker
	servers []server
	open    map[uint64]func(spec.Outcome) error
}

func (s *speaker) answer(q question) Answer {
	if field := q.lacks(); field != "" {
		return Answer{Error: fmt.Sprintf("%s without %s", q.Op, field)}
	}
	switch q.Op {
	case opHello:
		return Answer{Protocol: Version, Can: s.abilities()}
	case opCreate:
		return s.create(q)
	}
	f, ok := s.fleets[q.Fleet]
	if !ok {
		return Answer{Error: fmt.Sprintf("there is no fleet %d", q.Fleet)}
	}
	switch q.Op {
	case opPick:
		return f.pick(q)
	case opDone:
		return f.done(q)
	case opInFlight:
		return f.count(q)
	case opClose:
		delete(s.fleets, q.Fleet)
		return Answer{}
	case opUpdate:
		f.servers = *q.Servers
		return f.update()
	case opEject:
		return f.eject(q)
	case opAdvance:
		if sleeper, ok := f.picker.(spec.Sleeper); ok {
			sleeper.Sleep(time.Duration(*q.Duration))
			return Answer{}
		}
	}
	return Answer{Error: fmt.Sprintf("unknown operation %q", q.Op)}
}

// abilities are found out on a balancer over one server.
func (s *speaker) abilities() []string {
	var can []string
	p, err := s.factory(spec.Fleet{Servers: []spec.Server{{ID: 1, Name: "one", Weight: 1}}})
	if err != nil {
		return nil
	}
	if _, ok := p.(spec.Updater); ok {
		can = append(can, opUpdate, opEject)
	}
	if _, ok := p.(spec.Sleeper); ok {
		can = append(can, opAdvance)
	}
	if _, ok := p.(spec.Counter); ok {
		can = append(can, opInFlight)
	}
	return can
}

func (s *speaker) create(q question) Answer {
	p, err := s.factory(spec.Fleet{Servers: fleetOf(*q.Servers), Seed: *q.Seed})
	if err != nil {
		return failed(err)
	}
	s.fleets[q.Fleet] = &served{picker: p, servers: *q.Servers, open: make(map[uint64]func(spec.Outcome) error)}
	return Answer{}
}

func failed(err error) Answer {
	if err == nil {
		return Answer{}
	}
	return Answer{Error: err.Error()}
}

func (f *served) pick(q question) Answer {
	id, done, err := f.picker.Pick(context.Background(), spec.Request{Key: q.Key, Cookie: q.Cookie, Tried: q.Tried})
	if err != nil {
		return failed(err)
	}
	f.open[q.Request] = done
	return Answer{Server: &id}
}

func (f *served) done(q question) Answer {
	done, ok := f.open[q.Request]
	if !ok {
		return Answer{Error: fmt.Sprintf("there was no request %d", q.Request)}
	}
	// A done request stays known, so that ending it twice is the balancer's to refuse.
	return failed(done(spec.Outcome{
		Latency: time.Duration(*q.Latency), Failed: q.Outcome == "failed", Canceled: q.Outcome == "canceled",
	}))
}

func (f *served) update() Answer {
	u, ok := f.picker.(spec.Updater)
	if !ok {
		return Answer{Error: "the balancer has no Update"}
	}
	return failed(u.Update(fleetOf(f.servers)))
}

func (f *served) eject(q question) Answer {
	i := slices.IndexFunc(f.servers, func(s server) bool { return s.ID == *q.Server })
	if i < 0 {
		return Answer{Error: fmt.Sprintf("there is no server %d", *q.Server)}
	}
	f.servers[i].Weight = 1
	if *q.Ejected {
		f.servers[i].Weight = 0
	}
	return f.update()
}

func (f *served) count(q question) Answer {
	c, ok := f.picker.(spec.Counter)
	if !ok {
		return Answer{Error: "the balancer counts nothing"}
	}
	n := c.InFlight(*q.Server)
	return Answer{Count: &n}
}
