package spec

import (
	"fmt"
	"time"

	"github.com/picklaw/picklaw/oracle"
)

// Claims are what a subject promises. The suite checks exactly that.
type Claims struct {
	Law            oracle.Law // nil: none
	TiesOpen       bool       // which of several minima is left open
	CountsInFlight bool
	KeepsCounts    bool // across updates
	Concurrent     bool
	ReleasesOnce   bool
	MapsKeys       bool
	SparesKeys     bool             // of others, while a server is not eligible
	HashesKeys     bool             // while the fleet stays the same
	Remaps         string           // as this scheme of oracle.Remap; empty: no promise
	SharesWithin   float64          // times the fair share of the keys; 0: no promise
	Shares         oracle.KeyShares // of the keys, spread like those of this scheme; zero: no promise
	Weighted       bool
	ReadsAtMost    int // loads read in one pick; 0: no promise
	Learns         bool
	LearnsLatency  bool
	FollowsPeaks   bool
	Forgets        bool
	ReadsVerdicts  bool
	Lingers        time.Duration // a failure counts as in flight; 0: no promise
	Rotates        bool
	SlowsByLoad    *float64 // with this power of the load; nil: no promise
	Sticks         bool
	Retries        bool
	Independent    bool

	world, judge bool   // the suite's own engines, as subjects
	part         string // or another part of the house
}

// Config is how a check is run.
type config struct {
	claims     Claims
	seed       uint64
	alpha      float64 // false-alarm budget of the whole run
	hang       time.Duration
	properties map[string]bool // nil: all
	probe      bool            // also try what is not claimed
	reproduce  string
	progress   func(*Property)
	finished   func(PropertyResult)
	bubble     func(func()) // runs a function in a bubble; nil: there is none

	traced        bool     // keep a Trace of sampled laws
	fixed         []Server // nil: fleets are built as wanted
	contamination float64
	resolution    float64
	holds         int // requests in flight at a server at most; 0: any number
}

// DefaultAlpha is the probability that a run convicts a conforming subject of
// anything.
const DefaultAlpha = 1e-9

// missed is the probability that a run leaves a conforming subject undecided.
const missed = 1e-6

func newConfig(options []Option) config {
	c := config{seed: 1, alpha: DefaultAlpha, hang: 20 * time.Second, probe: true}
	for i, o := range options {
		if o == nil {
			panic(fmt.Sprintf("spec: option %d is nil", i+1))
		}
		o(&c)
	}
	return c
}

// An Option is a claim, or says how a check is run.
type Option func(*config)

// Law claims that picks follow a law in every state.
func Law(l oracle.Law) Option { return func(c *config) { c.claims.Law = l } }

// TiesOpen leaves open which of several equally loaded servers is picked: the
// claimed law then only binds their sum.
func TiesOpen() Option { return func(c *config) { c.claims.TiesOpen = true } }

// CountsInFlight claims that a request counts from the pick until done is
// called, whatever its outcome, and not a moment longer.
func CountsInFlight() Option { return func(c *config) { c.claims.CountsInFlight = true } }

// KeepsCounts claims that requests in flight stay counted when the fleet is
// updated. The subject must be an Updater.
func KeepsCounts() Option { return func(c *config) { c.claims.KeepsCounts = true } }

// Concurrent claims that many goroutines may pick and release at once.
func Concurrent() Option { return func(c *config) { c.claims.Concurrent = true } }

// ReleasesOnce claims that a second call of done is an error and changes
// nothing.
func ReleasesOnce() Option { return func(c *config) { c.claims.ReleasesOnce = true } }

// MapsKeys claims that a key, hashed with the names of the servers and not with
// their ids, always goes to the same server, and that a change
// of the fleet moves no more keys than it must.
func MapsKeys() Option { return func(c *config) { c.claims.MapsKeys = true } }

// SparesKeys claims that a key always goes to the same server, and that while a
// server is not eligible no keys move but its own. It promises nothing about the
// keys that move when a server joins or leaves for good.
func SparesKeys() Option { return func(c *config) { c.claims.SparesKeys = true } }

// HashesKeys claims that a key always goes to the same server while the fleet
// stays the same, and nothing about how it moves when the fleet changes.
func HashesKeys() Option { return func(c *config) { c.claims.HashesKeys = true } }

// Weighted claims that the share of a server follows its weight.
func Weighted() Option { return func(c *config) { c.claims.Weighted = true } }

// SharesWithin claims that no server owns more than so many times its fair share
// of the keys, which is its weight over the sum of weights. The factor is at
// least 1.
func SharesWithin(factor float64) Option { return func(c *config) { c.claims.SharesWithin = factor } }

