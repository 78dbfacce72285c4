package spec

import (
	"github.com/picklaw/picklaw/oracle"
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
			New:    Leased(r.Policy),
			Claims: append([]Option{CountsInFlight(), ReleasesOnce(), KeepsCounts(), Concurrent(), Retries(), Independent()}, r.outside...),
		}
		if r.law != nil && !r.learns {
			s.Claims = append(s.Claims, Law(r.law))
		}
		all = append(all, s)
	}
	return append(append(all, engines()...), parts()...)
}

// A rule is a reference policy with what it claims.
type rule struct {
	Subject
	law     oracle.Law
	learns  bool     // the law holds only while nothing has been observed
	outside []Option // claims that can be judged from outside, besides those of every Balancer
}

// rules lists the reference policies, each as ParsePolicy builds it from its
// name.
func rules() []rule {
	return []rule{
		ruled("random", "every server with the same probability", oracle.Random{}),
		ruled("weighted-random", "every server in proportion to its weight", oracle.WeightedRandom{}).and(Weighted()),
		ruled("least-request", "a server with the fewest requests in flight", oracle.LeastRequest{}),
		ruled("weighted-least-request", "a server with the fewest requests for its weight", oracle.WeightedLeastRequest{}),
		ruled("power-of-d:2", "the less loaded of two distinct random servers",
			oracle.PowerOfD{D: 2}, ReadsAtMost(2)),
		ruled("power-of-d:3", "the least loaded of three distinct random servers",
			oracle.PowerOfD{D: 3}, ReadsAtMost(3)),
		ruled("power-of-d:2:replacement", "the less loaded of two random servers, which may be the same one",
			oracle.PowerOfD{D: 2, Replacement: true}, ReadsAtMost(2)),

		ruled("round-robin", "one server after another", oracle.RoundRobin{}),
		ruled("smooth-weighted", "the server that is furthest behind its quota", oracle.SmoothWeighted{}).and(Weighted(), Rotates()),
		ruled("weighted-round-robin", "the server that is due first, each as often as its weight says",
			oracle.WeightedRoundRobin{}).and(Weighted(), Rotates()),
		ruled("envoy-weighted", "the server that is due first, less often the more requests it has", nil, SlowsByLoad(1)),

		learner("ewma", "the smallest estimated wait; fewest requests while nothing is known", oracle.LeastRequest{}, LearnsLatency()),
		learner("peak-ewma", "the smallest estimated wait; fewest requests while nothing is known",
			oracle.LeastRequest{}, FollowsPeaks(), Forgets(), LearnsLatency()),
		learner("peak-ewma:2", "the smaller estimated wait of two; fewer requests while nothing is known",
			oracle.PowerOfD{D: 2}, FollowsPeaks(), Forgets(), ReadsAtMost(2), LearnsLatency()),
		learner("least-time", "the smallest estimated latency, whatever the loads", oracle.Random{}, LearnsLatency()),
		learner("ewma-over-success", "the smallest estimated wait, longer the more requests fail", oracle.LeastRequest{}, ReadsVerdicts(), LearnsLatency()),
		learner("peak-ewma-over-success", "the smallest estimated wait, longer the more requests fail", oracle.LeastRequest{}, ReadsVerdicts(), LearnsLatency()),
		learner("lingering-errors", "the fewest requests in flight, where errors stay in flight for a while",
			oracle.LeastRequest{}, ReadsVerdicts(), Forgets(), Lingers(linger)),

		ruled("ring", "the owner of the key on a ring of 50 points a server", nil, Remaps("ring"), shared("ring", 50)).and(MapsKeys(), Weighted(), SharesWithin(2)),
		ruled("ring:1", "the owner of the key on a ring of one point a server", nil, Remaps("ring"), shared("ring", 1)).and(MapsKeys()),
		ruled("rendezvous", "the server with the highest score for the key", nil, Remaps("rendezvous"), shared("rendezvous", 0)).and(MapsKeys(), Weighted(), SharesWithin(1.25)),
		ruled("maglev:1009", "the owner of the key's place in a table of 1009", nil, shared("maglev", 1009)).and(SparesKeys(), Weighted(), SharesWithin(1.25)),
		ruled("hash-mod", "the place of the key modulo the number of servers", nil, Remaps("hash-mod"), shared("hash-mod", 0)).and(SparesKeys(), SharesWithin(1.25)),
		ruled("sticky:random", "the server of the cookie, and a random one without", oracle.Random{}).and(Sticks()),
	}
}

func ruled(name, doc string, law oracle.Law, claims ...Option) rule {
	newPolicy, err := ParsePolicy(name)
	if err != nil {
		panic("spec: " + err.Error())
	}
	if law != nil {
		claims = append(claims, Law(law))
	}
	s := OfPolicy(name, newPolicy, claims...)
	s.Doc = doc
	return rule{Subject: s, law: law}
}

// and adds claims that can be judged from outside too.
func (r rule) and(claims ...Option) rule {
	r.Claims, r.outside = append(r.Claims, claims...), append(r.outside, claims...)
	return r
}

// learner is a rule whose law only holds until it is told something.
func learner(name, doc string, law oracle.Law, claims ...Option) rule {
	r := ruled(name, doc, law, append(claims, Learns())...)
	r.learns = true
	return r
}

// shared is the spread of shares of a scheme.
func shared(scheme string, size int) Option {
	return SharesLike(oracle.KeyShares{Scheme: scheme, Size: size})
}
