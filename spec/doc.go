// Package spec is the specification of request load balancing: properties,
// claims, the suite for go test, and the auditor.
//
// A subject is a balancer, as a black box (a [Factory] of [Picker]) or as a bare
// rule (policies.Policy). It claims things, as options:
//
//	spec.Test(t, newMyPicker,
//		spec.Law(oracle.PowerOfD{D: 2}), spec.CountsInFlight(), spec.Concurrent())
//
// and the suite runs exactly the properties of those claims. [Check] returns the
// same as a value.
//
// A [Property] is a sentence with a source and a check, in one registry that go
// test, the command, the audit and the kill matrix all read. A bare rule is
// judged in the exact tier: its law is enumerated over every outcome of its
// coins and compared with the claimed law as rational numbers,
//
//	P(pick = i)  =  sum over outcomes w that lead to i of P(w).
//
// A black box is judged in the sampled tier: it is filled up and released down
// to a frozen state, single picks are taken from there, and their order and
// their frequencies are bet against the claim. The run convicts a conforming
// subject of anything with probability 1e-9 at most ([DefaultAlpha]), however
// long it looks; an acquittal says within what total variation of the claim.
//
// An acquittal is about the places that were looked at. The law is judged most
// closely, within 0.05, at five states of two small fleets with up to 2d+2
// requests at a server, where d is the number of choices; and more coarsely,
// within 0.1 to 0.2, at eight sizes from 2 to 65 around powers of two and one
// that is drawn from the seed (9 to 40); with up to 1025 requests at a server,
// in large and in single steps around 128, 256 and 1024; after 5000 requests;
// under names and ids in another order; with one server or most of them not
// eligible; after updates, histories and many goroutines. A balancer that is
// wrong only at some other size, or beyond those loads, still holds: run it with
// further seeds, or audit it where it is to be used. A transport that cannot
// carry so much says so ([HoldsAtMost]); of a [FixedFleet], no more than 16
// requests at a server are asked for and its size is the only one.
//
// Weights are 17 at most where the law is judged most closely, and 10, 128, 300 and
// 1000 in one more coarse look, which is not taken at rotations (theirs reach
// policies.MaxWeight, in weighted/huge), at more than four choices, or through a
// transport that says what it can hold. Updates are asked of an [Updater]: of who
// claims [KeepsCounts], joins and leaves of one server, up to nine servers and down
// to two at once, and a fleet that grows from two to nine or more; of a rotation, one server
// at a time; of others, only weights and keys. How a request ends may change the
// picks of who does not claim [CountsInFlight]: then failures and cancelled requests
// must not make it panic, hang, name a stranger or refuse their end, and the law is
// judged without them. A [FixedFleet] is spared even that.
//
// A [Verdict] is one of five, and undecided is never folded into holds. What a
// subject does that no balancer may do is a [Finding] with a name: it panics,
// hangs, exits, names a server that does not exist, leaks its counts, never fills
// a server up.
//
// Index by kind:
//
//	subjects     Subject, Factory, Picker, Fleet, OfPolicy, Leased, Reference
//	abilities    Updater, Counter, Sleeper
//	claims       Law, TiesOpen, Weighted, Rotates, SlowsByLoad, Sticks
//	of requests  CountsInFlight, KeepsCounts, ReleasesOnce, Retries, Concurrent,
//	             Independent
//	of keys      HashesKeys, SparesKeys, MapsKeys, Remaps, SharesWithin,
//	             SharesLike
//	of learning  Learns, LearnsLatency, FollowsPeaks, Forgets, ReadsVerdicts,
//	             Lingers
//	of cost      ReadsAtMost
//	how to run   Alpha, Seed, HangAfter, Only, Reproduce, Progress
//	foreign code Fail, GiveUp, FixedFleet, HoldsAtMost, Contamination, Resolution
//	results      Check, Test, Report, PropertyResult, Verdict, Finding, Diagnosis
//	the registry Properties, Find, Property
package spec
