package identify

import (
	"fmt"
	"math"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/spec"
)

// keys tells whether a key decides alone: each of some keys is asked again and
// again on an idle balancer, always between the others, and once more under
// load. The laws that know no keys are refuted by the same e-process as always:
// its bet is that a key goes where it went.
func (s *search) keys() (keyed bool, err error) {
	fleet := s.fleet()
	d, err := s.drive(fleet, "keys")
	if err != nil {
		return false, err
	}
	defer d.Close()
	const keys, rounds = 13, 8
	n := len(fleet)
	owner := make(map[int]int)
	owners := make(map[int]bool)
	known := candidates(fleet)
	nats := make([]float64, len(known))
	refuted := make([]int, len(known)) // after how many picks; 0: not refuted
	picks := 0
	alpha := s.share() / float64(len(known))
	for round := range rounds {
		for k := range keys {
			k = (k*5 + round*3) % keys // another order in each round
			state := oracle.State{Loads: d.InFlight(), Weights: weightsOf(fleet), History: d.Lately()}
			i, err := d.Probe(spec.Request{Key: fmt.Sprintf("key-%d", k)})
			if err != nil {
				return false, err
			}
			picks++
			before, asked := owner[k]
			if asked && before != i {
				return false, nil // the key does not decide
			}
			owner[k], owners[i] = i, true
			if !asked {
				continue
			}
			const trust = 0.9
			bet := trust + (1-trust)/float64(n)
			for j, l := range known {
				p, err := l.Probabilities(state)
				if err != nil {
					return false, err
				}
				x, _ := p[i].Float64()
				nats[j] += math.Log(bet / ((1-s.Contamination)*x + s.Contamination*bet))
				if nats[j] >= math.Log(1/alpha) && refuted[j] == 0 {
					refuted[j] = picks
				}
			}
		}
	}
	for j, l := range known {
		if refuted[j] == 0 {
			return false, nil // some law explains it without keys
		}
		s.result.Refuted = append(s.result.Refuted, Refuted{l.String(), refuted[j]})
	}
	if len(owners) == 1 {
		s.result.Refuted = s.result.Refuted[:0]
		return false, nil
	}
	s.result.Remaining = append(s.result.Remaining, Hash)
	s.result.Picks = picks
	return true, s.keysUnderLoad(d, owner)
}

// keysUnderLoad holds requests of one key and asks for all of them.
func (s *search) keysUnderLoad(d *spec.Driver, owner map[int]int) error {
	for range 8 {
		if _, err := d.Acquire(spec.Request{Key: "key-0"}); err != nil {
			return err
		}
	}
	moved := 0
	for k, before := range owner {
		i, err := d.Probe(spec.Request{Key: fmt.Sprintf("key-%d", k)})
		if err != nil {
			return err
		}
		if i != before {
			moved++
		}
	}
	if moved > 0 {
		s.observe("%d of %d keys moved while 8 requests of one key were in flight: loads matter too", moved, len(owner))
	}
	return d.Drain()
}
