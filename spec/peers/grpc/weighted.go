package main

import (
	"context"
	"time"

	v3orcapb "github.com/cncf/xds/go/xds/data/orca/v3"
	"google.golang.org/grpc/balancer"
	_ "google.golang.org/grpc/balancer/weightedroundrobin"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/peers/grpc/channel"
)

// A weighted is weighted_round_robin over servers that report their weights with
// every response. The reports take effect as soon as the clock moves.
type weighted struct {
	*channel.Bubbled
	weights map[string]float64 // by address
}

func newWeighted(weights []float64) (*weighted, error) {
	servers := fleet(len(weights))
	w := &weighted{weights: make(map[string]float64)}
	p, err := channel.InBubble("weighted_round_robin", `{"blackoutPeriod": "0s", "weightUpdatePeriod": "0.1s"}`)(spec.Fleet{Servers: servers})
	if err != nil {
		return nil, err
	}
	w.Bubbled = p.(*channel.Bubbled)
	for i, s := range servers {
		w.weights[s.Name] = weights[i]
	}
	// Without weights it is a rotation, so everybody reports at once.
	if _, err := w.take(len(weights)); err != nil {
		return nil, err
	}
	w.Bubble.Sleep(time.Second)
	return w, nil
}

// take counts picks, one after another, by server.
func (w *weighted) take(picks int) (at []int, err error) {
	at = make([]int, len(w.weights))
	first := fleet(1)[0].ID
	w.Bubble.Do(func() {
		picker := w.Channel.Picker()
		for range picks {
			var result balancer.PickResult
			if result, err = picker.Pick(balancer.PickInfo{Ctx: context.Background()}); err != nil {
				return
			}
			var id spec.ServerID
			var address string
			if id, address, err = w.Channel.Server(result.SubConn); err != nil {
				return
			}
			at[id-first]++
			result.Done(balancer.DoneInfo{ServerLoad: &v3orcapb.OrcaLoadReport{
				RpsFractional: w.weights[address], ApplicationUtilization: 1,
			}})
		}
	})
	return at, err
}
