// Package remote holds balancers in other languages against the specification:
// any program that speaks a small protocol over its standard input and output.
//
//	picklaw audit --exec 'python3 balancer.py' --law power-of-d:2 --claim counts-in-flight
//
// A program needs a loop over lines and a few dozen lines of adapter; examples/p2c.py
// is one that needs nothing but Python. In Go:
//
//	program := &remote.Program{Command: "python3 balancer.py"}
//	defer program.Close()
//	report := spec.Check(program.Factory(), spec.Law(oracle.PowerOfD{D: 2}))
//
// # The protocol, version 1
//
// The auditor writes questions, the subject writes answers, each a JSON object in
// a line of its own. Every question has a seq and gets exactly one answer with
// that seq. A subject may answer in turn; one that is concurrent may answer in
// any order, and is asked several questions at once only when it claims so.
// The standard error is free for whatever the subject has to say.
//
//	question = hello | create | pick | done | close          (every subject)
//	         | update | eject | advance | in_flight          (those that it can)
//
//	hello    = {"seq", "op":"hello", "protocol":1}
//	create   = {"seq", "op":"create", "fleet":F, "seed", "servers":[server...]}
//	pick     = {"seq", "op":"pick", "fleet":F, "request":R, "key"?, "cookie"?, "tried"?:[id...]}
//	done     = {"seq", "op":"done", "fleet":F, "request":R, "outcome":"ok"|"failed"|"canceled", "latency_ns"}
//	update   = {"seq", "op":"update", "fleet":F, "servers":[server...]}
//	eject    = {"seq", "op":"eject", "fleet":F, "server":id, "ejected":true|false}
//	advance  = {"seq", "op":"advance", "fleet":F, "ns"}
//	in_flight= {"seq", "op":"in_flight", "fleet":F, "server":id}
//	close    = {"seq", "op":"close", "fleet":F}
//	server   = {"id", "name", "weight"}
//
//	answer   = {"seq", "error":text}                         (refuses, to any question)
//	         | {"seq", "protocol":1, "can":[ability...]}     (to hello)
//	         | {"seq", "server":id}                          (to pick)
//	         | {"seq", "count":n}                            (to in_flight)
//	         | {"seq"}                                       (to the others)
//	ability  = "update" | "eject" | "advance" | "in_flight"
//
// Nothing else may be in an answer: a field that is unknown, or there twice, is
// garbage, since a misspelt one would pass for one left out.
//
// F counts the fleets of a process, R the requests of a fleet, both from 1. A
// request is in flight at the server that the answer names from that answer on,
// until it is done. Servers come in increasing order of their ids; a weight of 0
// means not eligible, which is also what eject says of a single server. An update
// gives the whole fleet, and servers are recognised by their ids. Seeds are below
// 2^53; equal seeds may give equal picks, different ones must not. Times are in
// nanoseconds; a subject that can advance lives on that clock alone.
//
// A conversation, with > before questions and < before answers:
//
//	> {"seq":1,"op":"hello","protocol":1}
//	< {"seq":1,"protocol":1,"can":["update","eject","in_flight"]}
//	> {"seq":2,"op":"create","fleet":1,"seed":7,"servers":[{"id":3,"name":"a","weight":1},{"id":5,"name":"b","weight":0}]}
//	< {"seq":2}
//	> {"seq":3,"op":"pick","fleet":1,"request":1}
//	< {"seq":3,"server":3}
//	> {"seq":4,"op":"eject","fleet":1,"server":5,"ejected":false}
//	< {"seq":4}
//	> {"seq":5,"op":"pick","fleet":1,"request":2}
//	< {"seq":5,"server":5}
//	> {"seq":6,"op":"in_flight","fleet":1,"server":5}
//	< {"seq":6,"count":1}
//	> {"seq":7,"op":"done","fleet":1,"request":2,"outcome":"failed","latency_ns":1500000}
//	< {"seq":7}
//	> {"seq":8,"op":"pick","fleet":1,"request":3}
//	< {"seq":8,"server":5}
//	> {"seq":9,"op":"done","fleet":1,"request":2,"outcome":"ok","latency_ns":1500000}
//	< {"seq":9,"error":"request 2 is not in flight"}
//	> {"seq":10,"op":"update","fleet":1,"servers":[{"id":5,"name":"b","weight":0},{"id":8,"name":"c","weight":1}]}
//	< {"seq":10}
//	> {"seq":11,"op":"pick","fleet":1,"request":4}
//	< {"seq":11,"server":8}
//	> {"seq":12,"op":"close","fleet":1}
//	< {"seq":12}
//
// # What can go wrong
//
// Besides the findings of package spec, which name servers that do not exist and
// picks that the law does not explain, a program can write what is no answer
// (garbage), answer a question that is not open (out of turn), answer after its
// time (late), never answer (hang), or end (exit). Each of these ends the process
// and is reported under the property that was being checked; the next property
// gets a new process. Every process has a group of its own, is killed with it, and
// is waited for, so that neither zombies nor orphans are left, but for what leaves
// the group on purpose (setsid).
package remote
