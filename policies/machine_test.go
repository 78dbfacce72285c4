package policies

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A machine drives a balancer and a model of it side by side.
type machine struct {
	b     *Balancer
	fleet map[string]uint64 // weights
	open  []held            // leases that have not ended
	ended []*Lease
	ids   map[string]ServerID // of the servers of the fleet that have been picked
	gone  map[ServerID]bool   // ids of servers that have left
}

// held is an open lease; orphan says that its server has left the fleet.
type held struct {
	*Lease
	orphan bool
}

func TestBalancerAgainstItsModel(t *testing.T) {
	for name := range everyPolicy() {
		t.Run(name, func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { runMachine(t, everyPolicy()[name]) }) })
	}
}

func runMachine(t *rapid.T, p Policy) {
	m := &machine{fleet: map[string]uint64{"a": 1, "b": 2, "c": 1}, ids: map[string]ServerID{}, gone: map[ServerID]bool{}}
	m.b = mustBalancer(t, p, m.endpoints(), WithCoins(NewCoins(rapid.Uint64().Draw(t, "seed"))))
	actions := []func(*rapid.T){m.acquire, m.release, m.doubleRelease, m.canceled, m.do, m.retry, m.update, m.badUpdate}
	// The weights come first: so long runs of one action occur.
	var lots []int
	for i := range actions {
		weight := rapid.SampledFrom([]int{0, 1, 1, 3, 10}).Draw(t, "weight")
		lots = append(lots, slices.Repeat([]int{i}, weight)...)
	}
	lots = append(lots, 0) // acquire
	for range rapid.IntRange(1, 60).Draw(t, "steps") {
		actions[rapid.SampledFrom(lots).Draw(t, "action")](t)
		m.check(t)
	}
	for len(m.open) > 0 {
		m.end(t, len(m.open)-1)
	}
	m.check(t)
}

func (m *machine) endpoints() []Endpoint {
	var es []Endpoint
	for _, name := range slices.Sorted(maps.Keys(m.fleet)) {
		es = append(es, Endpoint{name, m.fleet[name]})
	}
	return es
}

// counts is the number of open leases of each server of the fleet.
func (m *machine) counts() map[string]int {
	counts := map[string]int{}
	for name := range m.fleet {
		counts[name] = 0
	}
	for _, h := range m.open {
		if !h.orphan {
			counts[h.Server().Name]++
		}
	}
	return counts
}

// check compares every count with the model.
func (m *machine) check(t *rapid.T) {
	if got, want := m.b.InFlight(), m.counts(); !maps.Equal(got, want) {
		t.Fatalf("in flight: %v, want the open leases: %v", got, want)
	}
	if got := m.b.Open(); got != len(m.open) {
		t.Fatalf("%d leases are open, want %d", got, len(m.open))
	}
}

// lease checks a pick: a server of the fleet, eligible, with the id it always had.
func (m *machine) lease(t *rapid.T, s Server) {
	if weight, ok := m.fleet[s.Name]; !ok || weight == 0 || weight != s.Weight {
		t.Fatalf("picked %+v from the fleet %v", s, m.fleet)
	}
	if id, seen := m.ids[s.Name]; seen && id != s.ID {
		t.Fatalf("server %q had id %d and now has %d", s.Name, id, s.ID)
	}
	if m.gone[s.ID] {
		t.Fatalf("id %d is used again, for %q", s.ID, s.Name)
	}
	m.ids[s.Name] = s.ID
}

func (m *machine) request(t *rapid.T) Request {
	return Request{Key: rapid.SampledFrom([]string{"", "k", "l", "m"}).Draw(t, "key")}
}

func (m *machine) acquire(t *rapid.T) {
	lease, err := m.b.Acquire(background, m.request(t))
	if err != nil {
		t.Fatalf("Acquire: %v", err)
	}
	m.lease(t, lease.Server())
	m.open = append(m.open, held{Lease: lease})
}

