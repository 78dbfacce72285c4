package fuzz

// An input is read byte by byte. Beyond its end it is zeros.
type input struct{ rest []byte }

// byte takes one byte.
func (in *input) byte() byte {
	if len(in.rest) == 0 {
		return 0
	}
	b := in.rest[0]
	in.rest = in.rest[1:]
	return b
}

// below takes one byte as a number from 0 to n-1, n at most 256.
func (in *input) below(n int) int { return int(in.byte()) % n }

// word takes four bytes, the most significant first.
func (in *input) word() uint32 {
	w := uint32(0)
	for range 4 {
		w = w<<8 | uint32(in.byte())
	}
	return w
}

// empty tells whether everything has been taken.
func (in *input) empty() bool { return len(in.rest) == 0 }
