// Command caddy holds the selection policies of Caddy against the picklaw
// specification.
package main

import "github.com/picklaw/picklaw/spec/peers"

var module = peers.Module{
	Name:       "caddy",
	Versions:   []string{version},
	Subjects:   subjects,
	Deviations: deviations,
}

func main() { peers.Main(module.Subjects...) }
