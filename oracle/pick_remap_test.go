package oracle

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
)

// A hash modulo the fleet, over all remainders: servers are known by name, and
// when one leaves the later ones move up.
func TestRemapOfHashModByCounting(t *testing.T) {
	for n := 1; n <= 7; n++ {
		r := Remap{Scheme: "hash-mod", N: n}
		moved := 0
		for h := range n * (n + 1) {
			if h%n != h%(n+1) {
				moved++
			}
		}
		require.Equal(t, big.NewRat(int64(moved), int64(n*(n+1))).RatString(), r.Join().RatString())
		for gone := range n {
			if n == 1 {
				require.Equal(t, "1", r.Leave().RatString())
				continue
			}
			moved = 0
			for h := range n * (n - 1) {
				after := h % (n - 1)
				if after >= gone {
					after++
				}
				if h%n != after {
					moved++
				}
			}
			require.Equal(t, big.NewRat(int64(moved), int64(n*(n-1))).RatString(), r.Leave().RatString())
		}
	}
}

// A ring with two points each, over all orders of the points clockwise from the
// key: it moves when the first point changes its owner.
func TestRemapOfARingByCounting(t *testing.T) {
	for n := 1; n <= 3; n++ {
		points := 2 * (n + 1) // the newcomer is server n
		joined, left, orders := int64(0), int64(0), int64(0)
		first := func(order []int, without int) int {
			for _, point := range order {
				if point/2 != without {
					return point / 2
				}
			}
			return -1
		}
		tuples(points, points, false, func(order []int) {
			orders++
			before := first(order, n)
			if first(order, -1) != before {
				joined++
			}
			// Server 0 leaves the fleet without the newcomer.
			rest := make([]int, 0, points)
			for _, p := range order {
				if p/2 != n {
					rest = append(rest, p)
				}
			}
			if first(rest, 0) != before {
				left++
			}
		})
		r := Remap{Scheme: "ring", N: n}
		require.Equal(t, big.NewRat(joined, orders).RatString(), r.Join().RatString())
		require.Equal(t, big.NewRat(left, orders).RatString(), r.Leave().RatString())
		require.Equal(t, r.Join(), Remap{Scheme: "rendezvous", N: n}.Join())
		require.Equal(t, r.Leave(), Remap{Scheme: "rendezvous", N: n}.Leave())
	}
}
