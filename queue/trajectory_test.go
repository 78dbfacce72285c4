package queue

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/picklaw/picklaw/policies"
)

// eighths generates dyadic numbers, whose sums and products with powers of two
// are exact, so that laws of a trajectory hold to the last bit.
func eighths(low, high int) *rapid.Generator[float64] {
	return rapid.Map(rapid.IntRange(8*low, 8*high), func(i int) float64 { return float64(i) / 8 })
}

// anyWorld draws recorded arrivals and work, servers, slots and a view.
func anyWorld(t *rapid.T) World {
	n := rapid.IntRange(1, 5).Draw(t, "servers")
	w := World{
		Servers:     n,
		Speeds:      rapid.SliceOfN(rapid.SampledFrom([]float64{0.5, 1, 2, 4}), n, n).Draw(t, "speeds"),
		Slots:       rapid.IntRange(1, 3).Draw(t, "slots"),
		Capacity:    rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(t, "capacity"),
		Dispatchers: rapid.IntRange(1, 3).Draw(t, "dispatchers"),
		View:        rapid.SampledFrom([]ViewKind{Fresh, Stale, SharedStale, Local}).Draw(t, "view"),
	}
	if w.View == Stale || w.View == SharedStale {
		w.Refresh = rapid.SampledFrom([]float64{0.5, 1, 3}).Draw(t, "refresh")
	}
	if w.View != Local {
		w.Metric = rapid.SampledFrom([]Metric{Count, WorkLeft}).Draw(t, "metric")
	}
	now := 0.0
	for range rapid.IntRange(1, 40).Draw(t, "jobs") {
		now += eighths(0, 2).Draw(t, "gap")
		w.Arrivals = append(recorded(w), now)
	}
	w.Work = RecordedWork(rapid.SliceOfN(eighths(0, 4), 1, 40).Filter(func(w []float64) bool { return slices.Max(w) > 0 }).Draw(t, "work"))
	return w
}

func recorded(w World) RecordedArrivals {
	r, _ := w.Arrivals.(RecordedArrivals)
	return r
}

func anyPolicy(t *rapid.T) func() policies.Policy {
	return rapid.SampledFrom([]func() policies.Policy{
		func() policies.Policy { return policies.Random{} },
		func() policies.Policy { return policies.LeastRequest{} },
		func() policies.Policy { return policies.PowerOfD{D: 2} },
		func() policies.Policy { return policies.PowerOfD{D: 2, Replacement: true} },
		func() policies.Policy { return new(policies.RoundRobin) },
	}).Draw(t, "policy")
}

// trajectory runs a world and returns its jobs.
func trajectory(t require.TestingT, w World, newPolicy func() policies.Policy) (Result, []Job) {
	var jobs []Job
	w.Observe = func(j Job) { jobs = append(jobs, j) }
	got, err := Simulate(w, newPolicy, 1)
	require.NoError(t, err)
	return got, jobs
}

// Whatever the policy sends where, the servers do what textbook servers do with
// the same requests: the same order, the same finish times, the same losses, and
// by Little's law, from empty to empty, the area under the number of jobs in the
// system is the sum of the times that they spend there.
func TestTrajectoryIsThatOfTextbookServers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyWorld(t)
		got, jobs := trajectory(t, w, anyPolicy(t))

		servers := make([]*textbook, w.Servers)
		for i := range servers {
			servers[i] = newTextbook(w.Speeds[i], w.Slots)
		}
		accepted := make([][]Job, w.Servers)
		area, last, lost := 0.0, 0.0, 0
		advance := func(until float64) { // event by event, so that the number in system is constant between
			for {
				next, inSystem := until, 0
				for _, s := range servers {
					inSystem += s.inSystem()
					for i, job := range s.serving {
						if job >= 0 {
							next = min(next, s.ends[i])
						}
					}
				}
				if math.IsInf(next, 1) {
					return
				}
				area += float64(inSystem) * (next - last)
				last = next
				for _, s := range servers {
					s.run(next)
				}
				if next == until {
					return
				}
			}
		}
		for k, j := range jobs {
			assert.Equal(t, k+1, j.Number)
			assert.Equal(t, recorded(w)[k], j.Arrival)
			advance(j.Arrival)
			s := servers[j.Server]
			assert.Equal(t, s.inSystem(), j.InSystemBefore)
			assert.Equal(t, w.Capacity > 0 && s.inSystem() >= w.Capacity, j.Lost)
			if j.Lost {
				lost++
				continue
			}
			s.arrive(j.Arrival, j.Work)
			accepted[j.Server] = append(accepted[j.Server], j)
		}
		end := recorded(w)[len(recorded(w))-1]
		advance(end) // a job without work has ended as it came
		for i, s := range servers {
			assert.Equal(t, s.inSystem(), got.Final[i], "jobs at server %d at the end", i)
		}
		advance(math.Inf(1))
		times, inSystem := 0.0, 0
		for i, jobs := range accepted {
			for k, j := range jobs {
				assert.Equal(t, servers[i].finish[k], j.Finish)
				assert.Equal(t, j.Start+j.Work/w.Speeds[i], j.Finish)
				if k > 0 {
					assert.GreaterOrEqual(t, j.Start, jobs[k-1].Start, "first come, first served")
				}
				times += j.Finish - j.Arrival
				if j.Finish > end {
					inSystem++
				}
			}
		}
		assert.Equal(t, times, area, "Little's law")
		all := 0
		for i, n := range got.Final {
			inSystem -= n
			all += got.Sent[i]
		}
		assert.Zero(t, inSystem, "arrivals = departures + in system + lost")
		assert.Equal(t, len(jobs), all)
	})
}

