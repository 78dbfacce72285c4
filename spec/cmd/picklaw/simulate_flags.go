package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// An option is a flag of simulate. Its value is where it goes, and in says which
// models have it and what it is there when it is not given: nothing, if empty.
type option struct {
	name  string
	value any
	in    map[string]string
	doc   string
}

// everywhere is an option of all models with the same default.
func everywhere(value string) map[string]string {
	in := make(map[string]string)
	for _, name := range []string{"queue", "herd", "ticks", "balls", "herd-snapshot"} {
		in[name] = value
	}
	return in
}

type in = map[string]string

func (q *simulation) options() []option {
	return []option{
		{"policy", &q.policy, everywhere(""), "the law of the policy, as picklaw list spells it"},
		{"n", &q.n, in{"queue": "100", "herd": "16", "ticks": "4", "balls": "1000"}, "number of servers, or bins"},
		{"rho", &q.rho, in{"queue": "0.9", "herd": "0.8"}, "utilization"},
		{"rate", &q.rate, in{"queue": "", "ticks": "0.32"}, "arrivals per unit of time, for queue instead of --rho"},
		{"ramp", &q.ramp, in{"queue": "false", "herd": "false"}, "allow more arrivals than the servers can work off"},
		{"jobs", &q.jobs, in{"queue": "", "herd": "300000", "balls": ""}, "end after so many requests; balls, as many as bins if not given"},
		{"skip", &q.skip, in{"queue": "0", "herd": "20000"}, "do not count the first requests"},
		{"warmup", &q.warmup, in{"queue": "500"}, "do not count requests that arrive up to this time"},
		{"horizon", &q.horizon, in{"queue": "2500", "ticks": "20000"}, "the last time at which requests arrive"},
		{"arrivals", &q.arrivals, in{"queue": "poisson"}, "poisson, even or a FILE of times"},
		{"work", &q.work, in{"queue": "exponential"}, "exponential, constant, lognormal:SIGMA, erlang:K, hyperexponential:CV2 or a FILE of numbers"},
		{"trace", &q.trace, in{"queue": ""}, "a FILE of arrivals and work"},
		{"keys", &q.keys, in{"queue": ""}, "uniform:N, zipf:N:EXPONENT, viral:N:SHARE or sessions:N:REQUESTS"},
		{"speeds", &q.speeds, in{"queue": ""}, "speed of each server"},
		{"weights", &q.weights, in{"queue": "", "ticks": ""}, "weight of each server, as the policy is told"},
		{"sick", &q.sick, in{"queue": ""}, "servers that are slower than they should be, as SERVER:FACTOR"},
		{"slots", &q.slots, in{"queue": "1", "ticks": "1"}, "requests a server works on at a time"},
		{"capacity", &q.capacity, in{"queue": ""}, "requests a server holds at most; one beyond is lost"},
		{"view", &q.view, in{"queue": "fresh"}, "what a dispatcher sees: fresh, stale, shared-stale or local"},
		{"refresh", &q.refresh, in{"queue": ""}, "period of a stale board"},
		{"metric", &q.metric, in{"queue": "count"}, "what a load is: count or work"},
		{"dispatchers", &q.dispatchers, in{"queue": "1", "herd": "4", "herd-snapshot": "100"}, "how many balancers share the requests"},
		{"probe-every", &q.probeEvery, in{"queue": ""}, "look at the servers before every so-manieth request, for tails"},
		{"series", &q.series, in{"queue": "false"}, "print the jobs at each server at each probe"},
		{"quantiles", &q.quantiles, in{"queue": "true", "herd": "true"}, "find quantiles, which takes memory and time"},
		{"healthy-ticks", &q.healthyTicks, in{"ticks": "10"}, "service time of the healthy backends"},
		{"error-ticks", &q.errorTicks, in{"ticks": "1"}, "service time of the fast one"},
		{"broken", &q.broken, in{"ticks": "true"}, "every call to the fast backend fails"},
		{"position", &q.position, in{"ticks": "last"}, "where the fast backend is in the list: first or last"},
		{"cv", &q.cv, in{"ticks": "0"}, "coefficient of variation of the service times"},
		{"alpha", &q.alpha, in{"ticks": "0.2"}, "weight of the newest latency in ewma, peak-ewma, least-time and ewma-over-success, which start from the service times"},
		{"loads", &q.loads, in{"herd-snapshot": "10x42,0,10x57"}, "load of each server in the snapshot"},
		{"shared-seed", &q.sharedSeed, in{"herd-snapshot": "false"}, "all balancers throw the same coins"},
		{"seed", &q.seed, everywhere("1"), "root of all chance in the run"},
		{"seeds", &q.replications, everywhere("1"), "replications, with the seeds from --seed on"},
		{"rng", &q.rng, in{"queue": "pcg", "herd": "pcg", "ticks": "pcg", "balls": "pcg"}, "pcg, or python to replay"},
	}
}

// register adds the flags.
func (q *simulation) register(flags *pflag.FlagSet) {
	flags.SortFlags = false
	for _, o := range q.options() {
		var where []string
		for _, m := range modelNames() {
			if value, has := o.in[m]; has {
				where = append(where, strings.TrimSpace(m+" "+value))
			}
		}
		doc := o.doc + " [" + strings.Join(where, ", ") + "]"
		switch at := o.value.(type) {
		case *string:
			flags.StringVar(at, o.name, "", doc)
		case *int:
			flags.IntVar(at, o.name, 0, doc)
		case *uint64:
			flags.Uint64Var(at, o.name, 0, doc)
		case *float64:
			flags.Float64Var(at, o.name, 0, doc)
		case *bool:
			flags.BoolVar(at, o.name, false, doc)
		}
	}
}

