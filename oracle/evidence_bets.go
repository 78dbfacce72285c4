//go:build !mutants

package oracle

import (
	"math/big"
	"slices"
)

// A moment is what is known before one pick.
type moment struct {
	view  *view
	state State       // with its history
	laws  [][]float64 // of the claim and of each rival
}

// last is the pick before this one.
func (m *moment) last() (pick int, ok bool) {
	if len(m.state.History) == 0 {
		return 0, false
	}
	return m.state.History[len(m.state.History)-1], true
}

// claim is the law that is judged.
func (m *moment) claim() []float64 { return m.laws[0] }

// A bet is one on the next pick.
type bet interface {
	// at is the predicted probability of server i; over all servers it adds up to 1.
	at(m *moment, i int) float64
}

// A predictor is a bet that learns.
type predictor interface {
	bet
	// ready is told of the moment before its pick.
	ready(m *moment)
	// learn is told the pick.
	learn(m *moment, pick int)
}

// bets is a mixture of bets.
type bets struct {
	laws       []Law // the claim, then the rivals
	audit      Audit
	all        []bet
	predictors []predictor // those of them that learn
	byGroup    []float64   // the posterior weight of each bet, by the groups it predicted
	byServer   []float64   // and by servers; the same slice unless groups are judged
}

// The prior puts most of the wealth on the rivals, since the truth is mostly one
// of them, and spreads the rest.
func newBets(candidates []Law, a Audit) *bets {
	b := &bets{laws: candidates, audit: a}
	add := func(share float64, list ...bet) {
		for _, l := range list {
			b.all = append(b.all, l)
			if p, learns := l.(predictor); learns {
				b.predictors = append(b.predictors, p)
			}
			b.byServer = append(b.byServer, share/float64(len(list)))
		}
	}
	var rivals, diluted []bet
	for i := range candidates[1:] {
		rivals = append(rivals, rival{i + 1, 1})
		diluted = append(diluted, rival{i + 1, 0.5}, rival{i + 1, 0.1})
	}
	add(0.6, rivals...)
	add(0.08, diluted...)
	add(0.08, neighbour{0.03}, neighbour{0.1}, neighbour{0.3})
	add(0.08, &frequencies{}, &transitions{})
	add(0.08, newTilt(again), newTilt(successor), newTilt(overdue))
	add(0.08, newOneServer())
	total := 0.0
	for _, w := range b.byServer {
		total += w
	}
	for i := range b.byServer {
		b.byServer[i] /= total // without rivals there is less to share
	}
	b.byGroup = b.byServer
	if a.AnyTie {
		b.byGroup = slices.Clone(b.byServer)
	}
	return b
}

// ready fills in the laws of the moment and prepares the predictors.
func (b *bets) ready(m *moment) error {
	var err error
	if m.laws, err = m.view.probabilities(m.laws[:0], b.laws, m.state); err != nil {
		return err
	}
	for _, p := range b.predictors {
		p.ready(m)
	}
	return nil
}

// of is what every bet gives to a set of servers, in q. All of them know of the
// strays, which have an even chance.
func (b *bets) of(q []float64, m *moment, servers []int) []float64 {
	c := b.audit.Contamination
	stray := c * float64(len(servers)) / float64(len(m.state.Loads))
	q = q[:0]
	for _, l := range b.all {
		sum := 0.0
		for _, i := range servers {
			sum += l.at(m, i)
		}
		q = append(q, (1-c)*sum+stray)
	}
	return q
}

// mixed is what the mixture gives to each of the sets.
func (b *bets) mixed(m *moment, weights []float64, sets [][]int) []float64 {
	q := make([]float64, len(sets))
	var each []float64
	for j, servers := range sets {
		each = b.of(each, m, servers)
		q[j] = dot(weights, each)
	}
	return q
}

func dot(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

// learn tells the pick to the predictors.
func (b *bets) learn(m *moment, pick int) {
	for _, p := range b.predictors {
		p.learn(m, pick)
	}
}

// update moves weights to the bets that gave much to what happened
// (Bayes).
func update(weights, predicted []float64) {
	scale := 1 / dot(weights, predicted)
	for k, q := range predicted {
		weights[k] *= q * scale
		if weights[k] < lost {
			weights[k] = 0
		}
	}
}

// lost is the weight below which a bet is taken out: it could not come back
// within 600 nats, and arithmetic with the smallest numbers is slow.
const lost = 0x1p-900

// prepared is a law in one view.
type prepared struct {
	fixed []float64                     // of a law without memory
	after func(history []int) []float64 // of one that has it
}

// probabilities evaluates laws in the view and appends them to out.
func (v *view) probabilities(out [][]float64, laws []Law, s State) ([][]float64, error) {
	if v.laws == nil {
		for _, l := range laws {
			p, err := prepare(l, s)
			if err != nil {
				return nil, err
			}
			v.laws = append(v.laws, p)
		}
	}
	for i, l := range laws {
		switch p := &v.laws[i]; {
		case p.fixed != nil:
			out = append(out, p.fixed)
		case p.after != nil:
			out = append(out, p.after(s.History))
		default:
			law, err := l.Probabilities(s)
			if err != nil {
				return nil, err
			}
			out = append(out, floats(law))
		}
	}
	return out, nil
}

// prepare evaluates a law of this package as far as it does not depend on the
// history, which would else be validated again at every pick. Nothing is known
// of other laws.
func prepare(l Law, s State) (prepared, error) {
	switch l := l.(type) {
	case interface {
		after(State) (func([]int) []float64, error)
	}:
		after, err := l.after(s)
		return prepared{after: after}, err
	case Random, WeightedRandom, LeastRequest, WeightedLeastRequest, LowestIndex, TwoLightest, PowerOfD, HeavierOfD, EnvoyWeighted:
		law, err := l.Probabilities(s)
		return prepared{fixed: floats(law)}, err
	}
	return prepared{}, nil
}

func floats(p []*big.Rat) []float64 {
	out := make([]float64, len(p))
	for i, x := range p {
		out[i], _ = x.Float64()
	}
	return out
}
