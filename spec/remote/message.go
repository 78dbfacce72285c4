package remote

import "github.com/picklaw/picklaw/spec"

// Version is the version of the protocol that this package speaks.
const Version = 1

// A question is a line from the auditor to the subject. Which fields it has
// depends on the operation; see the grammar in the package comment.
type question struct {
	Seq      uint64          `json:"seq"`
	Op       string          `json:"op"`
	Protocol int             `json:"protocol,omitempty"`
	Fleet    int             `json:"fleet,omitempty"`
	Seed     *uint64         `json:"seed,omitempty"` // below 2^53: any JSON parser can hold it
	Servers  *[]server       `json:"servers,omitempty"`
	Request  uint64          `json:"request,omitempty"`
	Key      string          `json:"key,omitempty"`
	Cookie   string          `json:"cookie,omitempty"`
	Tried    []spec.ServerID `json:"tried,omitempty"`
	Outcome  string          `json:"outcome,omitempty"`
	Latency  *int64          `json:"latency_ns,omitempty"`
	Server   *spec.ServerID  `json:"server,omitempty"`
	Ejected  *bool           `json:"ejected,omitempty"`
	Duration *int64          `json:"ns,omitempty"`
}

type server struct {
	ID     spec.ServerID `json:"id"`
	Name   string        `json:"name"`
	Weight uint64        `json:"weight"`
}

// The operations, and what a subject may say it can besides those that every
// subject must know.
const (
	opHello    = "hello"
	opCreate   = "create"
	opPick     = "pick"
	opDone     = "done"
	opUpdate   = "update"
	opEject    = "eject"
	opAdvance  = "advance"
	opInFlight = "in_flight"
	opClose    = "close"
)

var abilities = []string{opUpdate, opEject, opAdvance, opInFlight}

func serversOf(fleet []spec.Server) *[]server {
	all := make([]server, len(fleet))
	for i, s := range fleet {
		all[i] = server{s.ID, s.Name, s.Weight}
	}
	return &all
}

func fleetOf(all []server) []spec.Server {
	fleet := make([]spec.Server, len(all))
	for i, s := range all {
		fleet[i] = spec.Server{ID: s.ID, Name: s.Name, Weight: s.Weight}
	}
	return fleet
}

func pointer[T any](v T) *T { return &v }
