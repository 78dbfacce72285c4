// Command grpc holds the balancers of gRPC-Go against the picklaw specification.
package main

import (
	"github.com/picklaw/picklaw/spec/peers"
	"github.com/picklaw/picklaw/spec/verify"
)

var module = peers.Module{
	Name:       "grpc",
	Versions:   []string{version},
	Subjects:   subjects(),
	Deviations: deviations,
}

func main() { verify.Main(module.Subjects...) }
