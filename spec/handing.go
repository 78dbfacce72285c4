package spec

import (
	"slices"

	"github.com/picklaw/picklaw/policies"
)

// A subject may do with the list of servers that it is given what it likes: sort
// it, shuffle it, keep it. What an audit goes by is another one, here and nowhere
// else.

// build makes an instance of the subject as a black box.
func (r *Run) build(f Fleet) (Picker, error) {
	f.Servers = slices.Clone(f.Servers)
	return r.Subject.New(f)
}

// refit updates a black box.
func (r *Run) refit(u Updater, fleet []Server) (err error) {
	r.try("Update", func() { err = u.Update(slices.Clone(fleet)) })
	return err
}

// join is policies.Join of a bare rule.
func join(p policies.Policy, fleet []Server) policies.Policy {
	return policies.Join(p, slices.Clone(fleet))
}
