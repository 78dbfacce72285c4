package oracle

import "strconv"

// Arguments reads the parameters of a question for an Entry that another package
// answers. The first parameter that is malformed is remembered, and Err reports
// it; until then zero values stand in.
type Arguments struct{ read *arguments }

// Answering is the entry with a function that answers it. Eval fills in the
// defaults, refuses unknown and missing parameters, puts the name of the entry on
// every error, and completes the answer by what was understood.
func (e Entry) Answering(eval func(Arguments) (Answer, error)) Entry {
	e.eval = func(a *arguments) (Answer, error) { return eval(Arguments{a}) }
	return e
}

// Err is what is wrong with the first malformed parameter, nil when none is.
func (a Arguments) Err() error { return a.read.err }

// Text reads a word of at most 1000 bytes.
func (a Arguments) Text(name string) string {
	var err error
	if len(a.read.text[name]) > 1000 {
		err = strconv.ErrRange
	}
	return keep(a.read, name, a.read.text[name], err, "at most 1000 bytes")
}

// Float reads a real number. Infinities and NaN pass: ranges are left to whoever
// knows them.
func (a Arguments) Float(name string) float64 { return a.read.float(name) }

// Integer reads a whole number.
func (a Arguments) Integer(name string) int { return a.read.integer(name) }

// Floats reads at most 1000 real numbers with commas between them; nil when the
// parameter is the word that stands for none.
func (a Arguments) Floats(name, none string) []float64 {
	if a.read.text[name] == none {
		a.read.read[name] = none
		return nil
	}
	parse := func(word string) (float64, error) { return strconv.ParseFloat(word, 64) }
	return list(a.read, name, parse, "numbers with commas such as 1,1,0.5, or "+none)
}
