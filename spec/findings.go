package spec

import (
	"errors"
	"fmt"

	"github.com/picklaw/picklaw/queue"
)

// faultOf is what an engine says is wrong with a policy. That it has too many
// outcomes to try them all is no fault of the policy: then nothing was decided.
func faultOf(err error) *fault {
	var (
		many       *queue.TooManyLeaves
		impure     *queue.Impure
		outOfRange *queue.OutOfRange
		panicked   *queue.Panicked
		badCoin    *queue.BadCoin
	)
	switch {
	case errors.As(err, &many):
		return &fault{gaveUp, err.Error()}
	case errors.As(err, &impure):
		return &fault{Impure, err.Error()}
	case errors.As(err, &outOfRange):
		return &fault{OutOfRange, err.Error()}
	case errors.As(err, &panicked):
		return &fault{Panicked, err.Error()}
	case errors.As(err, &badCoin):
		return &fault{BadCoin, err.Error()}
	}
	panic(fmt.Sprintf("spec: an engine refused to run: %v", err)) // the view or an option is wrong: our own fault
}

// tooMany tells that an engine gave up.
func tooMany(err error) bool {
	var many *queue.TooManyLeaves
	return errors.As(err, &many)
}
