package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"sync"

	"github.com/opensearch-project/opensearch-go/v4/opensearchtransport"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
)

const opensearchVersion = "github.com/opensearch-project/opensearch-go/v4 v4.8.1"

var opensearchSubjects = []spec.Subject{{
	Name: "opensearch/transport", Doc: opensearchVersion + ", New and Perform without a router",
	New:    newOpensearch,
	Claims: []spec.Option{spec.Law(oracle.RoundRobin{})},
	Pinned: map[string]string{
		"law/fleet-sizes":    activeOnly,
		"round-robin/window": activeOnly,
	},
}}

const activeOnly = "A client rotates over 20 nodes at most, which it draws when it starts, and keeps the others in reserve, as it documents (ActiveListCap; 20 follows from its defaults). Of 32 nodes, 12 get no request from this client while nothing fails and no discovery runs. Many clients draw different nodes and even that out; a single client, such as one indexer, works a part of its cluster alone."

// An opensearch drives the transport of the official OpenSearch client: a pick
// is a whole request. The client shuffles its nodes, so that they are numbered in
// the order in which it asks them first: whatever that is, it must go on.
type opensearch struct {
	transport *opensearchtransport.Client
	backends  *backends
	ids       map[string]spec.ServerID

	alone sync.Mutex // so that the last one that was asked is the one
}

func newOpensearch(f spec.Fleet) (spec.Picker, error) {
	if len(eligible(f.Servers)) == 0 {
		return nil, errNoServer // without a URL it would take one that it has built in
	}
	o := &opensearch{backends: newBackends(), ids: make(map[string]spec.ServerID)}
	var err error
	if o.transport, err = newOpensearchTransport(eligible(f.Servers), o.backends); err != nil {
		return nil, err
	}
	for _, s := range eligible(f.Servers) {
		if err := perform(context.Background(), o.transport); err != nil {
			return nil, err
		}
		host := o.backends.since(len(o.ids))[0]
		if _, asked := o.ids[host]; asked {
			return nil, fmt.Errorf("%s is asked twice before all are asked once", host)
		}
		o.ids[host] = s.ID
	}
	return o, nil
}

func newOpensearchTransport(fleet []spec.Server, network http.RoundTripper) (*opensearchtransport.Client, error) {
	var urls []*url.URL
	for _, s := range fleet {
		urls = append(urls, urlOf(s.Name))
	}
	return opensearchtransport.New(opensearchtransport.Config{URLs: urls, Transport: network})
}

// Pick is one request.
func (o *opensearch) Pick(ctx context.Context, _ spec.Request) (spec.ServerID, func(spec.Outcome) error, error) {
	o.alone.Lock()
	defer o.alone.Unlock()
	before := o.backends.requests()
	if err := perform(ctx, o.transport); err != nil {
		return 0, nil, err
	}
	return o.ids[o.backends.since(before)[0]], nothing, nil
}
