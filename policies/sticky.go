//go:build !mutants

package policies

import "maps"

// Sticky sends a request back to the server that its cookie names, as long as
// that server is eligible. Every other request goes where the fallback says; the
// name of the server that it gets is the new cookie.
type Sticky struct {
	Fallback Policy

	ids map[string]ServerID
}

// Pick follows the cookie or asks the fallback.
func (s *Sticky) Pick(q Request, v View, c Coins) int {
	if id, member := s.ids[q.Cookie]; member {
		if i := v.Index(id); i >= 0 {
			return i
		}
	}
	return s.Fallback.Pick(q, v, c)
}

// Update learns the names.
func (s *Sticky) Update(all []Server) {
	s.ids = make(map[string]ServerID, len(all))
	for _, server := range all {
		s.ids[server.Name] = server.ID
	}
	Join(s.Fallback, all)
}

// Observe passes the outcome on to the fallback.
func (s *Sticky) Observe(id ServerID, o Outcome) { tell(s.Fallback, id, o) }

// Clone returns an independent copy.
func (s *Sticky) Clone() Policy {
	return &Sticky{Fallback: cloned(s.Fallback), ids: maps.Clone(s.ids)}
}

// State is that of the fallback: the client carries the rest.
func (s *Sticky) State() string { return stateOf(s.Fallback) }

// Check says what is wrong with the fallback.
func (s *Sticky) Check() error {
	if s.Fallback == nil {
		return errNil("Sticky.Fallback", "Policy")
	}
	return Check(s.Fallback)
}
