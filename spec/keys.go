package spec

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/picklaw/picklaw/policies"
)

// keyProperties bind whoever claims to route by key.
var keyProperties = []*Property{
	{
		Name: "keys/stable", Level: Must,
		Sentence: "A key goes to the same server whatever was asked before and whatever the loads are.",
		Source:   "definition; a mapping in map iteration order: smallnest/rpcx#205",
		Applies:  hashesKeys, Exact: exactStableKeys, Sampled: auditedStableKeys,
	},
	{
		Name: "keys/spread", Level: Must,
		Sentence: "Every server owns some keys.",
		Source:   "a score without the key: ykayacan/hashing-utils#17; a key without its arguments: apache/dubbo#13750",
		Applies:  hashesKeys, Exact: exactSpread, Sampled: auditedSpread,
	},
	{
		Name: "keys/join", Level: Must,
		Sentence: "A server that joins takes keys, and no key moves between the others.",
		Source:   "Karger et al. 1997, monotonicity",
		Applies:  mapsKeys, Exact: exactJoin, Sampled: auditedJoin,
	},
	{
		Name: "keys/leave", Level: Must,
		Sentence: "When a server leaves or is not eligible, only its own keys move.",
		Source:   "Karger et al. 1997, monotonicity; caddyserver/caddy#4724; zalando/skipper#1712",
		Applies:  mapsKeys, Exact: exactLeave, Sampled: auditedLeave,
	},
	{
		Name: "keys/ineligible", Level: Must,
		Sentence: "While some servers are not eligible, their keys are with the others, and no other key has moved.",
		Source:   "clients of healthy servers moved too: caddyserver/caddy#4724; zalando/skipper#1712; a server left out of the walk: Effect-TS/effect#7885",
		Applies:  sparesKeys, Exact: exactIneligible,
	},
	{
		Name: "keys/inheritance", Level: Must,
		Sentence: "The keys of a server that is not eligible go to every one of the others, not all to a neighbour.",
		Source:   "the neighbour inherits the share: OpenSIPS/opensips#387",
		Applies:  func(c *Claims) bool { return sparesKeys(c) && c.SharesWithin > 0 }, Exact: exactInheritance,
	},
	{
		Name: "keys/update-equals-fresh", Level: Must,
		Sentence: "A mapping reached by updates is the mapping built fresh from the same fleet.",
		Source:   "continuity; envoyproxy/envoy#45212; zeromicro/go-zero#5595",
		Applies:  sparesKeys, Exact: exactFreshMapping, Sampled: auditedFreshMapping,
	},
	{
		Name: "keys/agreement", Level: Must,
		Sentence: "Two clients of the same fleet send a key to the same server, in whatever order they list the servers.",
		Source:   "Karger et al. 1997, spread; order-dependent collisions on a ring",
		Applies:  sparesKeys, Exact: exactAgreement, Sampled: auditedAgreement,
	},
	{
		Name: "keys/shares", Level: Should,
		Sentence: "No server owns more than the claimed multiple of its fair share of the keys.",
		Source:   "Karger et al. 1997, load; one point a server leaves the largest of n a share of ln n / n",
		Applies:  func(c *Claims) bool { return c.SharesWithin > 0 },
		Sampled:  auditedShares, Statistical: true,
	},
}

func mapsKeys(c *Claims) bool { return c.MapsKeys }

func sparesKeys(c *Claims) bool { return c.MapsKeys || c.SparesKeys }

func hashesKeys(c *Claims) bool { return sparesKeys(c) || c.HashesKeys }

// keyCount is how many keys the properties of keys look at. A server of the
// fleets below owns a part of the circle; a reference ring of one point a
// server leaves some parts small, so many keys are tried.
const keyCount = 2000

// owners maps every key to the name of its server.
func (r *Run) owners(p policies.Policy, eligible []Server) []string {
	view := &policies.Snapshot{Servers: eligible, Loads: make([]float64, len(eligible))}
	coins := policies.NewCoins(r.Seed)
	all := make([]string, keyCount)
	r.try("Pick", func() { // all of them in one call: the watchdog costs more than a pick
		for k := range all {
			i := p.Pick(Request{Key: key(k)}, view, coins)
			if i < 0 || i >= len(eligible) {
				panic(&fault{OutOfRange, fmt.Sprintf("%s over %d servers went to index %d", key(k), len(eligible), i)})
			}
			all[k] = eligible[i].Name
		}
	})
	return all
}

// key is the k-th of the keys that are looked at.
func key(k int) string { return "key-" + strconv.Itoa(k) }

// keyFleets are fleets of one to nine servers.
func keyFleets() [][]Server {
	var fleets [][]Server
	for _, n := range []int{1, 2, 3, 5, 9} {
		fleets = append(fleets, fleetOf(n))
	}
	return fleets
}

