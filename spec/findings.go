package spec

import (
	"errors"

	"github.com/picklaw/picklaw/queue"
)

// findingOf names what an engine says is wrong with a policy.
func findingOf(err error) Finding {
	var (
		impure     *queue.Impure
		outOfRange *queue.OutOfRange
		panicked   *queue.Panicked
	)
	switch {
	case errors.As(err, &impure):
		return Impure
	case errors.As(err, &outOfRange):
		return OutOfRange
	case errors.As(err, &panicked):
		return Panicked
	}
	return WrongLaw
}