// understand refuses flags that the model does not have and numbers that are
// none, fills in the defaults, and returns what holds in the end.
func (q *simulation) understand(flags *pflag.FlagSet) (params map[string]any, err error) {
	if !slices.Contains(modelNames(), q.model) {
		return nil, fmt.Errorf("--model is %q, want one of %s", q.model, strings.Join(modelNames(), ", "))
	}
	replaced := q.replaced(flags)
	params = map[string]any{"model": q.model}
	for _, o := range q.options() {
		flag := flags.Lookup(o.name)
		value, has := o.in[q.model]
		switch {
		case flag.Changed && !has:
			return nil, fmt.Errorf("--%s is no flag of model %s", o.name, q.model)
		case flag.Changed:
			if err := checkNumber(o); err != nil {
				return nil, err
			}
		case value == "" || slices.Contains(replaced, o.name):
			continue
		default:
			if err := flag.Value.Set(value); err != nil {
				return nil, &harnessError{fmt.Errorf("default of --%s: %w", o.name, err)}
			}
		}
		params[strings.ReplaceAll(o.name, "-", "_")] = dereferenced(o.value)
	}
	return params, q.check()
}

// replaced lists the options that have no default because of others.
func (q *simulation) replaced(flags *pflag.FlagSet) (names []string) {
	given := func(name string) bool { return flags.Changed(name) }
	recorded := given("trace") || given("arrivals") && isFile(q.arrivals, "poisson", "even")
	if given("rate") || recorded {
		names = append(names, "rho")
	}
	if q.model == "queue" && given("jobs") || recorded {
		names = append(names, "warmup", "horizon")
	}
	if given("trace") {
		names = append(names, "arrivals", "work")
	}
	return names
}

// largest bounds whatever memory is reserved for.
const largest = 1 << 24

// checkNumber refuses what is no number for any option.
func checkNumber(o option) error {
	mayBeZero := slices.Contains([]string{"warmup", "skip", "cv"}, o.name)
	want := "a positive number"
	if mayBeZero {
		want = "0 or more"
	}
	switch x := dereferenced(o.value).(type) {
	case float64:
		if !(x > 0 || x == 0 && mayBeZero) || math.IsInf(x, 1) {
			return fmt.Errorf("--%s is %v, want %s", o.name, x, strings.Replace(want, "a positive", "a finite positive", 1))
		}
	case int:
		if x < 0 || x == 0 && !mayBeZero {
			return fmt.Errorf("--%s is %d, want %s", o.name, x, want)
		}
		bounded := []string{"n", "slots", "dispatchers", "seeds"}
		if x > largest && slices.Contains(bounded, o.name) {
			return fmt.Errorf("--%s is %d, want at most %d", o.name, x, largest)
		}
	}
	return nil
}

func dereferenced(pointer any) any {
	switch at := pointer.(type) {
	case *string:
		return *at
	case *int:
		return *at
	case *uint64:
		return *at
	case *float64:
		return *at
	case *bool:
		return *at
	}
	panic(fmt.Sprintf("picklaw: a flag of type %T", pointer))
}

// check refuses what single flags and their relations can have wrong in any
// model.
func (q *simulation) check() error {
	switch {
	case q.policy == "":
		return fmt.Errorf("nothing to simulate: want --policy LAW, such as power-of-d:2")
	case q.rho >= 1 && !q.ramp && q.capacity == 0:
		return fmt.Errorf("--rho is %v, want less than 1: the queues would grow without end (--ramp runs it all the same)", q.rho)
	case q.position != "" && q.position != "first" && q.position != "last":
		return fmt.Errorf("--position is %q, want first or last", q.position)
	case q.rng != "" && q.rng != "pcg" && q.rng != "python":
		return fmt.Errorf("--rng is %q, want pcg or python", q.rng)
	case q.series && q.probeEvery == 0:
		return fmt.Errorf("--series lists what probes see, want --probe-every too")
	case q.series && !q.json:
		return fmt.Errorf("--series is too long for a table, want --json too")
	}
	return nil
}

// isFile tells whether a word can only be the name of a file: it is none of the
// names, with or without parameters.
func isFile(word string, names ...string) bool {
	name, _, _ := strings.Cut(word, ":")
	return !slices.Contains(names, name)
}

// list reads values with commas; VALUExCOUNT repeats one.
func list[T any](flag, text, want string, parse func(string) (T, error)) ([]T, error) {
	var values []T
	if text == "" {
		return nil, nil
	}
	for _, word := range strings.Split(text, ",") {
		value, times, repeated := strings.Cut(word, "x")
		x, err := parse(value)
		count := 1
		if err == nil && repeated {
			count, err = strconv.Atoi(times)
		}
		if err != nil || count < 1 || len(values)+count > largest {
			return nil, fmt.Errorf("--%s has %q, want %s with commas, VALUExCOUNT to repeat one", flag, word, want)
		}
		values = append(values, slices.Repeat([]T{x}, count)...)
	}
	return values, nil
}

func parseFloat(s string) (float64, error) { return strconv.ParseFloat(s, 64) }
func parseUint(s string) (uint64, error)   { return strconv.ParseUint(s, 10, 64) }
