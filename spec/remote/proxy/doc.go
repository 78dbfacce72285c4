// Package proxy holds live proxies against the specification: it runs the
// servers behind the proxy itself, holds their responses back to freeze any
// vector of requests in flight, and takes single picks from there.
//
//	picklaw audit --http http://127.0.0.1:8080/ --backends 127.0.0.1:9001,127.0.0.1:9002 --law least-request
//
// To the auditor a proxy is one more spec.Picker: a pick is a request that has
// arrived at a server and is held there, and ending it lets the response go, waits
// until the client has seen the connection end, and then for the proxy to settle.
// So the properties, their names and their judgement are those of any balancer.
//
// What is different is that a pick may be made before the proxy has accounted for
// the end of the last request. Such strays are measured, not guessed: see
// [Target.Calibrate]. Their rate goes into the judgement as a contamination, under
// which it remains valid.
//
// The auditor sends requests to the local machine alone unless it is told that
// the target belongs to whoever runs it, no faster and no more of them than its
// bounds say, and no longer than its time.
package proxy
