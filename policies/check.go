package policies

import (
	"fmt"
	"reflect"
	"time"
)

// A Checker is a policy with parameters that can be wrong. Check names the first
// one that is, with its value and what would be right.
type Checker interface {
	Policy
	Check() error
}

// Check says what is wrong with a policy before it is used.
func Check(p Policy) error {
	if v := reflect.ValueOf(p); p == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return fmt.Errorf("policies: the policy is nil (%T)", p)
	}
	if c, ok := p.(Checker); ok {
		return c.Check()
	}
	return nil
}

func checkD(name string, d, least int) error {
	if d < least {
		return fmt.Errorf("policies: %s is %d, want at least %d", name, d, least)
	}
	return nil
}

func checkPositive(name string, d time.Duration) error {
	if d <= 0 {
		return fmt.Errorf("policies: %s is %v, want a positive duration", name, d)
	}
	return nil
}

func errNil(name, kind string) error {
	return fmt.Errorf("policies: %s is nil, want a %s", name, kind)
}

// firstError is the first of the errors that is one.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
