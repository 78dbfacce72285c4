package oracle

import "slices"

// rival bets on a known law, or on a balancer that follows it now and then and
// keeps its claim otherwise.
type rival struct {
	law  int     // index into moment.laws
	part float64 // how often it follows that law
}

func (r rival) predict(m *moment, q []float64) {
	for i, p := range m.claim() {
		q[i] = (1-r.part)*p + r.part*m.laws[r.law][i]
	}
}

func (rival) learn(*moment, int) {}

// neighbour bets that a part of what each server should get leaks to the next.
type neighbour struct{ part float64 }

func (l neighbour) predict(m *moment, q []float64) {
	p := m.claim()
	for i := range p {
		q[i] = (1-l.part)*p[i] + l.part*p[(i+len(p)-1)%len(p)]
	}
}

func (neighbour) learn(*moment, int) {}

// frequencies bets on the picks that this view has seen, one half added to each
// count (Krichevsky and Trofimov 1981, the predictive of Dirichlet(1/2)). What
// the claim forbids shares one half in all: a fleet of forbidden servers should
// not make the bet slow to learn. It can be wrong about nothing for ever, and
// pays about (k-1)/2·ln t nats for that.
type frequencies struct{}

func (frequencies) predict(m *moment, q []float64) { counted(m, m.view.counts, m.view.picks, q) }

func (frequencies) learn(*moment, int) {}

// transitions is frequencies after the same pick: a Markov chain of order 1.
type transitions struct{}

func (transitions) predict(m *moment, q []float64) {
	last, ok := m.last()
	if !ok {
		copy(q, m.claim())
		return
	}
	r, seen := m.view.after[last]
	if !seen {
		counted(m, nil, 0, q)
		return
	}
	counted(m, r.counts, *r.total, q)
}

func (transitions) learn(*moment, int) {}

// counted is the Dirichlet predictive of counts that add up to total.
func counted(m *moment, counts []int, total int, q []float64) {
	allowed := 0
	for _, p := range m.claim() {
		if p > 0 {
			allowed++
		}
	}
	forbidden := len(q) - allowed
	sum := float64(total) + float64(allowed)/2
	if forbidden > 0 {
		sum += 0.5
	}
	for i, p := range m.claim() {
		prior := 0.5
		if p == 0 {
			prior /= float64(forbidden)
		}
		q[i] = prior / sum
		if counts != nil {
			q[i] += float64(counts[i]) / sum
		}
	}
}

// tilt bets that a set of servers, which moves with the history, is hit more or
// less often than claimed. How often is learnt with one half added to hits and
// misses; within the set and outside of it the claim stands.
type tilt struct {
	set  func(m *moment, in []bool)
	seen map[*view]*hits
	in   []bool
}

type hits struct{ hit, trials int }

func newTilt(set func(*moment, []bool)) *tilt {
	return &tilt{set: set, seen: make(map[*view]*hits)}
}

// again is the last pick, successor the one after it in cyclic order.
func again(m *moment, in []bool) {
	if last, ok := m.last(); ok {
		in[last] = true
	}
}

func successor(m *moment, in []bool) {
	if last, ok := m.last(); ok {
		in[(last+1)%len(in)] = true
	}
}

// overdue holds the servers that are furthest behind what the claim would have
// given them in this view: what comes next in a round, in whatever order the
// rounds go.
func overdue(m *moment, in []bool) {
	behind := func(i int) float64 { return float64(m.view.picks)*m.claim()[i] - float64(m.view.counts[i]) }
	most := behind(0)
	for i := range in {
		most = max(most, behind(i))
	}
	for i := range in {
		in[i] = behind(i) == most
	}
}

func (t *tilt) predict(m *moment, q []float64) {
	t.in = append(t.in[:0], make([]bool, len(q))...)
	t.set(m, t.in)
	copy(q, m.claim())
	inside, outside := 0.0, 0.0
	for i, p := range q {
		if t.in[i] {
			inside += p
		} else {
			outside += p
		}
	}
	if inside == 0 || outside == 0 {
		clear(t.in) // nothing to bet on
		return
	}
	h := t.at(m.view)
	part := (float64(h.hit) + 0.5) / float64(h.trials+1)
	for i := range q {
		if t.in[i] {
			q[i] *= part / inside
		} else {
			q[i] *= (1 - part) / outside
		}
	}
}

func (t *tilt) at(v *view) *hits {
	h, ok := t.seen[v]
	if !ok {
		h = new(hits)
		t.seen[v] = h
	}
	return h
}

func (t *tilt) learn(m *moment, pick int) {
	if !slices.Contains(t.in, true) {
		return
	}
	h := t.at(m.view)
	h.trials++
	if t.in[pick] {
		h.hit++
	}
}

// oneServer bets that a single server, any of them, gets more or less than its
// due. It is a mixture, in each view, of a tilt for each server.
type oneServer struct{ weights map[*view][]float64 }

// part is the predicted probability of server i under its own tilt, given its
// claimed one; ok is false when the claim is certain and there is nothing to tilt.
func (o oneServer) part(m *moment, i int) (part float64, ok bool) {
	if p := m.claim()[i]; !(p > 0 && p < 1) {
		return p, false
	}
	return (float64(m.view.counts[i]) + 0.5) / float64(m.view.picks+1), true
}

func (o oneServer) predict(m *moment, q []float64) {
	w, ok := o.weights[m.view]
	if !ok {
		w = make([]float64, len(q))
		for i := range w {
			w[i] = 1 / float64(len(w))
		}
		o.weights[m.view] = w
	}
	// Under the tilt of j, server i ≠ j has p(i)·(1-part(j))/(1-p(j)).
	p, elsewhere := m.claim(), 0.0
	for j := range p {
		if part, ok := o.part(m, j); ok {
			elsewhere += w[j] * (1 - part) / (1 - p[j])
		} else {
			elsewhere += w[j]
		}
	}
	for i := range p {
		q[i] = p[i] * elsewhere
		if part, ok := o.part(m, i); ok {
			q[i] += w[i] * (part - p[i]*(1-part)/(1-p[i]))
		}
	}
}

func (o oneServer) learn(m *moment, pick int) {
	w, p, sum := o.weights[m.view], m.claim(), 0.0
	for j := range w {
		if part, ok := o.part(m, j); ok {
			if j == pick {
				w[j] *= part / p[j]
			} else {
				w[j] *= (1 - part) / (1 - p[j])
			}
		}
		sum += w[j]
	}
	for j := range w {
		w[j] /= sum
	}
}
