// Package spec is the specification: properties, claims, the suite for
// go test, and the auditor.
package spec
