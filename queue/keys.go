package queue

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
)

// Keys are what requests ask for: a number of live keys of unequal popularity.
// A request carries key i with probability Weights[i]/sum. With Turnover, the
// key is the session of a client: after each request it ends with that
// probability and a new one takes its place and its weight. Each request carries
// the name of the server that its key was sent to last as its cookie.
type Keys struct {
	Weights  []float64 // popularity of each live key
	Turnover float64   // chance that a request is the last one of its key, 0 to 1
}

// UniformKeys are n keys that are equally popular.
func UniformKeys(n int) Keys { return ZipfKeys(n, 0) }

// ZipfKeys are n keys of which the i-th has weight 1/i^s (Zipf 1949).
func ZipfKeys(n int, s float64) Keys {
	return Keys{Weights: weightsBy(n, func(i int) float64 { return math.Pow(float64(i+1), -s) })}
}

// ViralKeys are n keys of which the first has a share of all requests to itself,
// and the others are equally popular.
func ViralKeys(n int, share float64) Keys {
	return Keys{Weights: weightsBy(n, func(i int) float64 {
		if i == 0 {
			return share
		}
		return (1 - share) / float64(n-1)
	})}
}

// Sessions are n keys whose weights are exponential, spread as evenly as
// quantiles are, with a mean number of requests each before a new one replaces
// it (0: they never end).
func Sessions(n int, requests float64) Keys {
	k := Keys{Weights: weightsBy(n, func(i int) float64 { return -math.Log((float64(i) + 0.5) / float64(n)) })}
	if requests != 0 {
		k.Turnover = 1 / requests
	}
	return k
}

func weightsBy(n int, weight func(i int) float64) []float64 {
	w := make([]float64, max(0, n))
	for i := range w {
		w[i] = weight(i)
	}
	return w
}

// ParseKeys reads uniform:N, zipf:N:EXPONENT, viral:N:SHARE or
// sessions:N:REQUESTS.
func ParseKeys(text string) (*Keys, error) {
	const want = "uniform:N, zipf:N:EXPONENT, viral:N:SHARE or sessions:N:REQUESTS"
	words := strings.Split(text, ":")
	numbers := make([]float64, len(words)-1)
	for i := range numbers {
		x, err := strconv.ParseFloat(words[i+1], 64)
		if err != nil {
			return nil, fmt.Errorf("queue: keys %q: %q is no number, want %s", text, words[i+1], want)
		}
		numbers[i] = x
	}
	makers := map[string]struct {
		numbers int
		keys    func(n int, x float64) Keys
	}{
		"uniform":  {1, func(n int, _ float64) Keys { return UniformKeys(n) }},
		"zipf":     {2, ZipfKeys},
		"viral":    {2, ViralKeys},
		"sessions": {2, Sessions},
	}
	m, known := makers[words[0]]
	if !known || len(numbers) != m.numbers {
		return nil, fmt.Errorf("queue: keys %q, want %s", text, want)
	}
	const most = 1 << 24
	if n := numbers[0]; !(n >= 1 && n <= most) || n != math.Floor(n) {
		return nil, fmt.Errorf("queue: keys %q: %v keys, want a whole number from 1 to %d", text, n, most)
	}
	k := m.keys(int(numbers[0]), append(numbers, 0)[1])
	return &k, k.validate()
}

func (k Keys) validate() error {
	sum := 0.0
	for i, w := range k.Weights {
		if !(w >= 0) {
			return fmt.Errorf("queue: weight %v of key %d, want 0 or more", w, i)
		}
		sum += w
	}
	if !(sum > 0) || math.IsInf(sum, 1) {
		return fmt.Errorf("queue: the weights of the keys add up to %v, want a finite positive number", sum)
	}
	if !(k.Turnover >= 0 && k.Turnover <= 1) {
		return fmt.Errorf("queue: a key ends with probability %v, want 0 to 1", k.Turnover)
	}
	return nil
}

// liveKeys draws keys.
type liveKeys struct {
	Keys
	stream     Stream
	cumulative []float64
	names      []string
	cookies    []string // the server that each key was sent to last
	born       int
}

func (k Keys) draw(s Stream) *liveKeys {
	l := &liveKeys{Keys: k, stream: s, cumulative: make([]float64, len(k.Weights)), names: make([]string, len(k.Weights)), cookies: make([]string, len(k.Weights))}
	sum := 0.0
	for i, w := range k.Weights {
		sum += w
		l.cumulative[i] = sum
		l.names[i] = l.newName()
	}
	return l
}

func (l *liveKeys) newName() string {
	l.born++
	return "key-" + strconv.Itoa(l.born)
}

// next returns the place of the key of the next request.
func (l *liveKeys) next() int {
	last := len(l.cumulative) - 1
	x := l.stream.Float64() * l.cumulative[last]
	// The first place whose cumulative weight exceeds x, so a weight of 0 is
	// never drawn; rounding may bring x up to the whole sum.
	return sort.Search(last, func(i int) bool { return l.cumulative[i] > x })
}

// done tells where a request with the key at a place was sent. It reports
// whether the key ended.
func (l *liveKeys) done(i int, server string) bool {
	l.cookies[i] = server
	if l.Turnover == 0 || l.stream.Float64() >= l.Turnover {
		return false
	}
	l.names[i], l.cookies[i] = l.newName(), ""
	return true
}
