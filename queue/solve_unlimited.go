package queue

import (
	"errors"
	"fmt"
	"math"
)

// mostBuffer is where the search for a buffer that stands for none ends: levels
// have 16 bits.
const mostBuffer = math.MaxUint16

// unlimited estimates the answer for unlimited buffers by growing finite ones.
//
// The mean number of jobs with buffer b falls short of its limit by about
// C·b·r^b, where r is the rate at which P(N = k) decays: so it is for M/M/1/b,
// where the shortfall is (b+1)·r^(b+1) to first order. So each solution predicts
// the buffer that is large enough: r is read off its law, and C off the last
// change of the mean. It ends when the shortfall estimated in this way is below
// the tolerance.
func (m model) unlimited() (*Solution, error) {
	buffer, last := 8, (*Solution)(nil)
	predicted := false
	for {
		s, err := m.solve(buffer)
		if err != nil {
			var large *TooLarge
			if errors.As(err, &large) {
				large.Estimated = predicted
			}
			return nil, err
		}
		next := 2 * buffer
		if last != nil {
			grown := float64(buffer - last.Buffer)
			r := s.decay()
			change := math.Abs(s.MeanJobs-last.MeanJobs) / s.MeanJobs
			// short(last) - short(s) = change and short(s) = short(last)·q.
			q := min(math.Pow(r, grown)*float64(buffer)/float64(last.Buffer), 1)
			short := change * q / (1 - q)
			if short <= 0.9*m.tolerance { // the iteration has used up to a tenth
				rest := m
				rest.tolerance -= short
				if s, err = rest.certified(s); err != nil {
					return nil, err
				}
				s.Bounds = nil // they are those of this buffer
				s.Unlimited, s.LastChange, s.Short = true, change, short
				s.Error += short
				return s, nil
			}
			// Half the tolerance, and not more than 3 times as far at once: the tail
			// of a short buffer says little about a long one.
			need := mostBuffer
			if more := math.Ceil(math.Log(m.tolerance/2/short) / math.Log(r)); r < 1 && float64(buffer)+more < mostBuffer {
				need = buffer + int(more)
			}
			if buffer == mostBuffer {
				return nil, fmt.Errorf("queue: at a buffer of %d, the largest, the mean number of jobs is still estimated to lack a part of %.3g; "+
					"want a larger tolerance, or a lower rho", buffer, short)
			}
			next = min(max(need, buffer+2), 3*buffer, mostBuffer)
			if predicted = true; m.form != Full {
				err = m.fits(need, true, 1)
			} else {
				err = m.fits(need, false, 1)
			}
			var large *TooLarge
			if buffer >= 32 && errors.As(err, &large) { // do not climb to where the answer cannot be had
				large.Estimated = true
				return nil, large
			}
		}
		buffer, last = next, s
	}
}

// decay is the rate of P(N = k) between the middle of the buffer and its third
// quarter, where neither the crowd at the bottom nor the edge counts for much.
func (s *Solution) decay() float64 {
	a, b := s.Buffer/2, s.Buffer*3/4
	low, high := s.Tails[a]-s.Tails[a+1], s.Tails[b]-s.Tails[b+1]
	if low <= 0 || high <= 0 {
		return 0
	}
	return math.Pow(high/low, 1/float64(b-a))
}
