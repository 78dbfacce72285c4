// Command grpc holds the balancers of gRPC-Go against the picklaw specification.
package main

import "github.com/picklaw/picklaw/spec/peers"

var module = peers.Module{
	Name:       "grpc",
	Versions:   []string{version},
	Subjects:   subjects(),
	Deviations: deviations,
}

func main() { peers.Main(module.Subjects...) }
