package policies

import "time"

// A ServerID names a server for as long as it exists. Ids are handed out in
// increasing order and never used twice.
type ServerID int

// A Server is what a policy knows of a server besides its load.
type Server struct {
	ID     ServerID
	Name   string // what keyed policies hash; unique within a fleet
	Weight uint64 // share of the traffic relative to the others, 1..MaxWeight in a view
}

// MaxWeight is the largest weight a fleet may give to a server. It leaves
// policies 32 bits to scale and to add weights in.
const MaxWeight = 1<<32 - 1

// A Request is what a policy may know of the request it routes.
type Request struct {
	Key string // what keyed policies route by; the others ignore it
	// Cookie is the name of the server that this client was sent to before, or
	// empty. Only Sticky reads it.
	Cookie string
	// Tried names the servers that have had this request before. A Balancer
	// leaves them out of the view, so a policy has no need to look.
	Tried []ServerID
}

// An Outcome tells how a request ended.
type Outcome struct {
	At      time.Duration // when it ended, on the clock of View.Now
	Latency time.Duration // time in system: from the pick to the end, waiting included
	Failed  bool          // the verdict
	// Canceled says that the caller gave up: there is no verdict, and the latency
	// is no more than a lower bound. Learners are not told of such a request.
	Canceled bool
}

// None is the answer of a policy that can pick no server.
const None = -1

// A Policy chooses a server for a request.
//
// Pick returns an index into the view, or None when the view is empty. All
// chance comes from the coins and all time from the view: the same policy in
// the same state, given the same view and the same coins, gives the same pick.
// A Policy is not safe for concurrent use; Balancer is.
type Policy interface {
	Pick(Request, View, Coins) int
}

// A View is what a policy may see at one pick: the servers that are eligible
// and not yet tried for this request, in increasing order of their ids.
type View interface {
	Now() time.Duration // since an epoch of the view's own; never runs backwards
	Len() int
	Server(i int) Server
	// Load is what is known of the load of server i: requests in flight, work
	// left, or what a board showed. It is finite and not negative. Reading is
	// what a real balancer pays for, so every call counts.
	Load(i int) (load float64, known bool)
	// Index finds a server by its id; it is -1 when that server is not eligible.
	// Keyed policies walk their own structure and ask.
	Index(id ServerID) int
}

// Coins is the only source of chance that a policy may use.
type Coins interface {
	// IntN is uniform in [0, n). It panics when n < 1.
	IntN(n int) int
	// Weighted is one coin with len(w) outcomes: i has probability w[i]/sum(w).
	// It panics when no weight is positive.
	Weighted(w []uint64) int
}

// A Stateful policy remembers something between picks.
type Stateful interface {
	Policy
	// Clone returns a copy that shares nothing that a pick or an observation
	// changes.
	Clone() Policy
	// State describes, completely, whatever may influence a later pick: equal
	// strings mean equal futures.
	State() string
}

// A Member policy keeps a structure over the whole fleet, eligible or not.
// Update tells it the fleet before the first pick and at every change, in
// increasing order of ids.
type Member interface {
	Policy
	Update(all []Server)
}

// A Learner policy is told how its requests ended.
type Learner interface {
	Policy
	Observe(ServerID, Outcome)
}

// Join prepares a new policy for a fleet: it tells a Member who is there, and
// leaves the others alone.
func Join(p Policy, all []Server) Policy {
	if m, ok := p.(Member); ok {
		m.Update(all)
	}
	return p
}
