//go:build !mutants

package queue

import (
	"math"
	"time"

	"github.com/picklaw/picklaw/policies"
)

// fleetView is what all views of a world share: every server is eligible, and
// ids are indices.
type fleetView struct {
	now   float64
	fleet []policies.Server
}

func (v *fleetView) Now() time.Duration           { return seconds(v.now) }
func (v *fleetView) Len() int                     { return len(v.fleet) }
func (v *fleetView) Server(i int) policies.Server { return v.fleet[i] }
func (v *fleetView) Index(id policies.ServerID) int {
	if id < 0 || int(id) >= len(v.fleet) {
		return -1
	}
	return int(id)
}

// seconds is a time of a world on the clock of policies.
func seconds(t float64) time.Duration {
	return time.Duration(math.Round(min(t*1e9, math.MaxInt64)))
}

// dispatcherView is a view as the simulation drives it.
type dispatcherView interface {
	policies.View
	advance(now float64) // before a pick
}

// freshView shows the servers as they are.
type freshView struct {
	fleetView
	servers []fifo
}

func (v *freshView) advance(now float64) { v.now = now }
func (v *freshView) Load(i int) (float64, bool) {
	return float64(v.servers[i].inSystem(v.now)), true
}

// workView shows the work left at the servers as they are.
type workView struct{ freshView }

func (v *workView) Load(i int) (float64, bool) { return v.servers[i].workLeft(v.now), true }

// localView shows what one dispatcher sent and has not got back.
type localView struct {
	fleetView
	own []departures // of each server
}

func (v *localView) advance(now float64) { v.now = now }

// sent counts a request until it finishes. What has finished is dropped here too,
// in case that nobody ever looks.
func (v *localView) sent(server int, finish float64) {
	v.own[server].retire(v.now)
	v.own[server].insert(finish)
}
func (v *localView) Load(i int) (float64, bool) {
	v.own[i].retire(v.now)
	return float64(v.own[i].len()), true
}

// boardView shows what a board shows, whatever its dispatcher does meanwhile.
type boardView struct {
	fleetView
	*board
}

func (v *boardView) advance(now float64) {
	v.now = now
	v.refresh(now)
}
func (v *boardView) Load(i int) (float64, bool) { return v.shown[i], true }

// board is refreshed at phase, phase + period and so on. It shows the loads at
// its last refresh, and empty servers before the first.
type board struct {
	servers       []fifo
	work          bool // shows work left, not counts
	period, phase float64
	next          float64 // time of the next refresh
	shown         []float64
}

// refresh brings the board up to date. It has to be called at every arrival,
// before the request is sent: then whatever was accepted since the last
// refresh that took place was accepted before the refresh that is due.
func (b *board) refresh(now float64) {
	if now < b.next {
		return
	}
	stamp := math.Floor((now-b.phase)/b.period)*b.period + b.phase
	b.next = stamp + b.period
	for i := range b.servers {
		if b.work {
			b.shown[i] = b.servers[i].workLeft(stamp)
		} else {
			b.shown[i] = float64(b.servers[i].busy.after(stamp))
		}
	}
}
