package spec

import (
	"fmt"
	"slices"
	"strings"
)

// A Property is one sentence of the specification, with the check that decides
// it. The registry is the only place where properties are; go test, the
// command, the audit and the kill matrix all read it.
type Property struct {
	Name     string // "family/property", stable
	Sentence string
	Level    Level
	Source   string // the paper, specification or bug report that it comes from

	// Applies tells whether the claims promise this property.
	Applies func(*Claims) bool

	// Probe tells whether the property is worth trying on a subject that does not
	// claim it; nil for never.
	Probe func(Subject, *Claims) bool

	// Exact decides the property on the rule itself, Sampled on a black box. At
	// least one of them is set.
	Exact, Sampled func(*Run) Result

	// Statistical is set when Sampled, or Exact where there is no Sampled, may
	// convict a conforming subject by chance: it then takes a share of the
	// false-alarm budget.
	Statistical bool
	// Delta is the smallest wrongness that a statistical check must not miss, as a
	// total variation between laws. How many picks are taken follows from it.
	Delta float64

	trial trial // where Sampled judges the claimed law
}

// Family is the part of the name before the slash.
func (p *Property) Family() string {
	family, _, _ := strings.Cut(p.Name, "/")
	return family
}

// registry holds every property, in this order. It is filled in init because
// some properties are about the registry itself.
var registry []*Property

func init() {
	registry = slices.Concat(
		lawProperties,
		breadthProperties,
		rotationProperties,
		ruleProperties,
		learnerProperties,
		keyProperties,
		leaseProperties,
		worldProperties,
		weightedProperties,
		eligibilityProperties,
		continuityProperties,
		herdProperties,
		feedbackProperties,
		clockProperties,
		numericProperties,
		retryProperties,
		stickyProperties,
		envoyProperties,
		reportProperties,
		choiceProperties,
		engineProperties,
		simulationProperties,
		recoveryProperties,
		lingeringProperties,
		verdictProperties,
		parameterProperties,
		historyProperties,
		remapProperties,
		burstProperties,
		judgeProperties,
		stateProperties,
		memoryProperties,
		mappingProperties,
		balancerProperties,
		fleetProperties,
		ejectionProperties,
		accountProperties,
		suiteProperties,
		orderProperties,
		refusalProperties,
	)
}

// Properties returns the whole specification, in its order.
func Properties() []*Property { return slices.Clone(registry) }

// Find returns the property of that name.
func Find(name string) (*Property, error) {
	var near []string
	for _, p := range registry {
		if p.Name == name {
			return p, nil
		}
		if strings.Contains(p.Name, name) || strings.Contains(name, p.Family()) {
			near = append(near, p.Name)
		}
	}
	if len(near) == 0 {
		return nil, fmt.Errorf("no property is named %q; picklaw list names them all", name)
	}
	return nil, fmt.Errorf("no property is named %q; near it: %s", name, strings.Join(near, ", "))
}

// Tiers names the kinds of judgement that the property can be given.
func (p *Property) Tiers() string {
	switch {
	case p.Sampled == nil:
		return string(Exact)
	case p.Exact == nil:
		return string(Sampled)
	}
	return string(Exact) + " or " + string(Sampled)
}
