package spec

import (
	"cmp"
	"context"
	"errors"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/oracle"
)

// A keeper keeps the very list of servers that it was given, puts it in an order
// at every pick, and takes the first or whom choose says.
type keeper struct {
	mu     sync.Mutex
	fleet  []Server
	counts map[ServerID]int
	random *rand.Rand
	order  func(k *keeper, q Request)
	choose func(k *keeper) ServerID // nil: the first
}

func keeping(order func(k *keeper, q Request), choose func(k *keeper) ServerID) Factory {
	return func(f Fleet) (Picker, error) {
		if len(f.Servers) == 0 {
			return nil, errors.New("no servers")
		}
		return &keeper{fleet: f.Servers, counts: make(map[ServerID]int), random: rand.New(rand.NewPCG(f.Seed, 1)), order: order, choose: choose}, nil
	}
}

func (k *keeper) Pick(_ context.Context, q Request) (ServerID, func(Outcome) error, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.order(k, q)
	at := slices.IndexFunc(k.fleet, func(s Server) bool { return s.Weight > 0 })
	if at < 0 {
		return 0, nil, errors.New("no server is eligible")
	}
	id := k.fleet[at].ID
	if k.choose != nil {
		id = k.choose(k)
	}
	k.counts[id]++
	return id, func(Outcome) error {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.counts[id]--
		return nil
	}, nil
}

func (k *keeper) Update(fleet []Server) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.fleet = fleet
	return nil
}

func (k *keeper) InFlight(id ServerID) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.counts[id]
}

func (k *keeper) shuffle() {
	k.random.Shuffle(len(k.fleet), func(i, j int) { k.fleet[i], k.fleet[j] = k.fleet[j], k.fleet[i] })
}

func hashOf(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	x := h.Sum64() // of a short text, the high bits of FNV-1a hardly differ: mix them
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	return x ^ x>>32
}

// Who sorts or shuffles its own list is none the worse for it.
func TestSubjectsThatSortTheirFleet(t *testing.T) {
	least := func(k *keeper, _ Request) {
		k.shuffle() // so that ties are fair
		slices.SortStableFunc(k.fleet, func(s, t Server) int { return cmp.Compare(k.counts[s.ID], k.counts[t.ID]) })
	}
	rendezvous := func(k *keeper, q Request) {
		slices.SortFunc(k.fleet, func(s, t Server) int { return cmp.Compare(hashOf(s.Name, q.Key), hashOf(t.Name, q.Key)) })
	}
	for name, c := range map[string]struct {
		build  Factory
		claims []Option
		names  []string
	}{
		"least request": {keeping(least, nil), []Option{Law(oracle.LeastRequest{}), CountsInFlight(), KeepsCounts(), Concurrent()}, []string{
			"least-request/pick-law", "conservation/in-flight", "conservation/after-churn", "conservation/burst", "continuity/law-after-updates",
			"continuity/counts-across-update", "eligibility/share",
		}},
		"rendezvous": {keeping(rendezvous, nil), []Option{MapsKeys()}, []string{
			"keys/stable", "keys/join", "keys/leave", "keys/update-equals-fresh", "keys/agreement",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := Check(c.build, append(c.claims, Resolution(0.15), Only(c.names...))...)
			for _, property := range c.names {
				require.Equal(t, Holds, resultOf(t, r, property).Verdict, "%v", resultOf(t, r, property))
			}
		})
	}
}

// A balancer that always picks the same server, and shuffles the list that it was
// given in the hope that its auditor goes by that, too.
func TestCheatThatShufflesTheFleet(t *testing.T) {
	const favourite = 3 // the first of every fleet
	r := Check(keeping(func(k *keeper, _ Request) { k.shuffle() }, func(*keeper) ServerID { return favourite }),
		Law(oracle.Random{}), CountsInFlight(), Only("random/pick-law"))
	p := resultOf(t, r, "random/pick-law")
	require.Equal(t, Violated, p.Verdict, p.String())
	require.Equal(t, NeverFills, p.Finding, p.String())
}

// A turner rotates in an order of its own.
type turner struct {
	hostile
	last Server
	rank func(a, b Server) int
	next func(u *turner, eligible []Server) Server
}

// behind is the first server behind the last pick.
func behind(u *turner, eligible []Server) Server {
	for _, s := range eligible {
		if u.rank(u.last, s) < 0 {
			return s
		}
	}
	return eligible[0]
}

func turning(rank func(a, b Server) int, next func(u *turner, eligible []Server) Server, updated func(u *turner)) Factory {
	return func(f Fleet) (Picker, error) {
		if len(f.Servers) == 0 {
			return nil, errors.New("no servers")
		}
		u := &turner{hostile: hostile{fleet: f.Servers}, rank: rank, next: next}
		u.last = f.Servers[int(f.Seed%uint64(len(f.Servers)))]
		return struct {
			Picker
			Updater
		}{u, updates(func(fleet []Server) {
			u.fleet = fleet
			updated(u)
		})}, nil
	}
}

