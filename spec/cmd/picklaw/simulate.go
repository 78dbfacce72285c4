package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/picklaw/picklaw/queue"
)

// simulation is what the flags of simulate say.
type simulation struct {
	model, policy, rng, view, metric, work, arrivals, trace, keys, position string
	speeds, weights, sick, loads                                            string

	n, dispatchers, slots, capacity, jobs, skip, probeEvery, healthyTicks, errorTicks, replications int

	seed                                       uint64
	rho, rate, warmup, horizon, refresh, alpha float64
	cv                                         float64

	ramp, series, quantiles, broken, sharedSeed, json bool
}

// models are the worlds that can be simulated, by name.
var models = []struct {
	name, doc string
	prepare   func(q *simulation) (replication, error)
}{
	{"queue", "servers with queues, any arrivals, work and views", (*simulation).queueModel},
	{"herd", "the published world of many balancers that count their own requests only, over lognormal work", (*simulation).herdModel},
	{"ticks", "discrete time, one backend that answers or fails fast, goodput", (*simulation).ticksModel},
	{"balls", "balls into bins, one after another", (*simulation).ballsModel},
	{"herd-snapshot", "balancers that decide at once from one snapshot of the loads", (*simulation).snapshotModel},
}

// A replication runs a prepared model once. It tells the watch how much of it is
// done, 0 to 1, and ends when the watch returns an error. Its result becomes one
// JSON object.
type replication func(seed uint64, watch func(done float64) error) (result any, err error)

func simulateCommand() *cobra.Command {
	q := new(simulation)
	c := &cobra.Command{
		Use:   "simulate --policy LAW [--model MODEL] [flags]",
		Short: "Run a policy in a world of your own",
		Long: `Run a policy in a simulated world, and print what requests meet there: the mean
and quantiles of their time in system, the peak, shares, tails, goodput.

` + modelHelp() + `
Times are in units of the mean work of a request on a server of speed 1. With
--seeds K there are K replications, on all cores: means, quantiles and shares are
averaged over them, counts added up, peaks are the largest.

Each flag ends with the models that have it and its default there. --jobs and
recorded arrivals replace the default warm-up and horizon. Lists have commas, and
VALUExCOUNT repeats a value: --speeds 1x9,0.2. A trace has the time of arrival
and, in all lines or none, the work on each line; requests at time 0 belong to
the warm-up.

--rng python draws what the published experiments drew, with these policies: ` + replayable + `;
for ticks ` + replayableTicks + `.`,
		Example: `  picklaw simulate --policy power-of-d:2
  picklaw simulate --policy least-request --n 20 --view shared-stale --refresh 2 --json
  picklaw simulate --policy power-of-d:2 --rng python --seeds 3
  picklaw simulate --model ticks --policy peak-ewma:2 --rng python`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			params, err := q.understand(c.Flags())
			if err != nil {
				return err
			}
			return q.run(c.Context(), c.OutOrStdout(), params)
		},
	}
	q.register(c.Flags())
	c.Flags().StringVar(&q.model, "model", "queue", "the world: "+strings.Join(modelNames(), ", "))
	c.Flags().BoolVar(&q.json, "json", false, "print one JSON object")
	return c
}

func modelNames() []string {
	var names []string
	for _, m := range models {
		names = append(names, m.name)
	}
	return names
}

func modelHelp() string {
	var b strings.Builder
	for _, m := range models {
		fmt.Fprintf(&b, "  %-14s %s\n", m.name, m.doc)
	}
	return b.String()
}

// run prepares the model, runs it once for every seed and prints.
func (q *simulation) run(ctx context.Context, out io.Writer, params map[string]any) error {
	var once replication
	for _, m := range models {
		if m.name == q.model {
			var err error
			if once, err = m.prepare(q); err != nil {
				return err
			}
		}
	}
	bar := newProgress(os.Stderr, "simulate", q.replications)
	defer bar.clear()
	runs := make([]figures, q.replications)
	err := queue.Parallel(q.replications, func(i int) (err error) {
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("policy %s panicked: %v", q.policy, r)
			}
		}()
		result, err := once(q.seed+uint64(i), func(done float64) error {
			bar.report(i, done)
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		runs[i], err = figuresOf(result)
		bar.report(i, 1)
		return err
	})
	bar.clear()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return &harnessError{err}
	}
	return q.print(out, params, runs)
}
