package policies

// What a policy that wraps another one hands on to it.

// cloned copies a policy that has a state; any other is its own copy.
func cloned(p Policy) Policy {
	if s, ok := p.(Stateful); ok {
		return s.Clone()
	}
	return p
}

// stateOf is the state of a policy, empty when it has none.
func stateOf(p Policy) string {
	if s, ok := p.(Stateful); ok {
		return s.State()
	}
	return ""
}

// tell passes an outcome on to a policy that learns.
func tell(p Policy, id ServerID, o Outcome) {
	if l, ok := p.(Learner); ok {
		l.Observe(id, o)
	}
}
