// Package peers is what the nested modules in its directory share: they plug
// real Go balancers into the specification, each module with the dependencies
// of its peers, which so stay out of the root module.
//
// A module names its subjects, as package spec has them, and the deviations that
// were found by hand. Its command holds the subjects against the specification:
//
//	go build -C spec/peers/small -o peers-small . && ./peers-small
//	picklaw verify --with ./peers-small
//
// and its test audits it (see [Module.Audit]) and keeps its section of AUDIT.md
// true.
package peers
