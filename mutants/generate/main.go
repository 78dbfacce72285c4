// Command generate writes the twins of the reference files and what package
// active knows of the catalog. It is run by go generate ./mutants.
package main

import (
	"fmt"
	"os"

	"github.com/picklaw/picklaw/mutants"
)

func main() {
	tree, err := mutants.Here(".")
	if err == nil {
		var written int
		written, err = tree.Generate()
		fmt.Printf("%d mutants, %d files written\n", len(tree.Catalog), written)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
