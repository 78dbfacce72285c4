package identify

import (
	"fmt"
	"math"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
)

// A menu knows which states tell which laws apart, and at what price.
type menu struct {
	views []oracle.State
	alpha float64
	c     float64
	price map[string]float64
}

func newMenu(fleet []spec.Server, alpha, contamination float64) *menu {
	return &menu{views: views(fleet), alpha: alpha, c: contamination, price: make(map[string]float64)}
}

// cost is the mean number of picks that no test can do without to refute a law
// in a state when another one is true.
func (m *menu) cost(claim, truth oracle.Law, k int) float64 {
	key := fmt.Sprint(claim, " ", truth, " ", k)
	c, known := m.price[key]
	if !known {
		var err error
		if c, err = (oracle.Audit{Claim: claim, Alpha: m.alpha, Contamination: m.c}).LimitPicks(truth, m.views[k:k+1]); err != nil {
			c = math.Inf(1)
		}
		m.price[key] = c
	}
	return c
}

// next is the state in which the law that fits best is told from one of the
// others most cheaply, and how many picks to take there. It is not ok when no
// state tells it from any of them.
func (m *menu) next(best oracle.Law, remaining []oracle.Law) (state oracle.State, picks int, ok bool) {
	cheapest := math.Inf(1)
	for _, l := range remaining {
		if l.String() == best.String() {
			continue
		}
		for k := range m.views {
			if c := m.cost(l, best, k); c < cheapest {
				cheapest, state, ok = c, m.views[k], true
			}
		}
	}
	return state, int(min(max(cheapest, 20), 400)), ok
}
