// Package active says which mutant runs. It is linked only into code behind the
// build tag mutants.
package active

import (
	"fmt"
	"os"
	"slices"
	"sync/atomic"
)

// Mutant is the number of the mutant that runs, 0 for none. It is set before
// main, and only then.
var Mutant = chosen(os.Getenv("PICKLAW_MUTANT"), os.Getenv("PICKLAW_RECORD") != "")

// Recording runs the unmutated code, like none, and notes the mutants whose
// functions are called.
const Recording = -1

func chosen(id string, record bool) int {
	if m := named(id); m != none || !record {
		return m
	}
	return Recording
}

// reached has a mark for each mutant.
var reached = make([]atomic.Bool, len(numbers))

// Reach notes that a function is called in which these mutants are.
func Reach(mutants ...int) {
	for _, m := range mutants {
		if !reached[m].Load() { // most marks are there already, and reading is cheap
			reached[m].Store(true)
		}
	}
}

// Reached names the mutants whose functions have been called since it was last
// asked, and whether calls are recorded at all.
func Reached() (ids []string, recording bool) {
	if Mutant != Recording {
		return nil, false
	}
	ids = []string{}
	for id, m := range numbers {
		if reached[m].Swap(false) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, true
}

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
