package main

import (
	"context"
	"fmt"

	"github.com/redis/rueidis"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers"
)

const rueidisVersion = "github.com/redis/rueidis v1.0.79"

// zone is where the client and all replicas are.
const zone = "here"

var rueidisSubjects = []spec.Subject{
	replicas("rueidis/PreferReplica", "PreferReplicaNodeSelector", rueidis.PreferReplicaNodeSelector, map[string]string{"round-robin/update": counterFolded}),
	replicas("rueidis/AZAffinity", "AZAffinityNodeSelector with all replicas in the client's zone",
		func() rueidis.ReadNodeSelectorFunc { return rueidis.AZAffinityNodeSelector(zone) }, eightOnly),
	replicas("rueidis/AZAffinity:primary", "AZAffinityReplicasAndPrimaryNodeSelector with all replicas in the client's zone",
		func() rueidis.ReadNodeSelectorFunc { return rueidis.AZAffinityReplicasAndPrimaryNodeSelector(zone) }, eightOnly),
}

func replicas(name, doc string, build func() rueidis.ReadNodeSelectorFunc, pinned map[string]string) spec.Subject {
	return spec.Subject{
		Name: name, Doc: rueidisVersion + ", " + doc,
		New: func(f spec.Fleet) (spec.Picker, error) {
			s := &selector{choose: build()}
			s.set(eligible(f.Servers))
			return s, nil
		},
		Claims: []spec.Option{spec.Law(oracle.RoundRobin{}), spec.Concurrent()},
		Pinned: pinned,
	}
}

const (
	counterFolded = "The turn is a counter modulo the number of replicas. When that number changes, the rotation jumps to another place: a replica may get two commands in a row, and another wait for almost two rounds. It is one jump for each change; shares over any longer time stay even."
	noNinth       = "Of more than eight replicas in the client's zone only the first eight are read from: see rueidis/AZAffinity/ninth-replica. Of sixteen, half are idle and the others carry twice their share."
)

// eightOnly is what selectors do that look for nodes of the client's zone.
var eightOnly = map[string]string{
	"law/fleet-sizes":      noNinth,
	"round-robin/window":   noNinth,
	"round-robin/eligible": noNinth,
	"round-robin/update":   counterFolded,
}

// A selector drives the choice of a node for a command that only reads. Servers
// are the replicas of one shard, behind their primary; one of weight 0 is left
// out.
type selector struct {
	choose rueidis.ReadNodeSelectorFunc
	list
}

// shard is a primary and its replicas, as the client hands them over.
func shard(replicas []spec.Server) []rueidis.NodeInfo {
	nodes := []rueidis.NodeInfo{{Addr: "primary", AZ: "elsewhere"}}
	for _, s := range replicas {
		nodes = append(nodes, rueidis.NodeInfo{Addr: s.Name, AZ: zone})
	}
	return nodes
}

func (s *selector) Update(fleet []spec.Server) error {
	s.set(eligible(fleet))
	return nil
}

func (s *selector) Pick(context.Context, spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
	fleet := s.get()
	i := s.choose(0, shard(fleet))
	if i <= 0 || i > len(fleet) {
		return 0, nil, errNoServer // the primary, which is not in the fleet
	}
	return fleet[i-1].ID, nothing, nil
}

var rueidisDeviations = []peers.Deviation{
	peers.SameFirstPick("rueidis/PreferReplica", rueidisVersion, rueidisSubjects[0].New,
		"The rotation starts at the second replica in every process, and so in every client of a fleet that is started together."),
	{
		Name: "rueidis/PreferReplica/one-counter-for-all-shards", Version: rueidisVersion,
		State:    "2 shards with 2 replicas each; 1000 times a command for the first shard and one for the second",
		Expected: "500 commands at each replica of each shard",
		Observed: "1000 commands at one replica of each shard, none at the other",
		Effect: "One counter serves the whole cluster, and is taken modulo the number of replicas of the shard in question. A client whose commands go round the shards in step with it, as when each request reads a session and then a profile, " +
			"always finds the same replica of a shard: half of the replicas are idle, and the others have twice the load that they were made for. The selectors by zone do the same.",
		Observe: observeSteps,
	},
	{
		Name: "rueidis/AZAffinity/ninth-replica", Version: rueidisVersion,
		State:    "9 replicas, all of them in the client's zone; 900 commands",
		Expected: "100 commands at each replica",
		Observed: "no command at s8",
		Effect:   "The search for nodes of the client's zone ends after eight. A replica that is added beyond that takes no reads from clients with zone affinity, however loaded the other eight are.",
		Observe:  observeNinth,
	},
}

func observeSteps() (string, error) {
	choose := rueidis.PreferReplicaNodeSelector()
	at := make(map[[2]int]int) // by shard and node
	nodes := shard(peers.Fleet(2))
	for range 1000 {
		for k := range 2 {
			at[[2]int{k, choose(uint16(8192*k), nodes)}]++
		}
	}
	for k := range 2 {
		if at[[2]int{k, 1}] == 500 && at[[2]int{k, 2}] == 500 {
			continue
		}
		if at[[2]int{k, 1}] == 1000 || at[[2]int{k, 2}] == 1000 {
			return "1000 commands at one replica of each shard, none at the other", nil
		}
		return fmt.Sprint("commands by shard and node: ", at), nil
	}
	return "500 commands at each replica of each shard", nil
}

func observeNinth() (string, error) {
	choose := rueidis.AZAffinityNodeSelector(zone)
	at := make([]int, 10)
	for range 900 {
		at[choose(0, shard(peers.Fleet(9)))]++
	}
	for i, n := range at[1:] {
		if n == 0 {
			return fmt.Sprintf("no command at s%d", i), nil
		}
	}
	return fmt.Sprint("commands at the replicas: ", at[1:]), nil
}
