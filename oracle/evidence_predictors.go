package oracle

import "slices"

// rival bets on a known law, or on a balancer that follows it now and then and
// keeps its claim otherwise.
type rival struct {
	law  int     // index into moment.laws
	part float64 // how often it follows that law
}

func (r rival) at(m *moment, i int) float64 {
	return (1-r.part)*m.claim()[i] + r.part*m.laws[r.law][i]
}

// neighbour bets that a part of what each server should get leaks to the next.
type neighbour struct{ part float64 }

func (l neighbour) at(m *moment, i int) float64 {
	p := m.claim()
	return (1-l.part)*p[i] + l.part*p[(i+len(p)-1)%len(p)]
}

// frequencies bets on the picks that this view has seen, one half added to each
// count (Krichevsky and Trofimov 1981, the predictive of Dirichlet(1/2)). What
// the claim forbids shares one half in all: a fleet of forbidden servers should
// not make the bet slow to learn. It can be wrong about nothing for ever, and
// pays about (k-1)/2·ln t nats for that.
type frequencies struct{ dirichlet }

func (f *frequencies) ready(m *moment) { f.count(m, m.view.counts, m.view.picks) }

// transitions is frequencies after the same pick: a Markov chain of order 1.
type transitions struct{ dirichlet }

func (f *transitions) ready(m *moment) {
	last, ok := m.last()
	if !ok {
		f.sum = 0
		return
	}
	if r, seen := m.view.after[last]; seen {
		f.count(m, r.counts, *r.total)
	} else {
		f.count(m, nil, 0)
	}
}

// dirichlet predicts by counts. With a sum of 0 it knows nothing and follows the
// claim.
type dirichlet struct {
	counts    []int // nil for none
	sum       float64
	forbidden float64 // the prior of a server that the claim forbids
}

func (d *dirichlet) count(m *moment, counts []int, total int) {
	allowed := possible(m.claim())
	d.counts = counts
	d.sum = float64(total) + float64(allowed)/2
	if n := len(m.claim()); n > allowed {
		d.sum += 0.5
		d.forbidden = 0.5 / float64(n-allowed)
	}
}

func (d *dirichlet) at(m *moment, i int) float64 {
	if d.sum == 0 {
		return m.claim()[i]
	}
	x := 0.5
	if m.claim()[i] == 0 {
		x = d.forbidden
	}
	if d.counts != nil {
		x += float64(d.counts[i])
	}
	return x / d.sum
}

func (*dirichlet) learn(*moment, int) {}

// tilt bets that a set of servers, which moves with the history, is hit more or
// less often than claimed. How often is learnt with one half added to hits and
// misses; within the set and outside of it the claim stands.
type tilt struct {
	set   func(m *moment, in []bool)
	seen  map[*view]*hits
	in    []bool
	bets  bool       // there is something to bet on
	scale [2]float64 // what the claim is multiplied with outside and inside
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

func (t *tilt) ready(m *moment) {
	if len(t.in) != len(m.claim()) {
		t.in = make([]bool, len(m.claim()))
	}
	clear(t.in)
	t.set(m, t.in)
	inside, outside := 0.0, 0.0
	for i, p := range m.claim() {
		if t.in[i] {
			inside += p
		} else {
			outside += p
		}
	}
	t.bets, t.scale = inside > 0 && outside > 0, [2]float64{1, 1}
	if t.bets {
		h := t.hits(m.view)
		part := (float64(h.hit) + 0.5) / float64(h.trials+1)
		t.scale = [2]float64{(1 - part) / outside, part / inside}
	}
}

func (t *tilt) at(m *moment, i int) float64 {
	if t.in[i] {
		return m.claim()[i] * t.scale[1]
	}
	return m.claim()[i] * t.scale[0]
}

func (t *tilt) hits(v *view) *hits {
	h, ok := t.seen[v]
	if !ok {
		h = new(hits)
		t.seen[v] = h
	}
	return h
}

func (t *tilt) learn(m *moment, pick int) {
	if !t.bets {
		return
	}
	h := t.hits(m.view)
	h.trials++
	if t.in[pick] {
		h.hit++
	}
}

// oneServer bets that a single server, any of them, gets more or less than its
// due. It is a mixture, in each view, of a tilt for each server.
type oneServer struct {
	weights   map[*view][]float64
	w         []float64 // of this view
	elsewhere float64   // what all tilts together multiply the claim with, were no server special
}

func newOneServer() *oneServer { return &oneServer{weights: make(map[*view][]float64)} }

// scale is what the tilt of server i multiplies its claimed probability with,
// and that of all others. They are 1 where the claim is certain.
func (*oneServer) scale(m *moment, i int) (there, elsewhere float64) {
	p := m.claim()[i]
	if !(p > 0 && p < 1) {
		return 1, 1
	}
	part := (float64(m.view.counts[i]) + 0.5) / float64(m.view.picks+1)
	return part / p, (1 - part) / (1 - p)
}

func (o *oneServer) ready(m *moment) {
	w, ok := o.weights[m.view]
	if !ok {
		w = slices.Repeat([]float64{1 / float64(len(m.claim()))}, len(m.claim()))
		o.weights[m.view] = w
	}
	o.w, o.elsewhere = w, 0
	for j := range w {
		_, elsewhere := o.scale(m, j)
		o.elsewhere += w[j] * elsewhere
	}
}

func (o *oneServer) at(m *moment, i int) float64 {
	there, elsewhere := o.scale(m, i)
	return m.claim()[i] * max(0, o.elsewhere+o.w[i]*(there-elsewhere)) // rounding could leave -1e-17
}

func (o *oneServer) learn(m *moment, pick int) {
	sum := 0.0
	for j := range o.w {
		there, elsewhere := o.scale(m, j)
		if j == pick {
			o.w[j] *= there
		} else {
			o.w[j] *= elsewhere
		}
		sum += o.w[j]
	}
	for j := range o.w {
		o.w[j] /= sum
	}
}
