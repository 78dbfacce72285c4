package queue

import (
	"errors"
	"math"
)

// unlimited estimates the answer for unlimited buffers by growing finite ones.
//
// The mean number of jobs with buffer b falls short of its limit by about
// C·r^b, where r is the rate at which the tail P(N >= k) decays. So each
// solution predicts the buffer that is large enough: r is read off its tail, and
// C off the last change of the mean. It ends when the shortfall estimated in
// this way is below the tolerance.
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
			// short(last) - short(s) = change and short(s) = short(last) r^grown.
			short := change * math.Pow(r, grown) / (1 - math.Pow(r, grown))
			s.Unlimited, s.LastChange, s.Short = true, change, short
			if short <= m.tolerance {
				s.Error += short
				return s, nil
			}
			// Half the tolerance, and not more than 3 times as far at once: the tail
			// of a short buffer says little about a long one.
			need := buffer + int(math.Ceil(math.Log(m.tolerance/2/short)/math.Log(r)))
			if r >= 1 || need > 1<<15 {
				need = 1 << 15
			}
			next = min(max(need, buffer+2), 3*buffer)
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

// decay is the rate of the tail between the middle of the buffer and its third
// quarter, where neither the crowd at the bottom nor the edge counts for much.
func (s *Solution) decay() float64 {
	a, b := s.Buffer/2, s.Buffer*3/4
	if s.Tails[a] == 0 || s.Tails[b] == 0 {
		return 0
	}
	return math.Pow(s.Tails[b]/s.Tails[a], 1/float64(b-a))
}
