package oracle_test

import (
	"fmt"

	"github.com/picklaw/picklaw/oracle"
)

func ExampleParseLaw() {
	for _, spelling := range []string{"power-of-d:2", "power-of-d:2:replacement"} {
		law, err := oracle.ParseLaw(spelling)
		if err != nil {
			panic(err)
		}
		p, err := law.Probabilities(oracle.State{Loads: []float64{0, 1, 2}})
		if err != nil {
			panic(err)
		}
		fmt.Println(law, p[0].RatString(), p[1].RatString(), p[2].RatString())
	}
	// Output:
	// power-of-d:2 2/3 1/3 0
	// power-of-d:2:replacement 5/9 1/3 1/9
}

// A rotation has the frequencies of a random choice, but not its order.
func ExampleEvidence() {
	evidence, err := oracle.NewEvidence(oracle.Audit{Claim: oracle.Random{}, Alpha: 1e-9})
	if err != nil {
		panic(err)
	}
	idle := oracle.State{Loads: make([]float64, 5)}
	for t := 0; !evidence.Convicted(); t++ {
		if err := evidence.Observe(idle, t%5); err != nil {
			panic(err)
		}
	}
	law, _ := evidence.BestFit()
	fmt.Println("convicted after", evidence.Picks(), "picks; matches", law)
	// Output:
	// convicted after 16 picks; matches round-robin
}
