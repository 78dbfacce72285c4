// Command proxies holds real proxies against the specification: it starts each
// of them on the loopback interface with a configuration of its own, audits it
// from behind, and writes what it found to PROXIES.md.
//
//	go run ./spec/remote/proxies                          everything, and write the document
//	go run ./spec/remote/proxies --only 'nginx least_conn'   one of them, and print the diagnosis
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"time"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/remote/proxy"
)

// servers is how many servers a proxy has behind it.
const servers = 5

// resolution is the wrongness, in total variation, that must not be missed.
const resolution = 0.2

func main() {
	render := flag.Bool("render", false, "write PROXIES.md from the proxies.json that is there")
	only := flag.String("only", "", "audit the case of this `name`, print its diagnosis, and compare it with the document")
	update := flag.Bool("update", false, "with --only: put what is found into the document")
	dir := flag.String("write", "spec/remote", "the `folder` of PROXIES.md and proxies.json")
	flag.Parse() // exits with 2 on bad usage
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code, err := exitAsRecorded, error(nil)
	switch {
	case *render:
		err = again(*dir)
	case *only != "":
		code, err = one(ctx, *only, *update, *dir)
	default:
		err = run(ctx, *dir)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "proxies:", err)
		if code == exitAsRecorded {
			code = exitHarness
		}
	}
	os.Exit(code)
}

// Exit codes, as those of the command picklaw.
const (
	exitAsRecorded = 0 // it holds, or deviates exactly as the document says
	exitSurprise   = 1
	exitUsage      = 2
	exitUndecided  = 3
	exitHarness    = 4
)

// one audits a single case and compares it with the document.
func one(ctx context.Context, name string, update bool, dir string) (code int, err error) {
	all := cases()
	i := slices.IndexFunc(all, func(k kase) bool { return k.name() == name })
	if i < 0 {
		return exitUsage, fmt.Errorf("no case is named %q", name)
	}
	d, err := read(dir)
	if err != nil {
		return exitHarness, err
	}
	e, err := all[i].audit(ctx)
	if err != nil {
		return exitHarness, err
	}
	for _, p := range e.Properties {
		fmt.Println(p)
	}
	fmt.Println(e.Strays)
	if update {
		if d.Versions[all[i].Proxy], err = version(all[i].Proxy); err != nil {
			return exitHarness, err
		}
		return exitAsRecorded, d.with(e).write(dir)
	}
	code, text := e.compare(d.entry(name))
	fmt.Printf("%s: %s\n", name, text)
	return code, nil
}

// compare is the exit code of an entry, and why.
func (e *Entry) compare(recorded *Entry) (code int, text string) {
	if recorded == nil {
		recorded = new(Entry)
	}
	switch e.Verdict() {
	case spec.Undecided:
		return exitUndecided, "undecided"
	case spec.HarnessError:
		return exitHarness, "harness error"
	}
	now, before := e.violated(), recorded.violated()
	switch {
	case !slices.Equal(now, before):
		return exitSurprise, fmt.Sprintf("violates %v, where the document says %v", now, before)
	case len(now) > 0:
		return exitAsRecorded, "deviates as recorded"
	}
	return exitAsRecorded, "holds"
}

// violated names the properties that do not hold.
func (e *Entry) violated() []string {
	names := []string{}
	for _, p := range e.Properties {
		if p.Verdict == spec.Violated {
			names = append(names, p.Name)
		}
	}
	return names
}

func run(ctx context.Context, dir string) error {
	d := Document{Resolution: resolution, Alpha: spec.DefaultAlpha, Versions: make(map[string]string)}
	for _, p := range []string{"nginx", "haproxy", "caddy"} {
		v, err := version(p)
		if err != nil {
			return err
		}
		d.Versions[p] = v
	}
	for _, k := range cases() {
		fmt.Fprintf(os.Stderr, "%s ...", k.name())
		start := time.Now()
		e, err := k.audit(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, " %s, %.0f s\n", e.Verdict(), time.Since(start).Seconds())
		d.Entries = append(d.Entries, e)
	}
	for _, k := range published() {
		t, err := k.time(ctx, publishedScenario)
		if err != nil {
			return err
		}
		t.Over = nil
		d.Published = append(d.Published, Published{Method: k.Method, Timing: t})
	}
	return d.write(dir)
}

// write writes the findings and the document that they make.
func (d Document) write(dir string) error {
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "proxies.json"), append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "PROXIES.md"), []byte(d.Markdown()), 0o644)
}

// read reads earlier findings.
func read(dir string) (d Document, err error) {
	text, err := os.ReadFile(filepath.Join(dir, "proxies.json"))
	if err != nil {
		return d, err
	}
	return d, json.Unmarshal(text, &d)
}

