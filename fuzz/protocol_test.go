package fuzz

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/picklaw/picklaw/policies"
	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/remote"
)

// Words of the protocol, and some that are none of it. The index in this list is
// part of the format of FuzzProtocol: append only.
var protocolWords = []string{
	"\n", `{"seq":`, "}", `,"server":`, `,"count":`, `,"error":`, `,"protocol":`, `,"can":[`, "]", ",", `"`,
	`"update"`, `"eject"`, `"advance"`, `"in_flight"`, `"fly"`, `"seq":`, `,"SEQ":`, `,"extra":`,
	"1", "2", "3", "0", "-1", "1.5", "1e2", "1e400", "NaN", "Infinity", "null", "true", `""`, `"text"`, "18446744073709551615",
	strings.Repeat("[", 200), strings.Repeat(`{"seq":`, 200), strings.Repeat("x", 1<<16), "\x00", "\xff\xfe", "\u2028", "\r",
	`{"seq":1,"op":"hello","protocol":1}`, `,"op":"create","fleet":1,"seed":7,"servers":[`, `{"id":1,"name":"a","weight":1}`,
	`{"id":2,"name":"b","weight":3}`, `,"op":"pick","fleet":1,"request":`, `,"op":"done","fleet":1,"request":`,
	`,"outcome":"failed","latency_ns":5`, `,"op":"update","fleet":1`, `,"op":"eject","fleet":1`, `,"op":"in_flight","fleet":1`,
	`,"op":"close","fleet":1`, `,"op":"advance","fleet":1`, `,"servers":[`, `,"ejected":true`,
	"{\"seq\":1}\n", "{\"seq\":2,\"server\":3}\n", "{\"server\":3}\n", "{\"seq\":3,\"count\":0}\n", "Segmentation fault\n",
}

// FuzzProtocol reads what the other end of the protocol may write. Every line of a
// program is judged by a grammar of its own here, and a Go balancer must survive
// every question.
//
//	byte 0     who reads: the auditor, or a balancer
//	byte 1     how many questions are open: 0 to 15
//	1 each     the text: a byte below 128 stands for itself, another for a word
func FuzzProtocol(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		in := &input{data}
		balancer, questions := in.below(2) == 1, in.below(16)
		var text []byte
		for _, c := range in.rest {
			if c < 128 {
				text = append(text, c)
			} else {
				text = append(text, protocolWords[int(c-128)%len(protocolWords)]...)
			}
			if len(text) > 5<<18 {
				break // enough for a line that is too long, and what comes after it
			}
		}
		if balancer {
			serve(t, text)
		} else {
			listen(t, text, questions)
		}
	})
}

// listen compares the reader of the auditor with the grammar.
func listen(t *testing.T, text []byte, questions int) {
	var c remote.Conversation
	replies := make(map[uint64]<-chan remote.Answer)
	for range questions {
		seq, reply := c.Ask()
		replies[seq] = reply
	}
	var trouble *remote.Trouble
	if err := c.Listen(bytes.NewReader(text)); err != nil && !errors.As(err, &trouble) {
		t.Fatalf("error %v is no trouble", err)
	}
	lines := bytes.Split(text, []byte("\n"))
	answered := make(map[uint64]bool)
	for i, line := range lines {
		seq, wrong := grammar(line)
		if cut := i == len(lines)-1; cut && len(line) <= 1<<20 {
			break // it may have had an end
		}
		if wrong == "" && (seq < 1 || seq > uint64(questions) || answered[seq]) {
			wrong = string(remote.OutOfTurn)
		}
		if wrong == "" {
			answered[seq] = true
			continue
		}
		if trouble == nil || trouble.Line != i+1 || string(trouble.Finding) != wrong || !strings.Contains(trouble.Text, fmt.Sprint("in line ", i+1)) {
			t.Fatalf("line %d is %s: %.200q; got %+v", i+1, wrong, line, trouble)
		}
		trouble = nil
		break
	}
	if trouble != nil {
		t.Fatalf("all lines are right, got %+v", trouble)
	}
	for seq, reply := range replies {
		select {
		case a := <-reply:
			again(t, a)
			if !answered[seq] || *a.Seq != seq {
				t.Fatalf("question %d got the answer %d; answered are %v", seq, *a.Seq, answered)
			}
		default:
			if answered[seq] {
				t.Fatalf("question %d was answered, and nobody heard", seq)
			}
		}
	}
}

