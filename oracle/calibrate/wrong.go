package main

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/picklaw/picklaw/oracle"
)

// leak follows a law, but a part of what each server should get goes to the
// next one.
type leak struct {
	oracle.Law
	part *big.Rat
}

func (l leak) String() string { return fmt.Sprintf("%v leaking %s", l.Law, l.part.RatString()) }

func (l leak) Probabilities(s oracle.State) ([]*big.Rat, error) {
	p, err := l.Law.Probabilities(s)
	if err != nil {
		return nil, err
	}
	kept := new(big.Rat).Sub(big.NewRat(1, 1), l.part)
	q := make([]*big.Rat, len(p))
	for i := range p {
		before := p[(i+len(p)-1)%len(p)]
		q[i] = new(big.Rat).Mul(kept, p[i])
		q[i].Add(q[i], new(big.Rat).Mul(l.part, before))
	}
	return q, nil
}

// wrong is a balancer that does not keep its claim.
type wrong struct {
	claim, truth oracle.Law
	weighted     bool // server i has weight i+1
}

func wrongLaws() []wrong {
	two, replaced := oracle.PowerOfD{D: 2}, oracle.PowerOfD{D: 2, Replacement: true}
	tenth := big.NewRat(1, 10)
	return []wrong{
		{claim: two, truth: replaced},
		{claim: replaced, truth: two},
		{claim: two, truth: oracle.HeavierOfD{D: 2}},
		{claim: two, truth: oracle.PowerOfD{D: 2, LowestIndex: true}},
		{claim: two, truth: oracle.TwoLightest{}},
		{claim: two, truth: oracle.Random{}},
		{claim: oracle.LeastRequest{}, truth: oracle.LowestIndex{}},
		{claim: oracle.WeightedRandom{}, truth: oracle.Random{}, weighted: true},
		{claim: oracle.Random{}, truth: oracle.RoundRobin{}},
		{claim: replaced, truth: leak{replaced, tenth}},
		{claim: two, truth: leak{two, tenth}},
	}
}

// row is what a line of the table measures, as text.
type row struct{ loads, limit, median, ratio, convicted string }

// measure takes the median over audits, each at the view that tells most. An
// audit is given up after 20 times the limit.
func (w wrong) measure(n, trials int, alpha float64, seed uint64) row {
	audit := oracle.Audit{Claim: w.claim, Alpha: alpha}
	views := oracle.Views(n)
	for i := range views {
		if w.weighted {
			views[i].Weights = make([]uint64, n)
			for j := range views[i].Weights {
				views[i].Weights[j] = uint64(j + 1)
			}
		}
		if _, rotates := w.truth.(oracle.RoundRobin); rotates {
			views[i].History = []int{0} // from its second pick on
		}
	}
	view, limit, err := audit.MostTelling(w.truth, views)
	check(err)
	r := row{loads: short(view.Loads), limit: "same law", median: "-", ratio: "-", convicted: "-"}
	if math.IsInf(limit, 1) {
		r.loads = "-"
		return r
	}
	if view.History != nil {
		limit++ // nothing can be learnt from the first pick of a rotation
		view.History = nil
	}
	most := int(math.Ceil(20*limit)) + 20
	trials = min(trials, max(11, int(300_000/limit))) // what takes long is measured less often
	picks := parallel(trials, func(i int) int {
		return simulate(audit, w.truth, view, most, oracle.Stream(seed, fmt.Sprint(w.claim, w.truth, n, i)))
	})
	slices.Sort(picks)
	median := picks[len(picks)/2]
	convicted := 0
	for _, p := range picks {
		if p <= most {
			convicted++
		}
	}
	r.limit = fmt.Sprintf("%.1f", limit)
	r.median = fmt.Sprint(median)
	r.ratio = fmt.Sprintf("%.2f", float64(median)/limit)
	if median > most {
		r.median, r.ratio = fmt.Sprintf(">%d", most), "-"
	}
	r.convicted = fmt.Sprintf("%d/%d", convicted, trials)
	return r
}

// short writes descending loads as value×count.
func short(loads []float64) string {
	var parts []string
	for i := 0; i < len(loads); {
		j := i
		for j < len(loads) && loads[j] == loads[i] {
			j++
		}
		if j-i == 1 {
			parts = append(parts, fmt.Sprint(loads[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%vx%d", loads[i], j-i))
		}
		i = j
	}
	if len(parts) > 5 {
		parts = append(parts[:2], "..", parts[len(parts)-1])
	}
	return strings.Join(parts, ",")
}
