//go:build !mutants

package policies

import "math"

// heaviness is the load of server i as policies compare it: a server whose
// load is unknown loses to every server whose load is known.
func heaviness(v View, i int) float64 {
	if load, known := v.Load(i); known {
		return load
	}
	return math.Inf(1)
}
