package main

import (
	"context"
	"sync"

	"github.com/olivere/elastic/v7"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
)

const olivereVersion = "github.com/olivere/elastic/v7 v7.0.32"

var olivereSubjects = []spec.Subject{{
	Name: "olivere/elastic", Doc: olivereVersion + ", NewSimpleClient and PerformRequest",
	New:    newOlivere,
	Claims: []spec.Option{spec.Law(oracle.RoundRobin{})},
}}

// An olivere drives the client itself: a pick is a whole request.
type olivere struct {
	client   *elastic.Client
	backends *backends
	ids      map[string]spec.ServerID

	alone sync.Mutex // so that the last one that was asked is the one
}

func newOlivere(f spec.Fleet) (spec.Picker, error) {
	o := &olivere{backends: newBackends(), ids: idsOf(f.Servers)}
	if len(eligible(f.Servers)) == 0 {
		return nil, errNoServer // without a URL it would take one that it has built in
	}
	client, err := elastic.NewSimpleClient(elastic.SetURL(baseURLs(eligible(f.Servers))...), elastic.SetHttpClient(o.backends))
	o.client = client
	return o, err
}

// Pick is one request.
func (o *olivere) Pick(ctx context.Context, _ spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
	o.alone.Lock()
	defer o.alone.Unlock()
	before := o.backends.requests()
	if _, err := o.client.PerformRequest(ctx, elastic.PerformRequestOptions{Method: "GET", Path: "/"}); err != nil {
		return 0, nil, err
	}
	return o.ids[o.backends.since(before)[0]], nothing, nil
}
