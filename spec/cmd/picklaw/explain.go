package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
)

func explainCommand() *cobra.Command {
	var n int
	var rho float64
	var loads []int
	var seed uint64
	var asJSON bool
	c := &cobra.Command{
		Use:   "explain LAW [--n SERVERS] [--rho UTILIZATION] [--loads L,L,...]",
		Short: "Say what a law should look like on a fleet: shares, windows, tails",
		Long: `Say what a pick law should look like on a fleet of equal servers at some
utilization: the exact probabilities in a state, and from a simulation with
Poisson arrivals and exponential work the shares in the long run and in windows,
how many servers tie at a pick, and the tails of queues and delays.

It is the answer to "least request looks random": with many idle servers it is.`,
		Example: `  picklaw explain least-request --n 10 --rho 0.3
  picklaw explain power-of-d:2 --n 100 --rho 0.9 --loads 0,1,1,2,5`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			law, err := oracle.ParseLaw(args[0])
			if err != nil {
				return err
			}
			newPolicy, err := spec.ParsePolicy(args[0])
			if err != nil {
				return err
			}
			switch {
			case n < 1 || n > 10_000:
				return fmt.Errorf("--n is %d, want 1 to 10000 servers", n)
			case !(rho > 0 && rho < 1):
				return fmt.Errorf("--rho is %v, want a utilization strictly between 0 and 1", rho)
			case slices.ContainsFunc(loads, func(l int) bool { return l < 0 }):
				return fmt.Errorf("--loads is %v, want requests in flight, none below 0", loads)
			}
			if loads == nil {
				for i := range min(n, 6) {
					loads = append(loads, i)
				}
			}
			x, err := explain(law, newPolicy, n, rho, loads, seed)
			if err != nil {
				return err
			}
			if asJSON {
				e := json.NewEncoder(c.OutOrStdout())
				e.SetIndent("", "  ")
				return e.Encode(x)
			}
			x.print(c.OutOrStdout())
			return nil
		},
	}
	f := c.Flags()
	f.IntVar(&n, "n", 10, "servers")
	f.Float64Var(&rho, "rho", 0.7, "utilization of each server")
	f.IntSliceVar(&loads, "loads", nil, "requests in flight, one for each server of a state (default 0,1,...,5)")
	f.Uint64Var(&seed, "seed", 1, "of the simulation")
	f.BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func (x *explanation) print(out io.Writer) {
	line := func(format string, args ...any) { fmt.Fprintf(out, format+"\n", args...) }
	line("%s, %d equal servers, utilization %v\n", x.Law, x.N, x.Rho)

	line("One pick, exactly:")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name string, words []string) { fmt.Fprintf(w, "  %s\t%s\n", name, strings.Join(words, "\t")) }
	loads, percent := make([]string, len(x.Loads)), make([]string, len(x.Loads))
	for i, l := range x.Loads {
		loads[i] = fmt.Sprint(l)
		p, _ := new(big.Rat).SetString(x.LawAt[i])
		share, _ := p.Float64()
		percent[i] = fmt.Sprintf("%.1f%%", 100*share)
	}
	row("in flight", loads)
	row("probability", x.LawAt)
	row("", percent)
	w.Flush()
	if strings.HasSuffix(x.Law, "round-robin") || x.Law == "smooth-weighted" {
		line("  (of the first pick; the others follow from the last ones)")
	}

	least, most := slices.Min(x.Shares), slices.Max(x.Shares)
	line("\nShares of %d requests: %.1f%% to %.1f%% a server, where each has %.1f%% in the long run.",
		x.Requests, 100*least, 100*most, 100/float64(x.N))
	line("In the long run every law that treats servers alike has these shares, so they tell nothing apart.")

	v := x.Window
	line("\nWindows of %d picks in a row: a server gets %.0f on average, and from %d to %d in 98 of 100.", v.Picks, v.Mean, v.Low, v.High)
	line("The standard deviation is %.2f; of random picks it is %.2f, of a rotation 0.", v.SD, v.SDRandom)
	line("%s", x.likeness())

	line("\nAt a pick %.1f of %d servers tie for the fewest requests in flight; %.1f%% of the picks went to an idle server.",
		x.Ties, x.N, 100*x.Idle)

	line("\nQueues, and time in system in units of the mean service time:")
	w = tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	var ks, simulated, random, limit []string
	for k := range x.Tails {
		ks = append(ks, fmt.Sprintf("k=%d", k+1))
		simulated = append(simulated, tail(x.Tails[k]))
		random = append(random, tail(x.TailsRandom[k]))
		if x.TailsLimit != nil {
			limit = append(limit, tail(x.TailsLimit[k]))
		}
	}
	row("servers with k or more", ks)
	row("simulated", simulated)
	row("random, exact", random)
	if limit != nil {
		row("many servers, limit", limit)
	}
	w.Flush()
	line("  mean %.3f (random %.3f), median %.3f, 99th percentile %.2f (random %.2f)", x.Mean, x.MeanRandom, x.P50, x.P99, x.P99Random)
}

// likeness compares the scatter in windows with that of random picks.
func (x *explanation) likeness() string {
	switch part := x.Window.SD / x.Window.SDRandom; {
	case x.N == 1 || math.IsNaN(part):
		return "With one server there is nothing to tell."
	case part > 0.9 && part < 1.1:
		return fmt.Sprintf("That is %.0f%% of random's: in shares over windows like this, it looks random. Look at the tails.", 100*part)
	case part < 1:
		return fmt.Sprintf("That is %.0f%% of random's: it is more even than random.", 100*part)
	default:
		return fmt.Sprintf("That is %.0f%% of random's: it is less even than random.", 100*part)
	}
}

func tail(p float64) string {
	if p > 0 && p < 1e-4 {
		return fmt.Sprintf("%.1e", p)
	}
	return fmt.Sprintf("%.4f", p)
}