// ReadsAtMost claims that one pick reads at most d loads.
func ReadsAtMost(d int) Option { return func(c *config) { c.claims.ReadsAtMost = d } }

// Rotates claims a weighted rotation: while nothing changes, any sum/gcd of the
// weights picks in a row hold exactly weight/gcd of every server.
func Rotates() Option { return func(c *config) { c.claims.Rotates = true } }

// SlowsByLoad claims a schedule in which a server is due every
// (in flight + 1)^bias/weight, as Envoy's least request balances unequal weights.
func SlowsByLoad(bias float64) Option { return func(c *config) { c.claims.SlowsByLoad = &bias } }

// Sticks claims that a request whose cookie names an eligible server goes there.
func Sticks() Option { return func(c *config) { c.claims.Sticks = true } }

// Retries claims that a request does not go to a server that has had it before,
// as Request.Tried says, and is refused when every server has.
func Retries() Option { return func(c *config) { c.claims.Retries = true } }

// Independent claims that balancers built with different seeds decide
// independently.
func Independent() Option { return func(c *config) { c.claims.Independent = true } }

// Remaps claims that a server that joins moves as many keys as it does under a
// scheme of oracle.Remap.
func Remaps(scheme string) Option { return func(c *config) { c.claims.Remaps = scheme } }

// SharesLike claims that the shares of the keys spread around weight/sum like
// those of a known scheme, so that trials of many keys of one fleet can be judged.
// It panics when there is no such scheme.
func SharesLike(s oracle.KeyShares) Option {
	if err := s.Validate(); err != nil {
		panic("spec: SharesLike: " + err.Error())
	}
	return func(c *config) { c.claims.Shares = s }
}

// Learns claims that a policy is fed by outcomes and stores them only when they
// are observed.
func Learns() Option { return func(c *config) { c.claims.Learns = true } }

// LearnsLatency claims that, loads being equal, a policy that learns prefers the
// servers that have been faster.
func LearnsLatency() Option {
	return func(c *config) { c.claims.Learns, c.claims.LearnsLatency = true, true }
}

// FollowsPeaks claims that a latency above the estimate counts at once and in
// full, and the queue in proportion.
func FollowsPeaks() Option { return func(c *config) { c.claims.FollowsPeaks = true } }

// Forgets claims that silence takes a policy that learns back to where it began.
func Forgets() Option { return func(c *config) { c.claims.Forgets = true } }

// ReadsVerdicts claims that a policy distinguishes failed requests from others.
func ReadsVerdicts() Option { return func(c *config) { c.claims.ReadsVerdicts = true } }

// Lingers claims that a failure counts as one more request in flight at its
// server for so long, and for nothing else.
func Lingers(d time.Duration) Option { return func(c *config) { c.claims.Lingers = d } }

// Alpha sets the false-alarm budget of the run, instead of DefaultAlpha.
func Alpha(alpha float64) Option {
	if !(alpha >= SmallestAlpha && alpha < 1) {
		panic(fmt.Sprintf("spec: Alpha(%v), want at least %v and below 1", alpha, SmallestAlpha))
	}
	return func(c *config) { c.alpha = alpha }
}

// SmallestAlpha is the smallest budget that can be divided among properties,
// fleets and views without running out of double precision.
const SmallestAlpha = 1e-100

// Seed sets the root of all chance in the run; the default is 1.
func Seed(seed uint64) Option { return func(c *config) { c.seed = seed } }

// HangAfter sets how long the suite waits for a call to return; the default is
// 20 seconds.
func HangAfter(d time.Duration) Option {
	if d <= 0 {
		panic(fmt.Sprintf("spec: HangAfter(%v), want a positive time", d))
	}
	return func(c *config) { c.hang = d }
}

// Only restricts the run to the named properties. It panics when there is no
// property of that name.
func Only(names ...string) Option {
	for _, n := range names {
		if _, err := Find(n); err != nil {
			panic("spec: " + err.Error())
		}
	}
	return func(c *config) {
		if c.properties == nil {
			c.properties = make(map[string]bool)
		}
		for _, n := range names {
			c.properties[n] = true
		}
	}
}

// Reproduce sets the command that repeats the run; the name of a property is
// appended to it.
func Reproduce(command string) Option { return func(c *config) { c.reproduce = command } }

// Progress has start called when a property is about to be checked, and finished
// with its result when it has been. Either may be nil.
func Progress(start func(*Property), finished func(PropertyResult)) Option {
	return func(c *config) { c.progress, c.finished = start, finished }
}
