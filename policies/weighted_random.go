//go:build !mutants

package policies

// WeightedRandom picks each eligible server with a probability in proportion to
// its weight.
type WeightedRandom struct {
	weights []uint64 // room for one pick
}

// Pick throws one weighted coin over all servers.
func (w *WeightedRandom) Pick(_ Request, v View, c Coins) int {
	if v.Len() == 0 {
		return None
	}
	w.weights = w.weights[:0]
	for i := range v.Len() {
		w.weights = append(w.weights, v.Server(i).Weight)
	}
	return c.Weighted(w.weights)
}

// Clone returns an independent copy.
func (w *WeightedRandom) Clone() Policy { return &WeightedRandom{} }

// State is empty: a pick leaves no trace.
func (w *WeightedRandom) State() string { return "" }