// Twice as slow a clock makes everything take twice as long and changes no pick.
func TestScalingTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, newPolicy := anyWorld(t), anyPolicy(t)
		_, jobs := trajectory(t, w, newPolicy)
		double := func(xs []float64) []float64 {
			out := slices.Clone(xs)
			for i := range out {
				out[i] *= 2
			}
			return out
		}
		w.Arrivals, w.Work, w.Refresh = RecordedArrivals(double(recorded(w))), RecordedWork(double(w.Work.(RecordedWork))), 2*w.Refresh
		_, slow := trajectory(t, w, newPolicy)
		for k := range jobs {
			j := &jobs[k]
			for _, x := range []*float64{&j.Arrival, &j.Work, &j.Start, &j.Finish} {
				*x *= 2
			}
		}
		assert.Equal(t, jobs, slow)
	})
}

// renamed shows a policy the servers in another order and translates back.
type renamed struct {
	policies.Policy
	to []int // server to[i] of the world is server i of the policy
}

type renamedView struct {
	policies.View
	to []int
}

func (v renamedView) Load(i int) (float64, bool) { return v.View.Load(v.to[i]) }

func (p renamed) Pick(q policies.Request, v policies.View, c policies.Coins) int {
	return p.to[p.Policy.Pick(q, renamedView{v, p.to}, c)]
}

// Servers have no place: permuting them together with the policy permutes the
// trajectory.
func TestPermutingServersWithThePolicy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, newPolicy := anyWorld(t), anyPolicy(t)
		_, jobs := trajectory(t, w, newPolicy)
		to := rapid.Permutation(indices(w.Servers)).Draw(t, "to")
		speeds := slices.Clone(w.Speeds)
		for i := range to {
			w.Speeds = slices.Clone(w.Speeds)
			w.Speeds[to[i]] = speeds[i]
		}
		_, moved := trajectory(t, w, func() policies.Policy { return renamed{newPolicy(), to} })
		for k := range jobs {
			jobs[k].Server = to[jobs[k].Server]
		}
		assert.Equal(t, jobs, moved)
	})
}

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// assigned is a policy that has decided everything before.
type assigned struct{ to []int }

func (a *assigned) Pick(policies.Request, policies.View, policies.Coins) int {
	i := a.to[0]
	a.to = a.to[1:]
	return i
}

// With the assignment fixed, faster servers finish every job no later. Division,
// addition and maximum are monotone after rounding too, so no tolerance.
func TestFasterServersFinishNoLater(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyWorld(t)
		w.Capacity = 0 // losses would change the assignment
		to := rapid.SliceOfN(rapid.IntRange(0, w.Servers-1), len(recorded(w)), len(recorded(w))).Draw(t, "to")
		policy := func() policies.Policy { return &assigned{to} }
		w.Dispatchers = 1
		_, slow := trajectory(t, w, policy)
		speeds := slices.Clone(w.Speeds)
		for i := range speeds {
			speeds[i] *= rapid.Float64Range(1, 3).Draw(t, "factor")
		}
		w.Speeds = speeds
		_, fast := trajectory(t, w, policy)
		for k := range slow {
			assert.LessOrEqual(t, fast[k].Finish, slow[k].Finish)
		}
	})
}

// The results of replications do not depend on the cores, and each is that of
// its seed alone.
func TestReplicationsAreInOrder(t *testing.T) {
	w := World{Servers: 5, Rho: 0.8, Horizon: 50, Quantiles: true, ProbeEvery: 3}
	policy := func() policies.Policy { return policies.PowerOfD{D: 2} }
	seeds := []uint64{5, 1, 9, 1}
	got, err := Replicate(w, policy, seeds)
	require.NoError(t, err)
	for i, seed := range seeds {
		want, err := Simulate(w, policy, seed)
		require.NoError(t, err)
		assert.Equal(t, want, got[i])
	}
	assert.NotEqual(t, got[0], got[1])
	w.Rho = 2
	_, err = Replicate(w, policy, seeds)
	assert.Error(t, err)
}
