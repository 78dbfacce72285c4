//go:build !mutants

package policies

// Random picks every eligible server with the same probability.
type Random struct{}

// Pick throws one fair coin over all servers.
func (Random) Pick(_ Request, v View, c Coins) int {
	if v.Len() == 0 {
		return None
	}
	return c.IntN(v.Len())
}