func exactStableKeys(r *Run) Result {
	for _, fleet := range keyFleets() {
		p := r.newPolicy(fleet)
		before := r.owners(p, fleet)
		view := &policies.Snapshot{Servers: fleet, Loads: make([]float64, len(fleet))}
		for i := range view.Loads {
			view.Loads[i] = float64((i*7)%5 + 1)
		}
		for k := keyCount - 1; k >= 0; k -= 13 { // another order, under load, with every coin
			key := fmt.Sprintf("key-%d", k)
			picks := r.enumerateRequest(p, Request{Key: key}, view)
			i := slices.IndexFunc(fleet, func(s Server) bool { return s.Name == before[k] })
			if picks.P[i].Cmp(certain) != 0 {
				return keyMoved(key, before[k], "others", "asked again under load: picks "+rationals(picks.P))
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d keys over 1 to 9 servers", keyCount)}
}

func keyMoved(key, from, to, why string) Result {
	return Result{Verdict: Violated, Finding: WrongLaw, Expected: fmt.Sprintf("%s stays at %s", key, from),
		Observed: fmt.Sprintf("%s went to %s, when %s", key, to, why)}
}

func exactSpread(r *Run) Result {
	for _, fleet := range keyFleets() {
		owned := make(map[string]int)
		for _, name := range r.owners(r.newPolicy(fleet), fleet) {
			owned[name]++
		}
		for _, s := range fleet {
			if owned[s.Name] == 0 {
				return Result{Verdict: Violated, Finding: NeverFills, Expected: "keys for every server",
					Observed: fmt.Sprintf("none of %d keys for %s of %d servers", keyCount, s.Name, len(fleet))}
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d keys over 1 to 9 servers", keyCount)}
}

// exactJoin lets each server of a fleet be the one that joins, so that the
// newcomer comes first, last and in between.
func exactJoin(r *Run) Result {
	moved := 0
	for _, fleet := range keyFleets()[1:] {
		for j, joining := range fleet {
			p := r.newPolicy(slices.Delete(slices.Clone(fleet), j, j+1))
			before := r.owners(p, slices.Delete(slices.Clone(fleet), j, j+1))
			after := r.owners(join(p, fleet), fleet)
			took := 0
			for k := range before {
				switch after[k] {
				case before[k]:
				case joining.Name:
					took++
				default:
					return keyMoved(fmt.Sprintf("key-%d", k), before[k], after[k], joining.Name+" joined")
				}
			}
			if took == 0 {
				return Result{Verdict: Violated, Finding: NeverFills, Expected: "keys for the newcomer",
					Observed: fmt.Sprintf("%s joined %d servers and took none of %d keys", joining.Name, len(fleet)-1, keyCount)}
			}
			moved += took
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d keys moved, all to the newcomer", moved)}
}

func exactLeave(r *Run) Result {
	moved := 0
	for _, fleet := range keyFleets()[1:] {
		before := r.owners(r.newPolicy(fleet), fleet)
		for j, leaving := range fleet {
			rest := slices.Delete(slices.Clone(fleet), j, j+1)
			away := r.owners(r.newPolicy(fleet), rest) // still a member, but not eligible
			p := join(r.newPolicy(fleet), rest)
			gone := r.owners(p, rest)
			for k := range before {
				if before[k] == leaving.Name {
					moved++
					if away[k] != gone[k] {
						return keyMoved(fmt.Sprintf("key-%d", k), gone[k], away[k], leaving.Name+" was not eligible, and not when it had left")
					}
					continue
				}
				if away[k] != before[k] {
					return keyMoved(fmt.Sprintf("key-%d", k), before[k], away[k], leaving.Name+" was not eligible")
				}
				if gone[k] != before[k] {
					return keyMoved(fmt.Sprintf("key-%d", k), before[k], gone[k], leaving.Name+" left")
				}
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d keys moved, all of the server that left", moved)}
}

// exactFreshMapping walks through fleets by joins, leaves and changes of weight
// and compares each mapping with one built fresh.
func exactFreshMapping(r *Run) Result {
	all := fleetOf(7)
	heavy := slices.Clone(all)
	heavy[2].Weight, heavy[5].Weight = 3, 2
	walk := [][]Server{all[:3], all[:6], all[2:6], heavy[2:], all[1:], all[:1], heavy}
	p := r.newPolicy(all[:1])
	for step, fleet := range walk {
		p = join(p, fleet)
		reached, fresh := r.owners(p, fleet), r.owners(r.newPolicy(fleet), fleet)
		for k := range reached {
			if reached[k] != fresh[k] {
				return Result{Verdict: Violated, Finding: WrongLaw,
					Expected: fmt.Sprintf("key-%d at %s, as in a fresh structure", k, fresh[k]),
					Observed: fmt.Sprintf("key-%d at %s after update %d", k, reached[k], step+1)}
			}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d keys through %d updates", keyCount, len(walk))}
}
