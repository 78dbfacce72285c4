package opinion

import (
	"cmp"
	"slices"
)

// A Report is what became of every chosen mutation.
type Report struct {
	Samples map[string]float64 `json:"samples"` // by package
	Seed    string             `json:"seed"`
	Scores  []Score            `json:"scores"`  // of each package
	Results []Result           `json:"results"` // in the order of the text
	LeftOut []string           `json:"left_out,omitempty"`
	Seconds float64            `json:"seconds"` // that the mutations took, in this run and earlier ones
}

// A Score counts what became of the mutations of a package.
type Score struct {
	Package    string `json:"package"`
	There      int    `json:"there"` // mutations there are
	Run        int    `json:"run"`
	NotRun     int    `json:"not_run"` // though in the sample: the run was stopped
	NotViable  int    `json:"not_viable"`
	NotCovered int    `json:"not_covered"`
	BySuite    int    `json:"killed_by_suite"` // by a property
	ByTests    int    `json:"killed_by_tests"` // by a test of the package alone
	TimedOut   int    `json:"timeout"`
	Broken     int    `json:"broken"`
	Equivalent int    `json:"equivalent"`
	Cost       int    `json:"cost"`
	Explained  int    `json:"explained"`
	Open       int    `json:"open"`  // survived for no known reason
	Wrong      int    `json:"wrong"` // killed, though a reason says that it survives
}

// Killed counts all kills.
func (s Score) Killed() int { return s.BySuite + s.ByTests }

// Survived counts all survivors.
func (s Score) Survived() int { return s.Equivalent + s.Cost + s.Explained + s.Open }

func (c *campaign) report() (*Report, error) {
	reasons, err := Reasons()
	if err != nil {
		return nil, err
	}
	reasonOf := byKey(reasons)
	r := &Report{Samples: make(map[string]float64), Seed: c.Seed, LeftOut: c.leftOut}
	chosen := make(map[string]bool)
	for _, m := range c.chosen {
		chosen[m.Key()] = true
	}
	scores := make(map[string]*Score)
	for _, dir := range c.Packages {
		r.Samples[dir] = c.part(dir)
		scores[c.rooms[dir].dir] = &Score{Package: c.rooms[dir].dir}
	}
	for _, m := range c.all {
		s := scores[m.Package]
		s.There++
		if !chosen[m.Key()] {
			continue
		}
		result, known := c.log.find(c.digest(m), m)
		if !known {
			s.NotRun++
			continue
		}
		result.Mutation = m // where it is now
		if reason, ok := reasonOf[m.Key()]; ok {
			result.Kind, result.Why = reason.Kind, reason.Why
		}
		s.count(result)
		r.Seconds += result.Seconds
		r.Results = append(r.Results, result)
	}
	for _, dir := range c.Packages {
		r.Scores = append(r.Scores, *scores[c.rooms[dir].dir])
	}
	slices.SortStableFunc(r.Results, func(a, b Result) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.File, b.File), cmp.Compare(a.from, b.from))
	})
	return r, nil
}

func (s *Score) count(r Result) {
	s.Run++
	switch r.Status {
	case NotViable:
		s.NotViable++
	case NotCovered:
		s.NotCovered++
	case TimedOut:
		s.TimedOut++
	case Broken:
		s.Broken++
	case Killed:
		if r.Stage == bySuite {
			s.BySuite++
		} else {
			s.ByTests++
		}
		if r.Kind != "" {
			s.Wrong++
		}
	case Survived:
		switch r.Kind {
		case Equivalent:
			s.Equivalent++
		case Cost:
			s.Cost++
		case Explained:
			s.Explained++
		default:
			s.Open++
		}
	}
}

// Total adds up the scores of all packages.
func (r *Report) Total() Score {
	t := Score{Package: "all"}
	for _, s := range r.Scores {
		t.There += s.There
		t.Run += s.Run
		t.NotRun += s.NotRun
		t.NotViable += s.NotViable
		t.NotCovered += s.NotCovered
		t.BySuite += s.BySuite
		t.ByTests += s.ByTests
		t.TimedOut += s.TimedOut
		t.Broken += s.Broken
		t.Equivalent += s.Equivalent
		t.Cost += s.Cost
		t.Explained += s.Explained
		t.Open += s.Open
		t.Wrong += s.Wrong
	}
	return t
}
