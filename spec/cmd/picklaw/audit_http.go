package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/pflag"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/remote/page"
	"github.com/picklaw/picklaw/spec/remote/proxy"
	"github.com/picklaw/picklaw/spec/verify"
)

// httpTarget is what the flags say of a live proxy.
type httpTarget struct {
	url       string
	backends  []string
	weights   []string
	bounds    proxy.Bounds
	settle    time.Duration
	scenarios bool
}

// flags are worded for the command that has them.
func (h *httpTarget) flags(f *pflag.FlagSet, verb string) {
	h.bounds, h.settle = proxy.DefaultBounds, proxy.DefaultSettle
	f.StringVar(&h.url, "http", "", verb+" the proxy at this URL, such as http://127.0.0.1:8080/")
	f.StringSliceVar(&h.backends, "backends", nil, "the addresses of the servers behind it, on which picklaw will listen")
	f.StringSliceVar(&h.weights, "weights", nil, "the weights that the proxy gives them (default: equal)")
	f.DurationVar(&h.settle, "settle", proxy.DefaultSettle, "how long the proxy is left alone after each response, at least")
	f.Float64Var(&h.bounds.Rate, "rate", h.bounds.Rate, "requests a second at most")
	f.Uint64Var(&h.bounds.Requests, "max-requests", h.bounds.Requests, "requests in total at most")
	f.DurationVar(&h.bounds.Time, "max-time", h.bounds.Time, "how long it may take")
	f.BoolVar(&h.bounds.OwnTarget, "i-own-this-target", false, verb+" a proxy that is not on this machine; you answer for it")
}

// proxyFlags are those that mean nothing without --http.
var proxyFlags = []string{"backends", "weights", "settle", "rate", "max-requests", "max-time", "i-own-this-target", "scenarios"}

// refuse says which flag was given that only a proxy has a use for.
func (h *httpTarget) refuse(given *pflag.FlagSet) error {
	if h.url != "" {
		return nil
	}
	for _, name := range proxyFlags {
		if given.Changed(name) {
			return fmt.Errorf("--%s is about a live proxy: want it with --http, or not at all", name)
		}
	}
	return nil
}

// open reads the flags and listens.
func (h *httpTarget) open(patience time.Duration) (*proxy.Target, error) {
	h.bounds.Patience = patience
	var weights []uint64
	for _, word := range h.weights {
		w, err := strconv.ParseUint(word, 10, 32)
		if err != nil || w == 0 {
			return nil, fmt.Errorf("--weights %q: want positive whole numbers, one for each of --backends", word)
		}
		weights = append(weights, w)
	}
	if h.settle < 0 {
		return nil, fmt.Errorf("--settle is %v, want at least 0", h.settle)
	}
	t, err := proxy.Open(h.url, h.backends, weights, h.bounds)
	if err != nil {
		return nil, err
	}
	t.Settle = h.settle
	if err := t.Reachable(); err != nil {
		t.Close()
		return nil, fmt.Errorf("--http %s: %w", h.url, err)
	}
	return t, nil
}

// words repeats the flags on a command line.
func (h *httpTarget) words() string {
	text := " --http " + quoted(h.url) + " --backends " + strings.Join(h.backends, ",")
	if len(h.weights) > 0 {
		text += " --weights " + strings.Join(h.weights, ",")
	}
	if h.settle != proxy.DefaultSettle {
		text += " --settle " + h.settle.String()
	}
	if h.bounds.OwnTarget {
		text += " --i-own-this-target"
	}
	return text
}

// auditProxy holds a live proxy against what it claims.
func (q *auditRequest) auditProxy(ctx context.Context, options []spec.Option, out io.Writer) error {
	t, err := q.target.open(q.patience)
	if err != nil {
		return err
	}
	defer t.Close()
	defer context.AfterFunc(ctx, t.Stop)()
	if q.resolution == 0 {
		q.resolution = proxyResolution
	}
	r, err := t.Audit(q.target.url, append(options, q.settings("picklaw audit"+q.target.words()+q.words())...)...)
	if err != nil {
		return interrupted(ctx, err)
	}
	if q.target.scenarios {
		for _, s := range proxy.Scenarios(len(t.Fleet()), 20*time.Millisecond) {
			timing, err := t.Run(s)
			if err != nil {
				return interrupted(ctx, err)
			}
			r.Scenarios = append(r.Scenarios, timing)
		}
		r.Requests = t.Requests()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return q.showProxy(out, r)
}

// proxyResolution is the wrongness that must not be missed on a live proxy,
// where one pick takes milliseconds: a tenth of the picks of the finest.
const proxyResolution = 0.15

// interrupted tells a failure that the user caused by stopping from others.
func interrupted(ctx context.Context, err error) error {
	var subject *spec.Misbehaviour
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &subject):
		return err
	}
	return &harnessError{err}
}

func (q *auditRequest) showProxy(out io.Writer, r *proxy.Report) error {
	s := verify.Summary{Alpha: q.alpha}
	s.Add(r.Report)
	if err := q.nothing(r.Report); err != nil {
		return err
	}
	shown := page.Report{Report: r.Report, Scenarios: r.Scenarios}
	if r.Calibration != nil {
		shown.Notes = append(shown.Notes, "Strays: "+r.Calibration.Text+".")
	}
	if err := writePage(q.html, q.alpha, shown); err != nil {
		return err
	}
	if q.json {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		if err := e.Encode(r); err != nil {
			return &harnessError{err}
		}
		return verdict(s.ExitCode())
	}
	s.Print(out, nil)
	if r.Calibration != nil {
		fmt.Fprintln(out, "strays:", r.Calibration.Text)
	}
	fmt.Fprintf(out, "%d requests were sent; %d arrived at a second server\n", r.Requests, r.Moved)
	if len(r.Scenarios) > 0 {
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "\nscenario\tshares %\tseconds\tp50 ms\tp99 ms\tfailed\tgoodput 1/s")
		for _, t := range r.Scenarios {
			shares := make([]string, len(t.Shares))
			for i, s := range t.Shares {
				shares[i] = fmt.Sprintf("%.1f", 100*s)
			}
			fmt.Fprintf(w, "%s\t%s\t%.2f\t%.0f\t%.0f\t%d of %d\t%.1f\n", t.Scenario, strings.Join(shares, " "),
				t.Seconds, 1000*t.P50, 1000*t.P99, t.Failed, t.Requests, t.Goodput)
		}
		w.Flush()
	}
	return verdict(s.ExitCode())
}
