package policies

import (
	"sort"
	"strconv"
	"time"
)

// A Snapshot is a View made of plain values: one frozen state.
type Snapshot struct {
	Servers []Server  // eligible, in increasing order of ids
	Loads   []float64 // of each server; a missing or NaN entry is unknown
	At      time.Duration

	// Reads counts how many loads have been read.
	Reads int
}

// Now returns the time of the snapshot.
func (s *Snapshot) Now() time.Duration { return s.At }

// Len returns the number of eligible servers.
func (s *Snapshot) Len() int { return len(s.Servers) }

// Server returns the i-th eligible server.
func (s *Snapshot) Server(i int) Server { return s.Servers[i] }

// Load returns the load of the i-th server and counts the read.
func (s *Snapshot) Load(i int) (load float64, known bool) {
	s.Reads++
	if i >= len(s.Loads) || s.Loads[i] != s.Loads[i] {
		return 0, false
	}
	return s.Loads[i], true
}

// Index finds a server by its id, or returns -1.
func (s *Snapshot) Index(id ServerID) int {
	i := sort.Search(len(s.Servers), func(i int) bool { return s.Servers[i].ID >= id })
	if i < len(s.Servers) && s.Servers[i].ID == id {
		return i
	}
	return -1
}

// Fleet returns n servers with ids 0 to n-1, names "s0" to "s(n-1)" and equal
// weights.
func Fleet(n int) []Server {
	fleet := make([]Server, n)
	for i := range fleet {
		fleet[i] = Server{ID: ServerID(i), Name: "s" + strconv.Itoa(i), Weight: 1}
	}
	return fleet
}
