// Package active says which mutant runs. It is linked only into code behind the
// build tag mutants.
package active

import (
	"fmt"
	"os"
)

// Mutant is the number of the mutant that runs, 0 for none. It is set before
// main, and only then.
var Mutant = named(os.Getenv("PICKLAW_MUTANT"))

// named is the number of a mutant. A name that is not in the catalog must not
// pass for the unmutated code.
func named(id string) int {
	n, known := numbers[id]
	if !known {
		panic(fmt.Sprintf("mutants: PICKLAW_MUTANT is %q, which is no mutant of this build", id))
	}
	return n
}

// tagged is the mutant that a build tag chose.
//
//lint:ignore U1000 used by the files of the tags
var tagged string

// choose is how the tag of a mutant chooses it.
//
//lint:ignore U1000 used by the files of the tags
func choose(id string) {
	if tagged != "" && tagged != id {
		panic(fmt.Sprintf("mutants: the tags choose both %s and %s, want one mutant at a time", tagged, id))
	}
	tagged, Mutant = id, named(id)
}
