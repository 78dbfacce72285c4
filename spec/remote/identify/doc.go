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
// Then it looks where a balancer could still leave its law behind: after requests
// that ended in every way, once or twice; after updates, with requests in flight;
// in fleets of one, two, three and seventy servers, with large ids and deep
// queues; over more picks than 16 bits count; from a hundred fresh balancers; and
// where a request cannot be had at all. What contradicts the law is a deviation,
// and a balancer follows its law cleanly only when there is none. What the law
// leaves open is observed: whether weights, keys, cookies, latencies and failures
// matter, what a key does when servers come and go, what a learner remembers, and
// for how long.
//
// Every judgement that can err has an equal share of alpha. The others are facts:
// a pick that must not be, a cycle that is uneven, a key that has moved.
package identify
