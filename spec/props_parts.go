package spec

// own tells whether the subject is a part of this house that is neither a rule
// nor a black box.
func (c *Claims) own() bool { return c.world || c.judge || c.part != "" }

// parts are further parts of the house, as subjects.
func parts() []Subject {
	return []Subject{
		part("leases", "policies.Balancer, with a policy that looks at everything it is shown"),
		part("weights", "the weights that policies computes from the reports of servers"),
		part("suite", "this suite, shown subjects that are known to be right or wrong"),
	}
}

func part(name, doc string) Subject {
	return Subject{Name: name, Doc: doc, Claims: []Option{func(c *config) { c.claims.part = name }}}
}

// isPart is the Applies of a property of one part.
func isPart(name string) func(*Claims) bool {
	return func(c *Claims) bool { return c.part == name }
}
