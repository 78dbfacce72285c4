package oracle

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// arguments reads the parameters of a question. The first malformed one is
// remembered; check reports it.
type arguments struct {
	text map[string]string
	read map[string]any // what was understood, for Answer.Params
	err  error
}

// float reads a real number; infinities and NaN pass, since ranges are judged
// by the Validate method of the model. A zero is the positive one: the sign of a
// zero means nothing in any question, and 1/-0 would.
func (a *arguments) float(name string) float64 {
	x, err := strconv.ParseFloat(a.text[name], 64)
	if x == 0 {
		x = 0
	}
	return keep(a, name, x, err, "a number such as 0.9")
}

// integer reads a whole number.
func (a *arguments) integer(name string) int {
	i, err := strconv.Atoi(a.text[name])
	return keep(a, name, i, err, "a whole number such as 2")
}

// boolean reads true or false.
func (a *arguments) boolean(name string) bool {
	var err error
	if t := a.text[name]; t != "true" && t != "false" {
		err = strconv.ErrSyntax
	}
	return keep(a, name, a.text[name] == "true", err, "true or false")
}

// rational reads an exact number, a decimal or a fraction. Exponents are
// refused: they make numbers too large to compute with.
func (a *arguments) rational(name string) *big.Rat {
	r, ok := new(big.Rat), false
	if t := a.text[name]; len(t) <= 64 && !strings.ContainsAny(t, "eEpPxX_") {
		_, ok = r.SetString(t)
	}
	var err error
	if !ok {
		err = strconv.ErrSyntax
	}
	return keep(a, name, r, err, "a fraction such as 1/3 or a decimal such as 0.25")
}

func keep[T any](a *arguments, name string, value T, err error, want string) T {
	if err != nil && a.err == nil {
		a.err = fmt.Errorf("%s is %s, want %s", name, quoted(a.text[name]), want)
	}
	a.read[name] = value
	return value
}

// mostQuoted is the length up to which an error repeats all of a text.
const mostQuoted = 64

// quoted is a text between quotation marks, as errors repeat it: a long one is
// cut, so that what is wrong with it can still be seen.
func quoted(text string) string {
	if len(text) <= mostQuoted {
		return strconv.Quote(text)
	}
	return fmt.Sprintf("%s... (%d bytes)", strconv.Quote(text[:mostQuoted/2]), len(text))
}

// A model knows which parameters make sense.
type model interface{ Validate() error }

// check reports the first malformed argument, or what is wrong with the model
// made of them.
func (a *arguments) check(m model) error {
	if a.err != nil {
		return a.err
	}
	return m.Validate()
}

// must is for methods called on a model that Validate refuses, which is a
// mistake of the programmer.
func must(m model) {
	if err := m.Validate(); err != nil {
		panic("oracle: " + err.Error())
	}
}

// validUtilization accepts the utilization of a stable queue.
func validUtilization(rho float64) error {
	if !(rho >= 0 && rho < 1) {
		return fmt.Errorf("utilization rho is %v, want at least 0 and below 1", rho)
	}
	return nil
}

// validRange accepts whole numbers from least to most.
func validRange(name string, value, least, most int) error {
	if value < least || value > most {
		return fmt.Errorf("%s is %d, want %d to %d", name, value, least, most)
	}
	return nil
}

// validDuration accepts positive finite durations.
func validDuration(what string, x float64) error {
	if !(x > 0) || math.IsInf(x, 1) {
		return fmt.Errorf("duration %s is %v, want a finite number above 0", what, x)
	}
	return nil
}
