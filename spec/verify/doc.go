// Package verify turns a list of subjects into a command that holds them
// against the specification, each in a process of its own.
//
// A program that wants its balancers audited needs a main of one line:
//
//	func main() { verify.Main(subjects...) }
//
// It then has the same verify command as picklaw itself, and picklaw can include
// it in its own run: picklaw verify --with ./program.
//
// The isolation is honest about what a subject can do: it may panic, hang, exit,
// print, or die of a fatal runtime error. The parent learns what was being
// checked from a journal that the child keeps, reports the death under that
// property, and goes on with the others in a new child.
package verify
