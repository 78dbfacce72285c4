//go:build !mutants

package oracle

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// SplitAlpha divides a budget of false alarms evenly among n judgements: by the
// union bound all of them together raise a false alarm with probability total at
// most, however they depend on each other. It panics when total is not a
// probability in (0, 1) or n is not positive.
func SplitAlpha(total float64, n int) float64 {
	if !(total > 0 && total < 1) || n < 1 {
		panic(fmt.Sprintf("oracle: SplitAlpha(%v, %d), want a probability in (0, 1) and at least 1 part", total, n))
	}
	return total / float64(n)
}

// Stream derives the seed of a stream of random numbers from the root seed and
// the name of who draws from it. Streams with different names are unrelated, and
// adding one does not change the others.
func Stream(root uint64, name string) uint64 {
	sum := sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, root), name...))
	return binary.BigEndian.Uint64(sum[:])
}
