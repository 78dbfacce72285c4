package remote

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/picklaw/picklaw/spec"
)

// A Conversation is the auditor's side of the protocol, whatever carries it: the
// questions that it has asked, and the reader of the answers. The zero value is
// ready to use.
type Conversation struct {
	mu    sync.Mutex
	asked uint64
	open  map[uint64]chan Answer
}

// A Trouble is what ended a conversation, or what a subject did wrong.
type Trouble struct {
	Finding spec.Finding
	Line    int // of the subject's output, from 1; 0 when it is not about a line
	Text    string
}

func (t *Trouble) Error() string { return string(t.Finding) + ": " + t.Text }

// Ask opens a question. Its answer will be the only thing that comes through the
// channel.
func (c *Conversation) Ask() (seq uint64, reply <-chan Answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = make(map[uint64]chan Answer)
	}
	c.asked++
	waiting := make(chan Answer, 1)
	c.open[c.asked] = waiting
	return c.asked, waiting
}

// settle hands an answer to whoever asked; false when nobody did, or when the
// question has been answered.
func (c *Conversation) settle(a Answer) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	waiting, ok := c.open[*a.Seq]
	delete(c.open, *a.Seq)
	if ok {
		waiting <- a // there is room for one
	}
	return ok
}

// Listen reads answers, one in a line, until the stream ends or one of them is
// wrong, which is a *Trouble that names the line. What follows the last end of a
// line was cut off and is no answer, unless it is too long already.
func (c *Conversation) Listen(output io.Reader) error {
	lines := bufio.NewReaderSize(output, 1<<16)
	for number := 1; ; number++ {
		line, err := readLine(lines)
		wrong := func(f spec.Finding, what any) error {
			return &Trouble{f, number, fmt.Sprintf("it wrote, in line %d, %v", number, what)}
		}
		switch {
		case errors.Is(err, errLongLine):
			return wrong(Garbage, err)
		case err != nil:
			return nil // the end of the process says more than that of its output
		}
		a, err := ParseAnswer(line)
		if err != nil {
			return wrong(Garbage, err)
		}
		if !c.settle(a) {
			return wrong(OutOfTurn, fmt.Sprintf("%s, and no question %d is open", shown(line), *a.Seq))
		}
	}
}

// maxLine bounds a line of a subject, in bytes.
const maxLine = 1 << 20

var errLongLine = fmt.Errorf("more than %d bytes", maxLine)

// readLine reads up to the end of a line, which it leaves out.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, bytes.TrimSuffix(part, []byte("\n"))...)
		switch {
		case len(line) > maxLine:
			return nil, errLongLine
		case err == nil:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}
