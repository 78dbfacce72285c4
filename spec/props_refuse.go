package spec

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/queue"
)

// refusalProperties bind what the simulator refuses.
var refusalProperties = []*Property{{
	Name: "queueing/refuses", Level: Must,
	Sentence: "A world that makes no sense is refused, with an error, before anything runs.",
	Source:   "totality; a size of 0 that was accepted: envoyproxy/envoy#31724",
	Applies:  isWorld, Exact: exactRefusals,
}, {
	Name: "queueing/traces", Level: Must,
	Sentence: "A recorded trace is read as it is written, and refused with its line where it makes no sense.",
	Source:   "totality",
	Applies:  isWorld, Exact: exactTraces,
}}

func exactTraces(r *Run) Result {
	read := func(text string) (arrivals queue.RecordedArrivals, work queue.RecordedWork, err error) {
		r.try("ReadTrace", func() { arrivals, work, err = queue.ReadTrace(strings.NewReader(text), "a trace") })
		return arrivals, work, err
	}
	arrivals, work, err := read("# time, work\n0, 1.5\n\n0 2\n3.25,0.25 # late\n")
	if err != nil || !slices.Equal(arrivals, []float64{0, 0, 3.25}) || !slices.Equal(work, []float64{1.5, 2, 0.25}) {
		return Result{Verdict: Violated, Finding: WrongLaw, Expected: "arrivals 0 0 3.25 with work 1.5 2 0.25", Observed: fmt.Sprint(arrivals, work, err)}
	}
	bad := []string{"", "# nothing\n", "x\n", "-1\n", "NaN\n", "Inf\n", "1\n0\n", "0 1\n1\n", "0\n1 1\n", "0\nx\n2\n", "x\n1\n", "0 1 2\n", "0 -1\n", "0 NaN\n", "0 x\n", "0 0\n"}
	for _, text := range bad {
		if arrivals, work, err := read(text); err == nil {
			return Result{Verdict: Violated, Finding: WrongLaw, Expected: "an error", Observed: fmt.Sprintf("%q was read as %v with work %v", text, arrivals, work)}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("one good trace, %d bad ones", len(bad))}
}

func exactRefusals(r *Run) Result {
	nan, inf := math.NaN(), math.Inf(1)
	good := queue.World{Servers: 2, Arrivals: queue.RecordedArrivals{0, 1, 1}, Work: queue.RecordedWork{1, 0, 2}}
	bad := map[string]func(*queue.World){
		"no server":                func(w *queue.World) { w.Servers = 0 },
		"speeds of other servers":  func(w *queue.World) { w.Speeds = []float64{1} },
		"a speed of 0":             func(w *queue.World) { w.Speeds = []float64{1, 0} },
		"a speed that is NaN":      func(w *queue.World) { w.Speeds = []float64{nan, 1} },
		"a weight of 0":            func(w *queue.World) { w.Weights = []uint64{1, 0} },
		"arrivals out of order":    func(w *queue.World) { w.Arrivals = queue.RecordedArrivals{0, 2, 1} },
		"an arrival before time 0": func(w *queue.World) { w.Arrivals = queue.RecordedArrivals{-1, 0} },
		"an arrival at NaN":        func(w *queue.World) { w.Arrivals = queue.RecordedArrivals{0, nan} },
		"an arrival that is never": func(w *queue.World) { w.Arrivals = queue.RecordedArrivals{0, inf} },
		"no arrival":               func(w *queue.World) { w.Arrivals = queue.RecordedArrivals{} },
		"negative work":            func(w *queue.World) { w.Work = queue.RecordedWork{3, -1} },
		"work that is NaN":         func(w *queue.World) { w.Work = queue.RecordedWork{3, nan} },
		"no work at all":           func(w *queue.World) { w.Work = queue.RecordedWork{0, 0} },
		"a queue without an end":   func(w *queue.World) { w.Arrivals, w.Rho, w.Jobs = nil, 1, 10 },
		"a utilization of NaN":     func(w *queue.World) { w.Arrivals, w.Rho, w.Jobs = nil, nan, 10 },
		"both rho and rate":        func(w *queue.World) { w.Arrivals, w.Rho, w.Rate, w.Jobs = nil, 0.5, 1, 10 },
		"an unknown view":          func(w *queue.World) { w.View = "clear" },
		"a board never refreshed":  func(w *queue.World) { w.View = queue.Stale },
		"negative slots":           func(w *queue.World) { w.Slots = -1 },
		"a sick stranger":          func(w *queue.World) { w.Sick = map[int]float64{2: 0.5} },
	}
	run := func(w queue.World) (err error) {
		r.try("Simulate", func() { _, err = queue.Simulate(w, func() policies.Policy { return policies.Random{} }, r.Seed) })
		return err
	}
	if err := run(good); err != nil {
		return Result{Verdict: Violated, Finding: Refused, Expected: "a run", Observed: err.Error()}
	}
	for what, change := range bad {
		w := good
		if change(&w); run(w) == nil {
			return Result{Verdict: Violated, Finding: WrongLaw, Expected: "an error", Observed: "a run of a world with " + what}
		}
	}
	return Result{Verdict: Holds, Observed: fmt.Sprintf("%d worlds", len(bad))}
}
