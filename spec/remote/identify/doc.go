// Package identify finds out which pick law a balancer follows.
//
//	picklaw identify --policy power-of-d:2
//	picklaw identify --http http://127.0.0.1:8080/ --backends 127.0.0.1:9001,127.0.0.1:9002,127.0.0.1:9003
//
// It keeps one e-process against every known law and plays states in which those
// that are left differ most. A law that the balancer follows is refuted with
// probability alpha at most, however long one looks and however the states are
// chosen, because the choice depends on earlier picks only. When one law is left,
// or none of those left can be told apart, fresh picks confirm it: the balancer
// is then within a stated distance of that law.
//
// Then it looks at what a law does not say: whether weights, keys, latencies and
// failures matter, whether counts fall again, whether an update loses them, and
// whether some server is never picked.
package identify
