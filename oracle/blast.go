package oracle

import (
	"fmt"
	"math/big"
)

// Blast is the blast radius of one server among N that looks better than all
// others although it is not, such as one that fails fast: the share of the
// traffic that it draws from a policy that compares D choices. It is exact, and
// an upper bound for a server that is preferred only sometimes.
type Blast struct {
	D           int // choices, 1 to 10,000
	N           int // servers, 1 to 1,000,000
	Replacement bool
}

// Validate says which parameter is out of range.
func (b Blast) Validate() error {
	if err := validRange("number of choices d", b.D, 1, 10_000); err != nil {
		return err
	}
	return validRange("number of servers n", b.N, 1, 1_000_000)
}

// Share is the probability that the server is among the choices: min(d, n)/n, or
// 1-(1-1/n)^d with replacement.
func (b Blast) Share() *big.Rat {
	must(b)
	n := int64(b.N)
	if !b.Replacement {
		return big.NewRat(int64(min(b.D, b.N)), n)
	}
	missed := new(big.Int).Exp(big.NewInt(n-1), big.NewInt(int64(b.D)), nil)
	all := new(big.Int).Exp(big.NewInt(n), big.NewInt(int64(b.D)), nil)
	return new(big.Rat).SetFrac(missed.Sub(all, missed), all)
}

// ViralKey is one key with a Share of all requests in a fleet of N servers, under
// a policy that maps each key to one server and spreads all other keys evenly.
type ViralKey struct {
	Share *big.Rat // 0 to 1
	N     int      // servers, 1 to 1,000,000,000
}

// Validate says which parameter is out of range.
func (v ViralKey) Validate() error {
	if v.Share == nil || v.Share.Sign() < 0 || v.Share.Cmp(big.NewRat(1, 1)) > 0 {
		return fmt.Errorf("share of the key is %v, want 0 to 1", v.Share)
	}
	return validRange("number of servers n", v.N, 1, 1_000_000_000)
}

// Server is the expected share of all requests at the server of the key,
// p + (1-p)/n.
func (v ViralKey) Server() *big.Rat {
	must(v)
	rest := new(big.Rat).Sub(big.NewRat(1, 1), v.Share)
	rest.Mul(rest, big.NewRat(1, int64(v.N)))
	return rest.Add(rest, v.Share)
}

// Capacity is the utilization of the fleet at which that server is fully busy,
// 1/(n·Server): adding servers hardly helps once n exceeds 1/p.
func (v ViralKey) Capacity() *big.Rat {
	x := v.Server()
	return x.Inv(x.Mul(x, big.NewRat(int64(v.N), 1)))
}

// LatencyBoundary is one failing server among N, under a policy that learns from
// latency and never reads verdicts. The policy sees durations only, so where an
// error takes exactly as long as a success all servers look alike and by symmetry
// each gets 1/n. Quicker errors attract traffic, slower ones repel it.
type LatencyBoundary struct {
	N              int     // servers, 1 to 1,000,000,000
	Success, Error float64 // how long each takes, in any unit: positive, finite
}

// Validate says which parameter is out of range.
func (l LatencyBoundary) Validate() error {
	if err := validRange("number of servers n", l.N, 1, 1_000_000_000); err != nil {
		return err
	}
	if err := validDuration("of a success s", l.Success); err != nil {
		return err
	}
	return validDuration("of an error e", l.Error)
}

// Boundary is the share at equal durations, 1/n.
func (l LatencyBoundary) Boundary() *big.Rat {
	must(l)
	return big.NewRat(1, int64(l.N))
}

// Side says where the share of the failing server lies: "above" the boundary,
// "equal" to it, or "below" it. The sign away from equality is what every such
// policy is built for, not a theorem about all of them.
func (l LatencyBoundary) Side() string {
	must(l)
	switch {
	case l.N == 1 || l.Error == l.Success:
		return "equal"
	case l.Error < l.Success:
		return "above"
	}
	return "below"
}

var blastEntries = []Entry{{
	Name: "blast",
	Doc:  "Share of the traffic drawn by a server that every comparison prefers, such as one that fails fast.",
	Params: []Param{
		{Name: "d", Doc: "choices, 1 to 10,000"},
		{Name: "n", Doc: "servers, 1 to 1,000,000"},
		{Name: "replacement", Doc: "true when each choice is over the whole fleet again", Default: "false"},
	},
	Example: "d=2 n=10",
	Source:  "counting: the probability that a sample contains a given server",
	eval: func(args *arguments) (a Answer, err error) {
		b := Blast{D: args.integer("d"), N: args.integer("n"), Replacement: args.boolean("replacement")}
		if err := args.check(b); err != nil {
			return a, err
		}
		share := b.Share()
		a.put("share", share, 0.0)
		a.put("times_fair_share", new(big.Rat).Mul(share, big.NewRat(int64(b.N), 1)), 0.0)
		return a, nil
	},
}, {
	Name: "viral-key",
	Doc:  "Share of the traffic at the server of one very popular key, and the load of the fleet that it limits.",
	Params: []Param{
		{Name: "share", Doc: "share of the key in all requests, a decimal or a fraction from 0 to 1"},
		{Name: "n", Doc: "servers, 1 to 1,000,000,000"},
	},
	Example: "share=1/10 n=50",
	Source:  "expectation over an even spread of the other keys",
	eval: func(args *arguments) (a Answer, err error) {
		v := ViralKey{Share: args.rational("share"), N: args.integer("n")}
		if err := args.check(v); err != nil {
			return a, err
		}
		share := v.Server()
		a.put("share", share, 0.0)
		a.put("times_fair_share", new(big.Rat).Mul(share, big.NewRat(int64(v.N), 1)), 0.0)
		a.put("largest_fleet_utilization", v.Capacity(), 0.0)
		return a, nil
	},
}, {
	Name: "latency-boundary",
	Doc:  "Share of a failing server under a policy that learns from latency alone: 1/n where an error takes as long as a success.",
	Params: []Param{
		{Name: "n", Doc: "servers, 1 to 1,000,000,000"},
		{Name: "s", Doc: "duration of a success, positive and finite", Default: "1"},
		{Name: "e", Doc: "duration of an error, positive and finite", Default: "1"},
	},
	Example: "n=4 s=10 e=1",
	Source:  "symmetry: such a policy cannot tell the servers apart",
	eval: func(args *arguments) (a Answer, err error) {
		l := LatencyBoundary{N: args.integer("n"), Success: args.float("s"), Error: args.float("e")}
		if err := args.check(l); err != nil {
			return a, err
		}
		a.put("share_at_equal_durations", l.Boundary(), 0.0)
		bound := any(Estimate)
		if l.Side() == "equal" {
			bound = 0.0
		}
		a.put("side", l.Side(), bound)
		return a, nil
	},
}}