// entry is what was found of a case; nil when nothing was.
func (d Document) entry(name string) *Entry {
	for _, e := range d.Entries {
		if e.Case == name {
			return e
		}
	}
	return nil
}

// with puts one entry in its place among earlier findings.
func (d Document) with(e *Entry) Document {
	found := map[string]*Entry{}
	for _, before := range append(d.Entries, e) {
		found[before.Case] = before
	}
	d.Entries = nil
	for _, k := range cases() {
		if e := found[k.name()]; e != nil {
			d.Entries = append(d.Entries, e)
		}
	}
	return d
}

// with opens a target for the case and starts its proxy in front of it.
func (k kase) with(ctx context.Context, n int, do func(*proxy.Target) error) error {
	address, err := freeAddress()
	if err != nil {
		return err
	}
	weights := k.Weights
	t, err := proxy.Open("http://"+address+"/", slices.Repeat([]string{"127.0.0.1:0"}, n), weights, proxy.DefaultBounds)
	if err != nil {
		return err
	}
	defer t.Close()
	defer context.AfterFunc(ctx, t.Stop)()
	stop, err := k.start(ctx, address, t.Fleet())
	if err != nil {
		return err
	}
	defer stop()
	return do(t)
}

// audit holds the case against its claims.
func (k kase) audit(ctx context.Context) (*Entry, error) {
	e := &Entry{Case: k.name(), Claim: k.Claim}
	err := k.with(ctx, servers, func(t *proxy.Target) error {
		options := append(slices.Clone(k.Claims), spec.Resolution(resolution), spec.Only(k.Only...))
		r, err := t.Audit(k.name(), options...)
		if err != nil {
			return err
		}
		e.Properties, e.Moved = r.Properties, r.Moved
		for i := range e.Properties {
			e.Properties[i].Seconds = 0 // differs from run to run and says nothing
		}
		if r.Calibration != nil {
			e.Strays = r.Calibration.Text
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	if k.Draws {
		if e.SameTwice, err = k.sameTwice(ctx); err != nil {
			return nil, err
		}
	}
	if k.Timed {
		for _, s := range proxy.Scenarios(servers, 20*time.Millisecond) {
			t, err := k.time(ctx, s)
			if err != nil {
				return nil, err
			}
			t.Over = nil
			e.Scenarios = append(e.Scenarios, t)
			if s.Away >= 0 { // and once more as most people run it
				checked := k
				checked.Checks = true
				s.Name += ", with checks and retries"
				if t, err = checked.time(ctx, s); err != nil {
					return nil, err
				}
				t.Over = nil
				e.Scenarios = append(e.Scenarios, t)
			}
		}
	}
	return e, nil
}

// sameTwice tells whether two starts draw the same picks: then randomness is
// seeded with a constant, and many runs are one sample.
func (k kase) sameTwice(ctx context.Context) (bool, error) {
	var picks [2][]int
	for start := range picks {
		if err := k.with(ctx, servers, func(t *proxy.Target) error {
			d, err := spec.Drive(t.Factory(), spec.Fleet{Servers: t.Fleet()}, 1e-9)
			if err != nil {
				return err
			}
			defer d.Close()
			for range 40 {
				i, err := d.Probe(spec.Request{})
				if err != nil {
					return err
				}
				picks[start] = append(picks[start], i)
			}
			return nil
		}); err != nil {
			return false, err
		}
	}
	return slices.Equal(picks[0], picks[1]), nil
}

// time plays a scenario against a fresh proxy.
func (k kase) time(ctx context.Context, s proxy.Scenario) (timing *proxy.Timing, err error) {
	err = k.with(ctx, len(s.Work), func(t *proxy.Target) error {
		timing, err = t.Run(s)
		return err
	})
	return timing, err
}

// published are the methods of a published experiment with nginx: shares and
// ratios of its times are what can be compared on another machine.
func published() []kase {
	return []kase{
		{Proxy: "nginx", Method: "round robin", Workers: 1},
		{Proxy: "nginx", Method: "least_conn", Workers: 1},
		{Proxy: "nginx", Method: "random two least_conn", Workers: 1},
	}
}

// publishedScenario is that experiment: four servers, one of them four times as
// slow, 16 clients, 200 requests.
var publishedScenario = proxy.Scenario{
	Name: "published", Clients: 16, Requests: 200, Away: -1,
	Work: []time.Duration{50 * time.Millisecond, 50 * time.Millisecond, 50 * time.Millisecond, 200 * time.Millisecond},
}

// again writes the document from earlier findings, after its words have changed.
func again(dir string) error {
	d, err := read(dir)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "PROXIES.md"), []byte(d.Markdown()), 0o644)
}
