package main

import (
	"fmt"
	"strings"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/remote/proxy"
)

// A Document is what the audit of all proxies found.
type Document struct {
	Versions   map[string]string
	Alpha      float64
	Resolution float64
	Entries    []*Entry
	Published  []Published
}

// An Entry is what was found of one case.
type Entry struct {
	Case       string
	Claim      string
	Properties []spec.PropertyResult
	Strays     string `json:",omitempty"`
	Moved      int
	SameTwice  bool            `json:",omitempty"`
	Scenarios  []*proxy.Timing `json:",omitempty"`
}

// Published is a method in the published experiment.
type Published struct {
	Method string
	Timing *proxy.Timing
}

// Verdict is the worst of the entry.
func (e *Entry) Verdict() spec.Verdict {
	var r spec.Report
	for _, p := range e.Properties {
		r.Add(p)
	}
	return r.Verdict()
}

// figures is a published table of an experiment with nginx: the share of the slow server in per cent,
// and the seconds that 200 requests took.
var figures = map[string]struct{ share, seconds float64 }{
	"round robin":           {25.0, 10.1},
	"least_conn":            {9.0, 3.6},
	"random two least_conn": {9.5, 3.8},
}

// Markdown is the document for people.
func (d Document) Markdown() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# Live proxies held against the specification\n")
	line("nginx %s, HAProxy %s and Caddy %s, each started on the loopback interface with a configuration of its own: %d servers,",
		d.Versions["nginx"], d.Versions["haproxy"], d.Versions["caddy"], servers)
	line("one worker or thread unless said otherwise, no passive checks, no retries, no connections kept. Responses are")
	line("held back to freeze a state; then single picks are taken, each after the proxy has settled.\n")
	line("A conviction is wrong with probability %g at most, if strays are no more frequent than stated. A proxy that", d.Alpha)
	line("holds is within %v of the claim, in total variation, at five states: a staircase of 0 to 4 requests, the same", d.Resolution)
	line("downwards, none, pairs, and one idle server among busy ones. What a proxy is held to is what its manual says,")
	line("or what a user takes from the name; \"ties open\" leaves open which of several minima is picked.\n")
	line("`make audit-proxies` writes this file; `go run ./spec/remote/proxies --only 'CASE'` repeats one case and prints")
	line("its whole diagnosis. It exits with 0 when that is what is written here, deviations included, with 1 when it is not,")
	line("with 3 when nothing was decided, and with 4 when the audit itself failed.\n")
	line("| case | held to | property | verdict | picks | expected | observed |")
	line("|---|---|---|---|---|---|---|")
	for _, e := range d.Entries {
		for _, p := range e.Properties {
			line("| %s | `%s` | %s | %s | %d | %s | %s |", e.Case, e.Claim, p.Name, p.Verdict, p.Samples, firstLine(p.Expected), firstLine(p.Observed))
		}
	}
	line("\n## Deviations\n")
	for _, e := range d.Entries {
		for _, p := range e.Properties {
			if p.Verdict != spec.Violated {
				continue
			}
			line("### %s: %s\n", e.Case, p.Name)
			if text := deviations[e.Case]; text != "" {
				line("%s\n", text)
			}
			if x := p.Diagnosis; x != nil {
				line("State: %s.\n", x.State)
				line("| server | in flight | expected | observed |\n|---|---|---|---|")
				for i, r := range x.Rows {
					line("| %d | %s | %s | %s |", i, r.Load, r.Expected, r.Observed)
				}
				line("\nBest fit: %s. Evidence: %s.", x.Fits, p.Evidence)
			} else {
				line("%s", p.Observed)
			}
			line("\nReproduce: `go run ./spec/remote/proxies --only '%s'`\n", e.Case)
		}
	}
	line("## Strays and seeds\n")
	line("| case | strays | two starts draw the same picks |\n|---|---|---|")
	for _, e := range d.Entries {
		if e.Strays != "" {
			same := ""
			if e.SameTwice {
				same = "yes: a constant seed"
			}
			line("| %s | %s | %s |", e.Case, e.Strays, same)
		}
	}
	line("\n## Timed scenarios\n")
	line("%d servers that work on one request at a time, 20 ms each, %d closed-loop clients, %d requests; the last server is",
		servers, 4*servers, 50*servers)
	line("the odd one. Wall-clock numbers of one run: read the shares and the ratios. Checks and retries are passive checks of")
	line("nginx with its defaults, active and passive ones of HAProxy with redispatch, and passive ones of Caddy with retries.\n")
	line("| case | scenario | share of the last server | seconds | p50 ms | p99 ms | failed | goodput 1/s |\n|---|---|---|---|---|---|---|---|")
	for _, e := range d.Entries {
		for _, t := range e.Scenarios {
			line("| %s | %s | %.1f%% | %.2f | %.0f | %.0f | %d | %.0f |", e.Case, t.Scenario, 100*t.Shares[servers-1],
				t.Seconds, 1000*t.P50, 1000*t.P99, t.Failed, t.Goodput)
		}
	}
	line("\n## A published experiment\n")
	line("Four servers that work on one request at a time, 50, 50, 50 and 200 ms, 16 closed-loop clients, 200 requests")
	line("through nginx. Shares and ratios are the claim.\n")
	line("| method | share of the slow server | published | seconds | published | times round robin | published |\n|---|---|---|---|---|---|---|")
	for _, p := range d.Published {
		f := figures[p.Method]
		line("| %s | %.1f%% | %.1f%% | %.1f | %.1f | %.2f | %.2f |", p.Method, 100*p.Timing.Shares[3], f.share,
			p.Timing.Seconds, f.seconds, p.Timing.Seconds/d.Published[0].Timing.Seconds, f.seconds/figures["round robin"].seconds)
	}
	return b.String()
}

