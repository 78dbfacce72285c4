package queue

import (
	"crypto/md5"

	"github.com/picklaw/picklaw/policies"
)

// picksOf lets a policy pick again and again among idle servers.
func picksOf(p policies.Policy, fleet []policies.Server, requests []policies.Request) []int {
	view := &policies.Snapshot{Servers: fleet, Loads: make([]float64, len(fleet))}
	policies.Join(p, fleet)
	var picks []int
	for _, q := range requests {
		picks = append(picks, p.Pick(q, view, zeroCoins{}))
	}
	return picks
}

// tableR1 is a plain rotation of 12 requests in the first row, and one cycle of
// the smooth weighted one in the others.
func tableR1(t Table) ([][]any, error) {
	var rows [][]any
	for row := range t.published {
		fleet := policies.Fleet(len(t.numbers(row, 0)))
		cycle := 0
		for i, w := range t.numbers(row, 0) {
			fleet[i].Weight = uint64(w)
			cycle += int(w)
		}
		var p policies.Policy = new(policies.SmoothWeighted)
		if row == 0 {
			p, cycle = new(policies.RoundRobin), 12
		}
		rows = append(rows, []any{picksOf(p, fleet, make([]policies.Request, cycle))})
	}
	return rows, nil
}

// tableS1 hashes keys over four servers: three keys by name, then 100,000
// consecutive numbers in base 62.
func tableS1(t Table) ([][]any, error) {
	hash := &policies.HashMod{Hash: func(key []byte) [16]byte { return md5.Sum(key) }}
	fleet := policies.Fleet(4)
	var rows [][]any
	for row := range t.published {
		if t.label(row, 0) != "counts" {
			rows = append(rows, []any{picksOf(hash, fleet, []policies.Request{{Key: t.label(row, 0)}})[0]})
			continue
		}
		requests := make([]policies.Request, 100_000)
		for i := range requests {
			requests[i].Key = base62(100_000_000 + i)
		}
		counts := make([]int, len(fleet))
		for _, i := range picksOf(hash, fleet, requests) {
			counts[i]++
		}
		rows = append(rows, []any{counts})
	}
	return rows, nil
}

// base62 writes a number in the digits 0-9a-zA-Z, padded to seven of them.
func base62(x int) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	var out [7]byte
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = digits[x%62]
		x /= 62
	}
	return string(out[:])
}
