//go:build !mutants

package policies

// PowerOfD draws D servers and picks the least loaded of them. D = 2 is the
// power of two choices (Mitzenmacher 1996; Vvedenskaya, Dobrushin and
// Karpelevich 1996).
//
// The drawn servers are distinct, all of them when D exceeds the fleet; with
// Replacement each draw is over the whole fleet again, which is another law.
// The first drawn wins a tie: the order of the draws is exchangeable, so ties
// are fair. At most D loads are read.
type PowerOfD struct {
	D           int // at least 1
	Replacement bool
}

// Pick compares the loads of the drawn servers.
func (p PowerOfD) Pick(_ Request, v View, c Coins) int {
	return p.lightest(v, c, heaviness)
}

// lightest draws the servers one by one and keeps the one with the smallest
// score so far.
func (p PowerOfD) lightest(v View, c Coins, score func(View, int) float64) int {
	if p.D < 1 {
		panic(p.Check())
	}
	n := v.Len()
	if n == 0 {
		return None
	}
	if !p.Replacement && p.D >= n { // every server is drawn, in whichever order
		return LeastRequest{}.lightest(v, c, score)
	}
	var room [8]int
	drawn := room[:0] // ascending
	best, least := None, 0.0
	for range p.D {
		var i int
		if p.Replacement {
			i = c.IntN(n)
		} else {
			i, drawn = another(c, n, drawn)
		}
		if s := score(v, i); best == None || s < least {
			best, least = i, s
		}
	}
	return best
}

// Check says what is wrong with D.
func (p PowerOfD) Check() error { return checkD("PowerOfD.D", p.D, 1) }

// another draws one of the n servers that are not in drawn, all equally likely,
// and returns it with drawn, which it keeps in ascending order.
func another(c Coins, n int, drawn []int) (int, []int) {
	i, at := c.IntN(n-len(drawn)), 0
	for at < len(drawn) && drawn[at] <= i {
		i++
		at++
	}
	drawn = append(drawn, i)
	copy(drawn[at+1:], drawn[at:])
	drawn[at] = i
	return i, drawn
}