func firstLine(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	return strings.ReplaceAll(text, "|", "\\|")
}

// deviations say what a deviation does to a user.
var deviations = map[string]string{
	"nginx least_conn with weights": "nginx compares requests in flight over weight, where others count the request that is " +
		"being placed: (in flight + 1)/weight. So all idle servers are equal to it, whatever they weigh, and a rotation by " +
		"weights chooses among them. At low load the light servers get their share of the traffic although a heavy one has " +
		"nothing to do; a user who weights by speed pays for that with latency. The manual says that ties are tried in turn.",
	"nginx least_conn, 2 workers": "Without a zone each worker counts its own requests only, so a server that is busy " +
		"through the other worker looks idle. With w workers that share the connections the choice is as good as w balancers " +
		"that do not know of each other. The manual says that a zone shares the state; nothing warns when there is none.",
	"nginx round robin, 2 workers": "Without a zone each worker has a rotation of its own, and connections come to the workers " +
		"in runs. Over many requests every server still gets its share; over a few, one server can get two in a row while " +
		"another waits, which a user sees who counts on a window of n requests. With a zone there is one rotation.",
	"nginx random two least_conn, 2 workers": "Without a zone a worker compares its own requests only: a server that is busy " +
		"through the other one looks idle, and the most loaded of all is picked, which two distinct choices never do. With a " +
		"zone it holds.",
	"haproxy random(2), 2 threads": "As with one thread: the two draws may be the same server, and each is as uneven as the " +
		"arcs of the ring. A second thread changes nothing, since the counts are shared.",
	"caddy random_choose": "The sample is filled in the order of the configuration, and of the sampled servers the first that has " +
		"nothing in flight wins at once. While everything is idle, the first server gets two fifths of the traffic and the second " +
		"one nothing, for as long as the load is low; only busy servers are compared as the name says.",
	"haproxy random(1)": "HAProxy draws a random point on its ring of consistent hashing. A server's probability is the " +
		"length of its arcs, which depends on names and weights and stays as it is: some servers get more than their share " +
		"for as long as the configuration lasts. The manual names the ring, and not what it does to the shares. Weights of 100 put " +
		"a hundred times as many points on the ring; with them it holds.",
	"haproxy random(2)": "The two draws may be the same server, so the most loaded server of all is still picked, and each " +
		"draw is as uneven as the arcs of the ring. It balances between random and the power of two distinct choices.",
}
