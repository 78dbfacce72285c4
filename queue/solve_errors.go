package queue

import (
	"fmt"
	"math"
)

// NotSymmetric tells why the sorted form of a chain is not allowed: the policy
// tells servers apart by more than their loads.
type NotSymmetric struct {
	Loads     []int      // where it was seen; nil when it was seen without a look at the loads
	Asymmetry *Asymmetry // nil when the reason is one of the following
	State     string     // the policy has a memory, and a pick changed it to this
	Unequal   string     // "speeds" or "weights": these are not equal
}

// Error gives the reason.
func (e *NotSymmetric) Error() string {
	switch {
	case e.Asymmetry != nil:
		return fmt.Sprintf("queue: the sorted form needs a policy that treats servers alike, but at %v jobs %v", e.Loads, e.Asymmetry)
	case e.Unequal != "":
		return fmt.Sprintf("queue: the sorted form needs servers that are equal, and their %s are not", e.Unequal)
	default:
		return fmt.Sprintf("queue: the sorted form needs a policy without memory, and a pick changed its state to %q", e.State)
	}
}

// TooLarge tells that a chain would need more memory than Chain.Memory allows.
type TooLarge struct {
	Servers, Buffer int
	Sorted          bool
	Memories        int   // states of the policy, as far as they are known
	Limit           int64 // bytes
	// Reason says why the smaller sorted form was not used, when it was not.
	Reason error
	// Estimated tells that the buffer is what the answer for unlimited buffers is
	// estimated to need.
	Estimated bool
}

// Error says what is needed and what would fit.
func (e *TooLarge) Error() string {
	form, need := "full", bytes(e.Servers, e.Buffer, e.Sorted, e.Memories)
	if e.Sorted {
		form = "sorted"
	}
	text := fmt.Sprintf("queue: the chain of %d servers with up to %d jobs each", e.Servers, e.Buffer)
	if e.Estimated {
		text += ", about what unlimited buffers need,"
	}
	text += fmt.Sprintf(" has %s states in the %s form", about(sizeOf(e.Servers, e.Buffer, e.Sorted)*float64(e.Memories)), form)
	if e.Memories > 1 {
		text += fmt.Sprintf(" (the policy has %d states or more)", e.Memories)
	}
	if math.IsInf(need, 1) {
		text += " and needs"
	} else {
		text += fmt.Sprintf(" and needs about %.3g MB,", need/1e6)
	}
	text += fmt.Sprintf(" more than the bound of %.3g MB; ", float64(e.Limit)/1e6)
	if fits := e.Fits(); fits > 0 {
		text += fmt.Sprintf("%d servers with a buffer of %d would fit", e.Servers, fits)
	} else {
		text += "no buffer fits for so many servers"
	}
	if e.Estimated {
		text += ", or a larger tolerance, or a lower rho"
	}
	if e.Reason != nil {
		text += fmt.Sprintf("; the sorted form is smaller but not allowed: %v", e.Reason)
	}
	return text
}

// about shows a number that may be beyond all floats.
func about(x float64) string {
	if math.IsInf(x, 1) {
		return "more than 1e308"
	}
	return fmt.Sprintf("%.3g", x)
}

// Unwrap returns the reason why the sorted form was not used.
func (e *TooLarge) Unwrap() error { return e.Reason }

// Fits is the largest buffer that the bound allows, 0 when there is none.
func (e *TooLarge) Fits() int {
	fits := 0
	for step := 1 << 15; step > 0; step /= 2 {
		b := fits + step
		if bytes(e.Servers, b, e.Sorted, e.Memories) <= float64(e.Limit) && sizeOf(e.Servers, b, e.Sorted)*float64(e.Memories) < math.MaxUint32 {
			fits = b
		}
	}
	return fits
}
