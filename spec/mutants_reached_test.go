//go:build mutants

package spec

import "github.com/picklaw/picklaw/mutants/active"

func init() { reached = active.Reached }
