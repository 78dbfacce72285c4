package policies

import "testing"

func TestRandomIsUniformWhateverTheLoads(t *testing.T) {
	fresh := func() Policy { return Random{} }
	wantLaw(t, map[int]string{0: "1/3", 1: "1/3", 2: "1/3"}, pickLaw(at(7, 0, 2), Request{}, fresh))
	wantLaw(t, map[int]string{0: "1"}, pickLaw(at(1), Request{}, fresh))
	wantLaw(t, map[int]string{None: "1"}, pickLaw(at(), Request{}, fresh))
}