// again writes an answer and reads it.
func again(t *testing.T, a remote.Answer) {
	line, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	b, err := remote.ParseAnswer(line)
	if err != nil {
		t.Fatalf("an answer was read that is refused when it is written again: %v", err)
	}
	if twice, _ := json.Marshal(b); !bytes.Equal(twice, line) {
		t.Fatalf("%s is read as %s", line, twice)
	}
}

// grammar judges a line by the package comment of remote: an object of known
// fields, none of them twice, of the right types, in one line of at most 2^20
// bytes. Null is as good as nothing.
func grammar(line []byte) (seq uint64, wrong string) {
	garbage := string(remote.Garbage)
	if len(line) > 1<<20 || !json.Valid(line) {
		return 0, garbage
	}
	var fields map[string]any
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&fields); err != nil || fields == nil || len(fields) != keys(line) {
		return 0, garbage
	}
	whole := func(v any, parse func(string) error) bool {
		n, ok := v.(json.Number)
		return ok && parse(n.String()) == nil
	}
	signed := func(s string) error { _, err := strconv.ParseInt(s, 10, 64); return err }
	for key, v := range fields {
		fine := true
		switch key {
		case "seq":
			fine = whole(v, func(s string) (err error) { seq, err = strconv.ParseUint(s, 10, 64); return err })
		case "protocol", "server", "count":
			fine = v == nil || whole(v, signed)
		case "error":
			_, text := v.(string)
			fine = v == nil || text
		case "can":
			list, many := v.([]any)
			fine = v == nil || many
			for _, can := range list {
				fine = fine && slices.Contains([]any{"update", "eject", "advance", "in_flight"}, can)
			}
		default:
			fine = false
		}
		if !fine {
			return 0, garbage
		}
	}
	if _, ok := fields["seq"]; !ok {
		return 0, garbage
	}
	return seq, ""
}

// keys counts the keys of a valid object, those that come again included.
func keys(object []byte) int {
	d := json.NewDecoder(bytes.NewReader(object))
	depth, tokens := 0, 0 // of the outermost object, its own braces aside; a value of many tokens is one
	for {
		token, err := d.Token()
		if err != nil {
			return tokens / 2
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			if depth == 1 {
				tokens++
			}
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		default:
			if depth == 1 {
				tokens++
			}
		}
	}
}

// serve asks a balancer whatever the text says. It writes one answer for each
// question that it can read, and ends.
func serve(t *testing.T, text []byte) {
	var out bytes.Buffer
	factory := spec.Leased(func() policies.Policy { return policies.PowerOfD{D: 2} })
	err := remote.Serve(bytes.NewReader(text), &out, factory)
	d := json.NewDecoder(bytes.NewReader(text))
	for line := range bytes.Lines(out.Bytes()) {
		a, wrong := remote.ParseAnswer(bytes.TrimSuffix(line, []byte("\n")))
		if wrong != nil {
			t.Fatalf("the balancer wrote what the auditor refuses: %v", wrong)
		}
		var q struct{ Seq uint64 }
		if err := d.Decode(&q); err != nil || q.Seq != *a.Seq {
			t.Fatalf("the answer to question %d says %d; reading the question: %v", q.Seq, *a.Seq, err)
		}
	}
	if _, more := d.Token(); err == nil && more == nil {
		t.Fatal("the balancer ended before the questions did")
	}
}
