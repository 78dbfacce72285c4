package queue

import (
	"math"

	"github.com/picklaw/picklaw/policies"
)

// watched is a view that counts load reads, stops a policy that reads beyond its
// end, and stops at a load that no view may show.
type watched struct {
	policies.View
	n     int
	reads int
	coins *tree
}

func (w *watched) Len() int { return w.n }

func (w *watched) Load(i int) (load float64, known bool) {
	w.reads++
	if uint(i) >= uint(w.n) {
		w.coins.fail(&OutOfRange{Op: "View.Load", Index: i, Len: w.n, Tosses: w.coins.tosses(w.coins.at)})
	}
	load, known = w.View.Load(i)
	if known && (math.IsNaN(load) || math.IsInf(load, 0) || load < 0) {
		w.coins.fail(&BadLoad{Index: i, Server: w.View.Server(i), Load: load})
	}
	return load, known
}

func (w *watched) Server(i int) policies.Server {
	if uint(i) >= uint(w.n) {
		w.coins.fail(&OutOfRange{Op: "View.Server", Index: i, Len: w.n, Tosses: w.coins.tosses(w.coins.at)})
	}
	return w.View.Server(i)
}