func (m *machine) end(t *rapid.T, i int) {
	lease := m.open[i]
	if err := lease.Release(Outcome{Failed: i%2 == 0, Canceled: i%3 == 0}); err != nil {
		t.Fatalf("Release: %v", err)
	}
	m.open, m.ended = slices.Delete(m.open, i, i+1), append(m.ended, lease.Lease)
}

func (m *machine) release(t *rapid.T) {
	if len(m.open) > 0 {
		m.end(t, rapid.IntRange(0, len(m.open)-1).Draw(t, "lease"))
	}
}

func (m *machine) doubleRelease(t *rapid.T) {
	if len(m.ended) > 0 {
		if err := rapid.SampledFrom(m.ended).Draw(t, "ended").Release(Outcome{}); !errors.Is(err, ErrReleased) {
			t.Fatalf("a second release says %v", err)
		}
	}
}

func (m *machine) canceled(t *rapid.T) {
	ctx, cancel := context.WithCancel(background)
	cancel()
	if _, err := m.b.Acquire(ctx, m.request(t)); !errors.Is(err, context.Canceled) {
		t.Fatalf("Acquire with a canceled context says %v", err)
	}
}

func (m *machine) do(t *rapid.T) {
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	ending := rapid.SampledFrom([]string{"ok", "error", "cancel", "panic"}).Draw(t, "ending")
	defer func() {
		if r := recover(); r != nil && r != "panic" {
			panic(r)
		}
	}()
	_ = m.b.Do(ctx, m.request(t), func(ctx context.Context, s Server) error {
		m.lease(t, s)
		if got, want := m.b.InFlight()[s.Name], m.counts()[s.Name]+1; got != want {
			t.Fatalf("during Do %q has %d in flight, want %d", s.Name, got, want)
		}
		switch ending {
		case "error":
			return errors.New("error")
		case "cancel":
			cancel()
			return ctx.Err()
		case "panic":
			panic("panic")
		}
		return nil
	})
}

func (m *machine) retry(t *rapid.T) {
	q, eligible := m.request(t), 0
	for _, w := range m.fleet {
		if w > 0 {
			eligible++
		}
	}
	for range eligible {
		lease, err := m.b.Acquire(background, q)
		if err != nil {
			t.Fatalf("%d of %d eligible servers tried: %v", len(q.Tried), eligible, err)
		}
		if slices.Contains(q.Tried, lease.Server().ID) {
			t.Fatalf("server %d has been tried: %v", lease.Server().ID, q.Tried)
		}
		m.lease(t, lease.Server())
		q.Tried = append(q.Tried, lease.Server().ID)
		if err := lease.Release(Outcome{Failed: true}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.b.Acquire(background, q); !errors.Is(err, ErrNoServer) {
		t.Fatalf("all %d servers tried: %v", eligible, err)
	}
}

func (m *machine) update(t *rapid.T) {
	fleet := rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}), rapid.Uint64Range(0, 3), 1, 5).Draw(t, "fleet")
	if !slices.ContainsFunc(slices.Collect(maps.Values(fleet)), func(w uint64) bool { return w > 0 }) {
		fleet["a"] = 1
	}
	m.fleet = fleet
	es := rapid.Permutation(m.endpoints()).Draw(t, "order")
	if err := m.b.Update(es); err != nil {
		t.Fatalf("Update: %v", err)
	}
	for i, h := range m.open {
		if _, stays := fleet[h.Server().Name]; !stays {
			m.open[i].orphan = true
		}
	}
	for name, id := range m.ids {
		if _, stays := fleet[name]; !stays {
			m.gone[id] = true
			delete(m.ids, name)
		}
	}
}

func (m *machine) badUpdate(t *rapid.T) {
	bad := rapid.SampledFrom([][]Endpoint{nil, Endpoints("x", "y", "x"), {{"a", 0}}, {{"z", MaxWeight + 1}}, Endpoints("")}).Draw(t, "bad")
	if err := m.b.Update(bad); err == nil {
		t.Fatalf("Update accepts %v", bad)
	}
}
