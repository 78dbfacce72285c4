package peers

import (
	"testing"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/spec"
)

func TestFrozen(t *testing.T) {
	for _, test := range []struct {
		policy policies.Policy
		claim  oracle.Law
		fits   string
		holds  bool
	}{
		{policies.PowerOfD{D: 2}, oracle.PowerOfD{D: 2}, "power-of-d:2", true},
		{policies.PowerOfD{D: 2, Replacement: true}, oracle.PowerOfD{D: 2}, "power-of-d:2:replacement", false},
		{policies.LeastRequest{}, oracle.LeastRequest{}, "least-request", true},
		{policies.Random{}, oracle.LeastRequest{}, "random", false},
	} {
		j, err := Frozen{
			Name: "frozen", Claim: test.claim, Servers: 5,
			Build: spec.Leased(func() policies.Policy { return test.policy }),
		}.judge(1e-9)
		if err != nil {
			t.Fatal(err)
		}
		if j.Convicted == test.holds || j.Fits != test.fits {
			t.Errorf("%T as %v: convicted %v, fits %s; want %v, %s", test.policy, test.claim, j.Convicted, j.Fits, !test.holds, test.fits)
		}
	}
}
