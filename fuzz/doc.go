// Package fuzz holds native fuzz targets, each of which compares the code with
// something independent of it: a pick law of package oracle, a plain model, a
// list of events.
//
//	go test -fuzz FuzzPickLaw -fuzztime 30s ./fuzz
//
// The seed corpora in testdata/fuzz run in every go test. An input is a string
// of bytes in a format that is written down beside its decoder and that only
// grows: every string is a valid input, bytes beyond the end count as zero,
// bytes left over are ignored, and a new choice goes behind the old ones. So a
// corpus outlives the code that it was found with.
package fuzz
