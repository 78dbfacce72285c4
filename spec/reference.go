package spec

import (
	"time"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
)

// Reference returns the subjects that come with the specification: every
// reference policy as a bare rule, the same rules leased out by a Balancer, and
// the engines of the suite itself.
func Reference() []Subject {
	var all []Subject
	for _, r := range rules() {
		all = append(all, r.Subject)
	}
	for _, r := range rules() {
		s := Subject{
			Name: "balancer/" + r.Name, Doc: r.Doc + ", leased out by a Balancer",
			New: Leased(r.Policy),
			Claims: []Option{
				CountsInFlight(), ReleasesOnce(), KeepsCounts(), Concurrent(),
			},
		}
		if r.law != nil && !r.learns {
			s.Claims = append(s.Claims, Law(r.law))
		}
		all = append(all, s)
	}
	return append(all, engines()...)
}

// A rule is a reference policy with what it claims.
type rule struct {
	Subject
	law    oracle.Law
	learns bool // the law holds only while nothing has been observed
}

func rules() []rule {
	ewma := func(d int) func() policies.Policy {
		return func() policies.Policy {
			return &policies.PeakEWMA{D: d, Tau: 10 * time.Second, Prior: time.Second}
		}
	}
	ring := func(points int) func() policies.Policy {
		return func() policies.Policy { return &policies.Ring{Points: points} }
	}
	return []rule{
		ruled("random", "every server with the same probability",
			func() policies.Policy { return policies.Random{} }, oracle.Random{}),
		ruled("least-request", "a server with the fewest requests in flight",
			func() policies.Policy { return policies.LeastRequest{} }, oracle.LeastRequest{}),
		ruled("power-of-d:2", "the less loaded of two distinct random servers",
			func() policies.Policy { return policies.PowerOfD{D: 2} }, oracle.PowerOfD{D: 2}, ReadsAtMost(2)),
		ruled("power-of-d:3", "the least loaded of three distinct random servers",
			func() policies.Policy { return policies.PowerOfD{D: 3} }, oracle.PowerOfD{D: 3}, ReadsAtMost(3)),
		ruled("power-of-d:2:replacement", "the less loaded of two random servers, which may be the same one",
			func() policies.Policy { return policies.PowerOfD{D: 2, Replacement: true} },
			oracle.PowerOfD{D: 2, Replacement: true}, ReadsAtMost(2)),
		ruled("round-robin", "one server after another",
			func() policies.Policy { return &policies.RoundRobin{} }, oracle.RoundRobin{}),
		learner(ruled("peak-ewma", "the smallest estimated wait; fewest requests while nothing is known",
			ewma(0), oracle.LeastRequest{}, Learns())),
		learner(ruled("peak-ewma:2", "the smaller estimated wait of two; fewer requests while nothing is known",
			ewma(2), oracle.PowerOfD{D: 2}, Learns(), ReadsAtMost(2))),
		ruled("ring", "the owner of the key on a ring of 50 points a server", ring(50), nil, MapsKeys()),
		ruled("ring:1", "the owner of the key on a ring of one point a server", ring(1), nil, MapsKeys()),
	}
}

func ruled(name, doc string, newPolicy func() policies.Policy, law oracle.Law, claims ...Option) rule {
	if law != nil {
		claims = append(claims, Law(law))
	}
	s := OfPolicy(name, newPolicy, claims...)
	s.Doc = doc
	return rule{Subject: s, law: law}
}

func learner(r rule) rule {
	r.learns = true
	return r
}
