// Package opinion asks for a second opinion on the suite. The catalog of package
// mutants holds bugs that somebody thought of; here they are generated: every
// function of policies, queue and oracle is changed in all the small ways that
// [Operators] lists, one at a time, and whatever nothing notices is looked at.
//
//	picklaw mutants opinion --package policies --results policies.jsonl
//
// For each change, func f turns to a clone of itself that has the change in it:
//
//	func f(a, b int) int { switch picklawOpinion {
//	case 17:
//		return f_opinion17(a, b)
//	}; return a + b }
//
// All clones of a package are one build, which go build -overlay sees instead of
// the files of the package, and a change costs one start of a test binary. What
// the type checker refuses is not viable; it is left out of the build, and is no
// kill.
//
// A change is killed when a named property of the specification says violated,
// over the exact tier, or when a test of its own package fails, in short form. Of
// both only those are run, the quick ones first, that run the changed code
// without a change; what none of them runs is not covered. No exit code is taken
// for a verdict, and everything must be green without a change first.
//
// A survivor needs a property, a test, or a reason: reasons.txt names them by
// function, operator and text, so that they stand when lines move, and OPINION.md
// is the outcome. Package-level variables, functions called init, and the wording
// of errors are not changed.
package opinion
