package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
)

// A kase is one configuration of a real proxy, with what it is held to. What a
// proxy is held to is what its manual says, or what a user would take from it.
type kase struct {
	Proxy   string // "nginx", "haproxy" or "caddy"
	Method  string // what is written in its configuration
	Workers int    // processes of nginx, threads of HAProxy
	Zone    bool   // nginx: the workers share their counts
	Weights []uint64
	Claims  []spec.Option
	Claim   string   // the claims as words of a command line
	Only    []string // the properties that are judged
	Timed   bool     // timed scenarios are played too
	Draws   bool     // it draws at random: two starts must differ
	Checks  bool     // passive checks and retries are on, as they are by default
}

func (k kase) name() string {
	name := k.Proxy + " " + k.Method
	if k.Weights != nil {
		name += " with weights"
		if slices.Min(k.Weights) == slices.Max(k.Weights) {
			name += fmt.Sprintf(" of %d", k.Weights[0])
		}
	}
	if k.Workers > 1 {
		name += ", 2 workers"
		if k.Proxy == "haproxy" {
			name = strings.TrimSuffix(name, "workers") + "threads"
		}
		if k.Zone {
			name += " and a zone"
		}
	}
	return name
}

func law(k kase, l oracle.Law, more ...spec.Option) kase {
	k.Claims = append([]spec.Option{spec.Law(l)}, more...)
	k.Claim = "--law " + l.String()
	for range more {
		k.Claim += " --claim ties-open"
	}
	switch l.String() {
	case "round-robin":
		k.Only = []string{"round-robin/pick-law", "round-robin/window"}
	case "power-of-d:2", "power-of-d:2:replacement":
		k.Only = []string{"power-of-d/pick-law"}
	default:
		k.Only = []string{l.String() + "/pick-law"}
	}
	return k
}

func hashes(k kase) kase {
	k.Claims = []spec.Option{spec.HashesKeys()}
	k.Claim = "--claim hashes-keys"
	k.Only = []string{"keys/stable", "keys/spread"}
	return k
}

// cases are all configurations, each with one worker or thread unless it says
// otherwise.
func cases() []kase {
	unequal := []uint64{1, 1, 2, 3, 5}
	two := oracle.PowerOfD{D: 2}
	open := spec.TiesOpen()
	n := func(method string) kase { return kase{Proxy: "nginx", Method: method, Workers: 1} }
	h := func(method string) kase { return kase{Proxy: "haproxy", Method: method, Workers: 1} }
	c := func(method string) kase { return kase{Proxy: "caddy", Method: method, Workers: 1} }
	weighted := func(k kase) kase { k.Weights = unequal; return k }
	fine := func(k kase) kase { k.Weights = slices.Repeat([]uint64{100}, servers); return k }
	timed := func(k kase) kase { k.Timed = true; return k }
	draws := func(k kase) kase { k.Draws = true; return k }
	workers := func(k kase, zone bool) kase { k.Workers, k.Zone = 2, zone; return k }
	threads := func(k kase) kase { return workers(k, false) }
	return []kase{
		timed(law(n("round robin"), oracle.RoundRobin{})),
		law(workers(n("round robin"), false), oracle.RoundRobin{}),
		law(workers(n("round robin"), true), oracle.RoundRobin{}),
		law(weighted(n("round robin")), oracle.SmoothWeighted{}),
		timed(law(n("least_conn"), oracle.LeastRequest{}, open)),
		law(weighted(n("least_conn")), oracle.WeightedLeastRequest{}, open),
		law(workers(n("least_conn"), false), oracle.LeastRequest{}, open),
		law(workers(n("least_conn"), true), oracle.LeastRequest{}, open),
		draws(law(n("random"), oracle.Random{})),
		draws(law(weighted(n("random")), oracle.WeightedRandom{})),
		draws(law(n("random two"), two)),
		timed(draws(law(n("random two least_conn"), two))),
		draws(law(workers(n("random two least_conn"), false), two)),
		draws(law(workers(n("random two least_conn"), true), two)),
		hashes(n("hash $arg_key consistent")),
		timed(law(h("roundrobin"), oracle.RoundRobin{})),
		law(threads(h("roundrobin")), oracle.RoundRobin{}),
		timed(law(h("leastconn"), oracle.LeastRequest{}, open)),
		law(threads(h("leastconn")), oracle.LeastRequest{}, open),
		draws(law(h("random(1)"), oracle.Random{})),
		draws(law(fine(h("random(1)")), oracle.Random{})),
		timed(draws(law(h("random(2)"), two))),
		draws(law(threads(h("random(2)")), two)),
		hashes(h("url_param key")),
		timed(law(c("round_robin"), oracle.RoundRobin{})),
		timed(law(c("least_conn"), oracle.LeastRequest{}, open)),
		draws(law(c("random"), oracle.Random{})),
		timed(draws(law(c("random_choose"), two))),
	}
}
