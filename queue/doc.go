// Package queue holds the worlds that a policy is run in, and the engines that
// run it.
package queue
