package oracle

import "math/big"

// A moment is what is known before one pick.
type moment struct {
	view  *view
	state State       // with its history
	laws  [][]float64 // of the claim and of each rival
	q     [][]float64 // what each bet predicts
	bet   []float64   // the mixture, weighted by how well groups were predicted
	fit   []float64   // the mixture, weighted by how well servers were predicted
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

// A predictor bets on the next pick.
type predictor interface {
	// predict fills q with probabilities that add up to 1.
	predict(m *moment, q []float64)
	// learn is told the pick after predict.
	learn(m *moment, pick int)
}

// bets is a mixture of predictors.
type bets struct {
	laws       []Law // the claim, then the rivals
	audit      Audit
	predictors []predictor
	byGroup    []float64 // the posterior weight of each, by the groups it predicted
	byServer   []float64 // and by servers; the same slice when groups are servers
	q          [][]float64
}

// The prior puts half of the wealth on the rivals, since the truth is mostly one
// of them, and spreads the rest.
func newBets(candidates []Law, a Audit) *bets {
	b := &bets{laws: candidates, audit: a}
	add := func(share float64, predictors ...predictor) {
		for _, p := range predictors {
			b.predictors = append(b.predictors, p)
			b.byServer = append(b.byServer, share/float64(len(predictors)))
		}
	}
	var rivals, diluted []predictor
	for i := range candidates[1:] {
		rivals = append(rivals, rival{i + 1, 1})
		diluted = append(diluted, rival{i + 1, 0.5}, rival{i + 1, 0.1})
	}
	add(0.5, rivals...)
	add(0.1, diluted...)
	add(0.1, neighbour{0.03}, neighbour{0.1}, neighbour{0.3})
	add(0.1, frequencies{}, transitions{})
	add(0.1, newTilt(again), newTilt(successor), newTilt(overdue))
	add(0.1, oneServer{make(map[*view][]float64)})
	total := 0.0
	for _, w := range b.byServer {
		total += w
	}
	for i := range b.byServer {
		b.byServer[i] /= total // without rivals there is less to share
	}
	b.byGroup = b.byServer
	if a.AnyTie {
		b.byGroup = append([]float64(nil), b.byServer...)
	}
	return b
}

// predict fills in the laws and bets of the moment.
func (b *bets) predict(m *moment) error {
	var err error
	if m.laws, err = m.view.probabilities(b.laws, m.state); err != nil {
		return err
	}
	n := len(m.state.Loads)
	if b.q == nil || len(b.q[0]) != n {
		b.q = make([][]float64, len(b.predictors))
		for k := range b.q {
			b.q[k] = make([]float64, n)
		}
	}
	m.q = b.q
	// Every bet knows of the strays: to them it gives an even chance.
	c := b.audit.Contamination
	for k, p := range b.predictors {
		p.predict(m, m.q[k])
		for i := range m.q[k] {
			m.q[k][i] = (1-c)*m.q[k][i] + c/float64(n)
		}
	}
	m.fit = mix(b.byServer, m.q)
	m.bet = m.fit
	if b.audit.AnyTie {
		m.bet = mix(b.byGroup, m.q)
	}
	return nil
}

// mix averages predictions.
func mix(weights []float64, q [][]float64) []float64 {
	mixed := make([]float64, len(q[0]))
	for k, w := range weights {
		if w == 0 {
			continue
		}
		for i, x := range q[k] {
			mixed[i] += w * x
		}
	}
	return mixed
}

// learn moves the weights to the bets that predicted the pick (Bayes), and
// tells the predictors. A weight that underflows stays 0: that bet has lost.
func (b *bets) learn(m *moment, pick int) {
	if b.audit.AnyTie {
		group := m.view.groupOf[pick]
		whole := m.view.sum(m.bet, group)
		for k := range b.byGroup {
			b.byGroup[k] *= m.view.sum(m.q[k], group) / whole
		}
	}
	for k := range b.byServer {
		b.byServer[k] *= m.q[k][pick] / m.fit[pick]
	}
	for _, p := range b.predictors {
		p.learn(m, pick)
	}
}

// probabilities evaluates laws in the view; laws without memory only once.
func (v *view) probabilities(laws []Law, s State) ([][]float64, error) {
	if v.laws == nil {
		v.laws = make([][]float64, len(laws))
	}
	out := make([][]float64, len(laws))
	for i, l := range laws {
		if v.laws[i] != nil {
			out[i] = v.laws[i]
			continue
		}
		p, err := l.Probabilities(s)
		if err != nil {
			return nil, err
		}
		out[i] = floats(p)
		if forgetful(l) {
			v.laws[i] = out[i]
		}
	}
	return out, nil
}

// forgetful tells which laws are known to ignore the history.
func forgetful(l Law) bool {
	switch l.(type) {
	case Random, WeightedRandom, LeastRequest, LowestIndex, TwoLightest, PowerOfD, HeavierOfD:
		return true
	}
	return false
}

func floats(p []*big.Rat) []float64 {
	out := make([]float64, len(p))
	for i, x := range p {
		out[i], _ = x.Float64()
	}
	return out
}
