package main

import (
	"context"
	"fmt"

	"github.com/arangodb/go-driver/v2/connection"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers"
)

const arangoVersion = "github.com/arangodb/go-driver/v2 v2.4.1"

var arangoSubjects = []spec.Subject{
	{
		Name: "arangodb/RoundRobinEndpoints", Doc: arangoVersion + ", NewRoundRobinEndpoints",
		New: arango(func(endpoints []string) (connection.Endpoint, error) {
			return connection.NewRoundRobinEndpoints(endpoints), nil
		}),
		Claims: []spec.Option{spec.Law(oracle.RoundRobin{}), spec.Concurrent()},
	},
	{
		Name: "arangodb/MaglevHashEndpoints", Doc: arangoVersion + ", NewMaglevHashEndpoints by the name of the database",
		New:    arango(newArangoMaglev),
		Claims: []spec.Option{spec.HashesKeys(), spec.SharesWithin(1.25), spec.Concurrent()},
		Pinned: map[string]string{
			"keys/shares": "The lookup table has as many entries as the next prime from the number of endpoints on, where Maglev wants a hundred times as many or more (Eisenbud et al. 2016, section 3.4). With 8 endpoints it has 11, so that three endpoints have two entries and five have one: twice the databases, and nearly one and a half times the fair share. With 6 endpoints one has two entries of seven.",
		},
	},
}

func newArangoMaglev(endpoints []string) (connection.Endpoint, error) {
	return connection.NewMaglevHashEndpoints(endpoints, connection.RequestDBNameValueExtractor)
}

// Endpoints are what the driver sends a request to. The key of a request is the
// name of its database.
type endpoints struct {
	endpoints connection.Endpoint
	list
}

func arango(build func([]string) (connection.Endpoint, error)) spec.Factory {
	return func(f spec.Fleet) (spec.Picker, error) {
		built, err := build(namesOf(eligible(f.Servers)))
		e := &endpoints{endpoints: built}
		e.set(f.Servers)
		return e, err
	}
}

func (e *endpoints) Pick(_ context.Context, q spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
	name, err := e.endpoints.Get("", "GET", pathOf(q.Key))
	if err != nil {
		return 0, nil, err
	}
	return e.named(name)
}

func pathOf(database string) string { return "/_db/" + database + "/_api/version" }

var arangoDeviations = []peers.Deviation{
	peers.SameFirstPick("arangodb/RoundRobinEndpoints", arangoVersion, arangoSubjects[0].New,
		"The rotation starts at the first endpoint in every process, which is where short-lived ones send all of their requests."),
	{
		Name: "arangodb/MaglevHashEndpoints/join", Version: arangoVersion,
		State:    "11 endpoints, a twelfth joins; 2000 databases",
		Expected: "167 databases move, or somewhat more",
		Observed: "1830 databases move",
		Effect:   "The table has the next prime for its size, so that a fleet which grows beyond 2, 3, 5, 7, 11 or 13 endpoints gets a table of another size, in which a key is looked up by another remainder. Maglev, whose point is that few keys move, moves eleven of twelve here, and the caches of all coordinators start cold.",
		Observe:  observeArangoJoin,
	},
}

func observeArangoJoin() (string, error) {
	before, err := newArangoMaglev(namesOf(peers.Fleet(11)))
	if err != nil {
		return "", err
	}
	after, err := newArangoMaglev(namesOf(peers.Fleet(12)))
	if err != nil {
		return "", err
	}
	moved := 0
	for _, key := range keys() {
		x, err := before.Get("", "GET", pathOf(key))
		if err != nil {
			return "", err
		}
		y, err := after.Get("", "GET", pathOf(key))
		if err != nil {
			return "", err
		}
		if x != y {
			moved++
		}
	}
	return fmt.Sprintf("%d databases move", moved), nil
}
