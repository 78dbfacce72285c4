// Package group starts a command in a process group of its own, where the system
// has such a thing, so that ending it leaves no orphan.
package group
