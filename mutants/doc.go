// Package mutants proves that the suite can fail: a catalog of planted bugs,
// most of which happened in some real balancer, the generator that compiles
// them all into one test binary, and the runner that counts which property
// convicts which bug.
//
// A mutant is one wrong hunk in one reference file:
//
//	{
//		ID:   "power_of_d_last_never_second",
//		File: "policies/power_of_d.go",
//		Find: "i = c.IntN(n)", Replace: "i = c.IntN(n - 1)",
//		Story:    "The last server is never drawn.",
//		Source:   "classic",
//		Predicts: []string{"power-of-d/pick-law"},
//		Spares:   []string{"keys"},
//	}
//
// go generate ./mutants writes a twin zz_mutants_x.go beside each reference
// file x.go that starts with the line
//
//	//go:build !mutants
//
// The twin, behind the tag mutants, holds the same code and a clone of each
// mutated function. Which one runs is decided once, by package active: by the
// tag mutant_ID, or else by the variable PICKLAW_MUTANT of the environment. So
//
//	go test -tags mutants,mutant_power_of_d_last_never_second ./spec
//
// shows the suite catch that bug, -tags mutants alone is the unmutated code, and
// one build serves the whole catalog. A hunk outside of a function body, such as
// a type or a constant, is applied by go build -overlay instead, in a build of
// its own.
//
// [Run] is honest by construction. The unmutated suite must be green first. A
// mutant is caught only when its code compiles, its suite runs to the end, and a
// named property says violated; whatever else goes wrong is broken, and no exit
// code is taken for a verdict.
//
// It is quick because most checks cannot see most mutants. The green run without
// a mutant records, in the very binary that runs them, which mutated functions
// each check calls, and a mutant is run through those checks only: code that is
// never called cannot change a verdict. Options.Thorough runs everything, and
// must come to the same matrix.
//
// Package opinion, below, generates mutants instead, and asks for each that
// nothing notices why.
//
// A whole run also tells which properties catch nothing but what another one of
// their family catches. Each of them has a reason to be there, in one sentence,
// and the run says where a reason is missing or out of date.
package mutants

//go:generate go run ./generate
