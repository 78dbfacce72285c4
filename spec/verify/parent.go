package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/picklaw/picklaw/spec"
	"github.com/picklaw/picklaw/spec/internal/group"
)

// silence is how long a child may go without finishing a property. Its own
// watchdog reports a call that hangs long before that; this is for a child whose
// runtime is stuck altogether.
const silence = 3 * time.Minute

// deaths is how often a subject may end its process before the rest of its
// properties is left undecided.
const deaths = 4

// A Program is an executable that was built with Main.
type Program struct {
	Path string
	Args []string // before the words of the protocol
}

// Self is the running program.
func Self(args ...string) (Program, error) {
	path, err := os.Executable()
	return Program{path, args}, err
}

// Subjects asks the program what it can be asked to verify.
func (p Program) Subjects(ctx context.Context) ([]Listing, error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, p.Path, append(slices.Clone(p.Args), "subjects")...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("verify: asking %s for its subjects: %w: %s", p.Path, err, head(errs.String()))
	}
	var list []Listing
	if err := json.Unmarshal(out.Bytes(), &list); err != nil {
		return nil, fmt.Errorf("verify: %s does not list subjects as a program built with verify.Main does: %w", p.Path, err)
	}
	return list, nil
}

// A Listing names a subject of a program.
type Listing struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
}

// Check holds one subject of the program against the specification, in as many
// child processes as it takes.
func (p Program) Check(ctx context.Context, o order) (*spec.Report, error) {
	dir, err := os.MkdirTemp("", "picklaw-verify-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	report := &spec.Report{Subject: o.Subject, Alpha: o.Alpha, Seed: o.Seed}
	left := o.Properties
	if left == nil {
		for _, q := range spec.Properties() {
			left = append(left, q.Name)
		}
	}
	var claimed []string
	for life := 1; len(left) > 0; life++ {
		o.Properties, o.Journal = left, filepath.Join(dir, fmt.Sprint("journal-", life))
		death, err := p.live(ctx, o)
		if err != nil {
			return nil, err
		}
		entries, err := readJournal(o.Journal)
		if err != nil {
			return nil, fmt.Errorf("verify: %s on %s: no journal (%s)", p.Path, o.Subject, death)
		}
		started, ended := "", false
		for _, e := range entries {
			switch {
			case e.Applies != nil:
				claimed = e.Applies
			case e.Start != "":
				started = e.Start
			case e.Result != nil:
				started = ""
				report.Add(*e.Result)
				left = remove(left, e.Result.Name)
			case e.End != nil:
				ended = true
				report.CouldClaim = append(report.CouldClaim, e.End.CouldClaim...)
			}
		}
		switch {
		case ended:
			return report, nil
		case started == "" && len(entries) == 0:
			return nil, fmt.Errorf("verify: %s ended before it checked anything of %s: %s", p.Path, o.Subject, death)
		case started == "": // between two properties
			started = left[0]
		}
		report.Add(p.obituary(o, started, death))
		if left = remove(left, started); life == deaths {
			for _, name := range left {
				r := undecided(name, fmt.Sprintf("not run, because the subject ended its process %d times", deaths))
				if !slices.Contains(claimed, name) {
					r.Verdict, r.Observed = spec.NotClaimed, ""
				}
				report.Add(r)
			}
			return report, nil
		}
	}
	return report, nil
}

func remove(names []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == name })
}

// live runs one child to its end and tells how it ended.
func (p Program) live(ctx context.Context, o order) (death string, err error) {
	words, err := json.Marshal(o)
	if err != nil {
		return "", err
	}
	var errs limited
	cmd := exec.Command(p.Path, append(slices.Clone(p.Args), "child", string(words))...)
	cmd.Stderr = &errs
	group.Own(cmd)
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("verify: starting %s: %w", p.Path, err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	last, size := time.Now(), int64(-1)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-exited:
			group.Kill(cmd) // whatever it left behind
			if err == nil {
				return "exit status 0", nil
			}
			return strings.TrimSpace(err.Error() + "\n" + head(errs.String())), nil
		case <-ctx.Done():
			group.Kill(cmd)
			<-exited
			return "", ctx.Err()
		case <-tick.C:
			if info, err := os.Stat(o.Journal); err == nil && info.Size() != size {
				last, size = time.Now(), info.Size()
			}
			if time.Since(last) > silence {
				group.Kill(cmd)
				<-exited
				return fmt.Sprintf("killed after %v of silence", silence), nil
			}
		}
	}
}

// obituary is the result of the property during which a child ended.
func (p Program) obituary(o order, name, death string) spec.PropertyResult {
	r := undecided(name, "")
	r.Verdict, r.Finding = spec.Violated, spec.Exited
	if strings.HasPrefix(death, "killed after") {
		r.Finding = spec.Hung
	}
	r.Observed = "the subject ended its process: " + death
	if o.Reproduce != "" {
		r.Reproduce = o.Reproduce + " --property " + name
	}
	return r
}

func undecided(name, why string) spec.PropertyResult {
	r := spec.PropertyResult{Name: name, Verdict: spec.Undecided, Observed: why}
	if q, err := spec.Find(name); err == nil {
		r.Level, r.Expected = q.Level, q.Sentence
	}
	return r
}

// limited keeps the beginning of what a child says: the first lines of a crash
// tell the reason.
type limited struct{ bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	if room := 1<<16 - l.Len(); room > 0 {
		l.Buffer.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}

// head is the first few lines of a text that say something.
func head(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[:min(len(lines), 6)], "\n")
}
