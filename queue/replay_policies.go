package queue

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/picklaw/picklaw/policies"
)

// The published experiments drew their coins in ways that the reference
// policies do not. The variants here follow the same rules and make the same
// draws as those experiments; where the reference draws alike, a replay runs
// the reference.

// zeroCoins are coins that always show 0: a rotation starts at server 0.
type zeroCoins struct{}

func (zeroCoins) IntN(int) int          { return 0 }
func (zeroCoins) Weighted([]uint64) int { return 0 }

// withoutCoins is a policy that does not touch the coins of the replay.
type withoutCoins struct{ policies.Policy }

func (p withoutCoins) Pick(q policies.Request, v policies.View, _ policies.Coins) int {
	return p.Policy.Pick(q, v, zeroCoins{})
}

// Update passes the fleet on.
func (p withoutCoins) Update(all []policies.Server) { policies.Join(p.Policy, all) }

// replayLoad is the score of a replayed policy that compares loads.
func replayLoad(v policies.View, i int) float64 {
	load, _ := v.Load(i)
	return load
}

// replayScan picks the first minimum of the whole fleet.
type replayScan struct {
	score func(policies.View, int) float64
}

func (p replayScan) Pick(_ policies.Request, v policies.View, _ policies.Coins) int {
	best, least := 0, p.score(v, 0)
	for i := 1; i < v.Len(); i++ {
		if s := p.score(v, i); s < least {
			best, least = i, s
		}
	}
	return best
}

// replaySample picks the first minimum, in the order of the sample, of
// random.sample(range(n), min(d, n)).
type replaySample struct {
	d     int
	score func(policies.View, int) float64
	tell  func(drawn []int, picked int) // nil, or told of every pick
	drawn []int
}

func (p *replaySample) Pick(_ policies.Request, v policies.View, c policies.Coins) int {
	p.drawn = c.(*python).sample(p.drawn[:0], v.Len(), min(p.d, v.Len()))
	best, least := p.drawn[0], p.score(v, p.drawn[0])
	for _, i := range p.drawn[1:] {
		if s := p.score(v, i); s < least {
			best, least = i, s
		}
	}
	if p.tell != nil {
		p.tell(p.drawn, best)
	}
	return best
}

// replayLearner learns as the reference does, and picks as a replayScan or
// replaySample over its score.
type replayLearner struct {
	rule interface {
		policies.Learner
		policies.Scorer
	}
	latency policies.Latency // the rule itself, or what it builds on
	pick    policies.Policy
}

func (p replayLearner) Pick(q policies.Request, v policies.View, c policies.Coins) int {
	return p.pick.Pick(q, v, c)
}

func (p replayLearner) Observe(id policies.ServerID, o policies.Outcome) { p.rule.Observe(id, o) }

// Estimate is the latency expected of a server, in seconds.
func (p replayLearner) Estimate(id policies.ServerID, now time.Duration) float64 {
	return p.latency.Estimate(id, now)
}

// replayTickPolicy makes a policy that draws what the published experiments with
// latencies and errors drew, over d servers (0: all of them, in order).
func replayTickPolicy(rule string, d int, e *policies.EWMA) policies.Policy {
	first := func(score func(policies.View, int) float64) policies.Policy {
		if d == 0 {
			return replayScan{score}
		}
		return &replaySample{d: d, score: score}
	}
	switch rule {
	case "round-robin":
		return withoutCoins{new(policies.RoundRobin)}
	case "smooth-weighted":
		return withoutCoins{new(policies.SmoothWeighted)}
	case "least-request":
		return first(replayLoad)
	case "peak-ewma":
		return replayLearner{e, e, first(e.Score)}
	case "ewma-over-success":
		o := &policies.OverSuccess{Latency: e}
		return replayLearner{o, e, first(o.Score)}
	}
	return nil
}

// ReplayPolicy makes policies that draw what the published queueing experiments
// drew, by the spelling of their law, for worlds on CPython's stream: random,
// round-robin, least-request, lowest-index, power-of-d:D and
// power-of-d:D:replacement.
func ReplayPolicy(law string) (func() policies.Policy, error) {
	switch law {
	case "random":
		return func() policies.Policy { return policies.Random{} }, nil
	case "round-robin":
		return func() policies.Policy { return withoutCoins{new(policies.RoundRobin)} }, nil
	case "least-request":
		return func() policies.Policy { return policies.LeastRequest{} }, nil
	case "lowest-index":
		return func() policies.Policy { return replayScan{replayLoad} }, nil
	}
	text, power := strings.CutPrefix(law, "power-of-d:")
	text, replacement := strings.CutSuffix(text, ":replacement")
	d, err := strconv.Atoi(text)
	switch {
	case !power || err != nil || d < 1:
		return nil, fmt.Errorf("queue: no replay of policy %q, want random, round-robin, least-request, lowest-index, power-of-d:D or power-of-d:D:replacement", law)
	case replacement:
		return func() policies.Policy { return policies.PowerOfD{D: d, Replacement: true} }, nil
	}
	return func() policies.Policy { return &replaySample{d: d, score: replayLoad} }, nil
}
