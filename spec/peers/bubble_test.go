package peers

import (
	"strings"
	"sync"
	"testing"
	"time"
)

func TestBubbleTime(t *testing.T) {
	Host(t)
	b := NewBubble()
	fired := 0
	var start, before, after time.Time
	b.Do(func() {
		start = time.Now()
		time.AfterFunc(3*time.Second, func() { fired++ })
	})
	b.Do(func() { before = time.Now() })
	b.Sleep(2 * time.Second)
	if fired != 0 {
		t.Error("a timer of 3 seconds went off after 2")
	}
	b.Sleep(time.Second)
	b.Do(func() { after = time.Now() })
	if fired != 1 {
		t.Error("a timer of 3 seconds did not go off after 3")
	}
	if before != start {
		t.Errorf("%v passed without a sleep", before.Sub(start))
	}
	if d := after.Sub(start); d != 3*time.Second {
		t.Errorf("%v passed in sleeps of 3 seconds", d)
	}
}

func TestBubbleCallsOverlap(t *testing.T) {
	Host(t)
	b := NewBubble()
	var met chan bool
	b.Do(func() { met = make(chan bool) })
	var both sync.WaitGroup
	both.Go(func() { b.Do(func() { met <- true }) })
	both.Go(func() { b.Do(func() { <-met }) })
	both.Wait()
}

func TestBubblePanic(t *testing.T) {
	Host(t)
	b := NewBubble()
	defer func() {
		if v, ok := recover().(string); !ok || !strings.HasPrefix(v, "inside") {
			t.Errorf("the panic arrived as %v", v)
		}
	}()
	b.Do(func() { panic("inside") })
}
