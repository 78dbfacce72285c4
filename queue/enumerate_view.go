package queue

import "github.com/picklaw/picklaw/policies"

// watched is a view that counts load reads and stops a policy that reads
// beyond its end.
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
	return w.View.Load(i)
}

func (w *watched) Server(i int) policies.Server {
	if uint(i) >= uint(w.n) {
		w.coins.fail(&OutOfRange{Op: "View.Server", Index: i, Len: w.n, Tosses: w.coins.tosses(w.coins.at)})
	}
	return w.View.Server(i)
}