type updates func([]Server)

func (u updates) Update(fleet []Server) error { u(fleet); return nil }

func (u *turner) Pick(context.Context, Request) (ServerID, func(Outcome) error, error) {
	eligible := withWeight(u.fleet)
	slices.SortFunc(eligible, u.rank)
	u.picks++
	u.last = u.next(u, eligible)
	return u.last.ID, func(Outcome) error { return nil }, nil
}

// In which order a rotation goes round is not for the suite to say; that it is the
// same after an update, and goes on there, is.
func TestRotationsInAnyOrder(t *testing.T) {
	ascending := func(a, b Server) int { return cmp.Compare(a.ID, b.ID) }
	descending := func(a, b Server) int { return cmp.Compare(b.ID, a.ID) }
	hashed := func(a, b Server) int { return cmp.Compare(hashOf(a.Name), hashOf(b.Name)) }
	nothing := func(*turner) {}
	place := func(u *turner, eligible []Server) Server { // by a counter modulo the number of servers
		return eligible[u.picks%len(eligible)]
	}
	fresh := func(u *turner) { u.last = slices.MinFunc(u.fleet, u.rank) }
	salt := ""
	salted := func(a, b Server) int { return cmp.Compare(hashOf(salt, a.Name), hashOf(salt, b.Name)) }
	at := 0 // the place that comes next, in a list to whose end newcomers go
	slot := func(_ *turner, eligible []Server) Server {
		at %= len(eligible)
		at++
		return eligible[at-1]
	}
	folded := func(*turner) {}
	for name, c := range map[string]struct {
		build Factory
		want  Verdict
	}{
		"ascending":                     {turning(ascending, behind, nothing), Holds},
		"descending":                    {turning(descending, behind, nothing), Holds},
		"by a hash of the name":         {turning(hashed, behind, nothing), Holds},
		"descending, anew at an update": {turning(descending, behind, fresh), Violated},
		"by hash, by a counter":         {turning(hashed, place, nothing), Violated},
		"another order at every update": {turning(salted, behind, func(*turner) { salt += "." }), Violated},
		"by place, past whom has left":  {turning(ascending, slot, folded), Violated},
		"by place, from the last":       {turning(descending, slot, folded), Violated},
	} {
		salt, at = "", 0
		r := Check(c.build, Law(oracle.RoundRobin{}), Only("round-robin/pick-law", "round-robin/window", "round-robin/update"))
		require.Equal(t, Holds, resultOf(t, r, "round-robin/window").Verdict, "%s: %v", name, resultOf(t, r, "round-robin/window"))
		require.Equal(t, Holds, resultOf(t, r, "round-robin/pick-law").Verdict, "%s: %v", name, resultOf(t, r, "round-robin/pick-law"))
		p := resultOf(t, r, "round-robin/update")
		require.Equal(t, c.want, p.Verdict, "%s: %v", name, p)
		t.Log(name, p.Observed)
	}
}

// The first picks after an update are held against the last round before it.
func TestWhereARotationGoesOn(t *testing.T) {
	fleet := func(all ...ServerID) (servers []Server) {
		for _, id := range all {
			servers = append(servers, Server{ID: id})
		}
		return servers
	}
	for _, c := range []struct {
		round, picks []ServerID
		wants        string // of whom; empty: goes on
	}{
		{[]ServerID{1, 2, 3}, []ServerID{1, 2, 3}, ""},
		{[]ServerID{3, 1, 2}, []ServerID{3, 1, 2}, ""},
		{[]ServerID{1, 2, 3}, []ServerID{2, 3, 1}, "server 1"}, // skipped
		{[]ServerID{1, 2, 3}, []ServerID{3, 1, 2}, "server 1"}, // repeated
		{[]ServerID{1, 2, 3}, []ServerID{1, 3, 2}, "server 2"}, // another order
		{[]ServerID{1, 2, 3}, []ServerID{4, 1, 2, 3}, ""},
		{[]ServerID{1, 2, 3}, []ServerID{1, 4, 2, 3}, ""},
		{[]ServerID{1, 2, 3}, []ServerID{1, 2, 3, 4}, "server 4"}, // behind 3 from then on, and passed over
		{[]ServerID{1, 2, 3}, []ServerID{1, 2}, ""},               // the last one left
		{[]ServerID{1, 2, 3}, []ServerID{2, 1}, "server 1"},
		{[]ServerID{1, 2, 3}, []ServerID{2, 3}, ""},
		{[]ServerID{1, 2, 3}, []ServerID{3, 2}, "server 2"},
		{[]ServerID{1, 2, 3}, []ServerID{1, 2, 4}, ""}, // the last one left, and who came instead may stand there
	} {
		got := ""
		if bad := goesOn(c.round, c.picks, fleet(c.picks...), "an update"); bad != nil {
			got = bad.Expected
		}
		require.Equal(t, c.wants, got, "%v after %v", c.picks, c.round)
	}
}
