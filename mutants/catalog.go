package mutants

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Catalog returns every mutant, in the order of the rooms.
func Catalog() []Mutant {
	return slices.Concat(
		policyMutants,
		balancerMutants,
		ejectionMutants,
		recoveryMutants,
		reportMutants,
		queueMutants,
		engineMutants,
		oracleMutants,
		suiteMutants,
		auditMutants,
		rareMutants,
		breadthMutants,
	)
}

// Module is the path of this module.
const Module = "github.com/picklaw/picklaw"

// Here is the tree of this module that a directory is in, with the catalog.
func Here(dir string) (Tree, error) {
	list := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", Module)
	list.Dir = dir
	out, err := list.CombinedOutput()
	if err != nil {
		return Tree{}, fmt.Errorf("mutants: %s is not in the source tree of %s: %s", dir, Module, strings.TrimSpace(string(out)))
	}
	return Tree{Dir: filepath.Clean(strings.TrimSpace(string(out))), Module: Module, Catalog: Catalog(), Reasons: reasons}, nil
}
