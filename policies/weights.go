package policies

// weightsOf lists the weights of a view.
func weightsOf(v View) []uint64 {
	weights := make([]uint64, v.Len())
	for i := range weights {
		weights[i] = v.Server(i).Weight
	}
	return weights
}

// sum adds weights up. They are below 2^32, so a fleet of 2^32 servers fits.
func sum(weights []uint64) uint64 {
	total := uint64(0)
	for _, w := range weights {
		total += w
	}
	return total
}

// gcd is the greatest common divisor of weights, 0 when all are 0.
func gcd(weights []uint64) uint64 {
	g := uint64(0)
	for _, w := range weights {
		for w > 0 {
			g, w = w, g%w
		}
	}
	return g
}
