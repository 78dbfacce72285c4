package spec

// A Verdict is the outcome of one property on one subject.
type Verdict string

// The five verdicts. Undecided is never folded into Holds, and HarnessError is
// a fault of this suite, not of the subject.
const (
	Holds        Verdict = "holds"
	Violated     Verdict = "violated"
	Undecided    Verdict = "undecided"
	NotClaimed   Verdict = "not claimed"
	HarnessError Verdict = "harness error"
)

// A Finding names what kind of thing went wrong, when it has a name beyond
// "the property is violated".
type Finding string

// Findings about hostile or broken subjects.
const (
	Panicked       Finding = "panic"           // the subject panicked
	Hung           Finding = "hang"            // a call did not return
	Exited         Finding = "exit"            // the subject ended its process, or crashed it
	UnknownServer  Finding = "unknown server"  // it named a server that is not in the fleet
	Ineligible     Finding = "ineligible"      // it named a server that was not eligible
	Refused        Finding = "refused"         // an error although a server was available
	NeverFills     Finding = "never fills"     // a server that is never filled up
	Leak           Finding = "leak"            // counts that do not come back
	Impure         Finding = "impure"          // chance, time or memory that is hidden from the engine
	WrongLaw       Finding = "wrong law"       // picks that the claimed law does not explain
	BadCoin        Finding = "bad coin"        // a coin without outcomes, or without weights
	TooManyReads   Finding = "too many reads"  // more loads read than the policy pays for
	OutOfRange     Finding = "out of range"    // an index outside the view
	SecondRelease  Finding = "second release"  // a lease that ended twice
	BrokenSequence Finding = "broken sequence" // a rotation that is none
)

// A Level says how binding a property is.
type Level string

// Levels, in the sense of RFC 2119.
const (
	Must   Level = "must"
	Should Level = "should"
)

// A Tier says on what kind of judgement a verdict rests.
type Tier string

// Tiers: two rationals are equal or they are not; evidence with a stated
// false-alarm probability; digits against a published table.
const (
	Exact   Tier = "exact"
	Sampled Tier = "sampled"
	Golden  Tier = "golden"
)
