package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/internal/group"
)

// Findings about a program on the other end of a pipe.
const (
	Garbage   spec.Finding = "garbage"     // a line that is no answer, or lacks what was asked for
	Late      spec.Finding = "late"        // an answer that came after its time
	OutOfTurn spec.Finding = "out of turn" // an answer to a question that is not open
)

// A child is one process of the subject. It has a process group of its own, so
// that ending it leaves no orphan, and is always waited for.
type child struct {
	cmd      *exec.Cmd
	patience time.Duration
	stderr   limited
	can      []string

	Conversation

	writing sync.Mutex // one line at a time
	in      *os.File
	out     *os.File

	breaking sync.Mutex
	broken   *Trouble
	failed   chan struct{} // closed when broken is set
	silent   chan struct{} // closed when nothing more is read
	exited   chan struct{} // closed when the process has been waited for
}

// start runs the command in a shell and says hello.
func start(command string, patience time.Duration) (*child, error) {
	c := &child{
		cmd: exec.Command("/bin/sh", "-c", command), patience: patience,
		failed: make(chan struct{}), silent: make(chan struct{}), exited: make(chan struct{}),
	}
	group.Own(c.cmd)
	c.cmd.Stderr = &c.stderr
	c.cmd.WaitDelay = 100 * time.Millisecond // a grandchild may hold the pipes open
	input, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, output, err := os.Pipe()
	if err != nil {
		_, _ = input.Close(), in.Close()
		return nil, err
	}
	c.in, c.cmd.Stdin, c.out, c.cmd.Stdout = in, input, out, output
	err = c.cmd.Start()
	_, _ = input.Close(), output.Close() // the child has its own
	if err != nil {
		_, _ = in.Close(), out.Close()
		return nil, fmt.Errorf("remote: starting %q: %w", command, err)
	}
	go c.read()
	go c.wait()
	return c, nil
}

// startup is how long a program may take until it answers at all: some runtimes
// need seconds.
const startup = 10 * time.Second

// hello agrees on the version.
func (c *child) hello() {
	a := c.askWithin(max(c.patience, startup), question{Op: opHello, Protocol: Version})
	switch {
	case a.Error != "":
		c.blame(spec.Refused, "it refused to begin: %s", a.Error)
	case a.Protocol != Version:
		c.blame(Garbage, "it speaks protocol %d, want %d", a.Protocol, Version)
	}
	c.can = a.Can
}

// read hands answers to whoever asked, until the stream ends or goes wrong.
func (c *child) read() {
	defer close(c.silent)
	var t *Trouble
	if errors.As(c.Listen(c.out), &t) {
		c.breaks(t.Finding, "%s", t.Text)
	}
}

// grace is how long the end of a process and the end of its output may be
// apart.
const grace = 200 * time.Millisecond

// wait waits for the process, so that it leaves no zombie, and for the rest of
// what it wrote. A process that lives on without its output is ended, and so is
// whatever a process leaves behind.
func (c *child) wait() {
	waited := make(chan struct{})
	go func() {
		_ = c.cmd.Wait() // the state says more than the error
		close(waited)
	}()
	select {
	case <-waited:
	case <-c.silent:
		select {
		case <-waited:
		case <-time.After(grace):
			c.breaks(spec.Exited, "it closed its output%s", c.lastWords())
			group.Kill(c.cmd)
			<-waited
		}
	}
	select {
	case <-c.silent:
	case <-time.After(grace):
	}
	c.breaks(spec.Exited, "it ended with %v%s", c.cmd.ProcessState, c.lastWords())
	_, _ = c.in.Close(), c.out.Close()
	close(c.exited)
}

// breaks notes the first thing that went wrong; nothing more is asked then.
func (c *child) breaks(f spec.Finding, format string, args ...any) {
	c.breaking.Lock()
	defer c.breaking.Unlock()
	if c.broken == nil {
		c.broken = &Trouble{Finding: f, Text: fmt.Sprintf(format, args...)}
		close(c.failed)
		group.Kill(c.cmd)
	}
}

// blame breaks the child and ends the call under way with the finding.
func (c *child) blame(f spec.Finding, format string, args ...any) {
	c.breaks(f, format, args...)
	<-c.exited
	c.breaking.Lock()
	t := *c.broken
	c.breaking.Unlock()
	spec.Fail(t.Finding, "%s", t.Text)
}

func (c *child) isBroken() bool {
	select {
	case <-c.failed:
		return true
	default:
		return false
	}
}

// ask sends a question and waits for its answer. Whatever goes wrong ends the
// call under way with a finding: an answer that is more than patience away is
// late when it comes within twice that time, and a hang when it does not.
func (c *child) ask(q question) Answer { return c.askWithin(c.patience, q) }

func (c *child) askWithin(patience time.Duration, q question) Answer {
	var reply <-chan Answer
	q.Seq, reply = c.Ask()
	asked := time.Now()
	line, err := json.Marshal(q)
	if err != nil {
		panic("remote: " + err.Error())
	}
	c.write(append(line, '\n'))
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case a := <-reply:
		return a
	case <-c.failed:
	case <-timer.C:
		select {
		case <-reply:
			c.blame(Late, "it answered %s after %v, want at most %v", line, time.Since(asked).Round(time.Millisecond), patience)
		case <-c.failed:
		case <-time.After(patience):
			c.breaks(spec.Hung, "it has not answered %s for %v%s", line, 2*patience, c.lastWords())
		}
	}
	c.blame(spec.Exited, "it did not answer %s", line) // what broke it first is what is reported
	panic("unreachable")
}

// write sends a line. A child that does not read is noticed by the patience of
// whoever asks, so that the write need not last longer than that.
func (c *child) write(line []byte) {
	c.writing.Lock()
	defer c.writing.Unlock()
	_ = c.in.SetWriteDeadline(time.Now().Add(c.patience))
	_, _ = c.in.Write(line) // a broken pipe shows as the end of the output
}

// stop ends the process: its input ends, and if that is not enough it is killed.
func (c *child) stop() {
	_ = c.in.Close()
	select {
	case <-c.exited:
	case <-time.After(c.patience):
		group.Kill(c.cmd)
		<-c.exited
	}
}

// lastWords is the end of what the child wrote to its standard error.
func (c *child) lastWords() string {
	words := strings.TrimSpace(c.stderr.String())
	if words == "" {
		return ""
	}
	lines := strings.Split(words, "\n")
	return ", saying\n" + strings.Join(lines[max(0, len(lines)-6):], "\n")
}

// limited keeps the end of what a child says.
type limited struct {
	mu   sync.Mutex
	text []byte
}

func (l *limited) Write(p []byte) (int, error) {
	const room = 1 << 13
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, p...)
	l.text = l.text[max(0, len(l.text)-room):]
	return len(p), nil
}

func (l *limited) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text)
}
