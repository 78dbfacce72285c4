package peers

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/picklaw/picklaw/spec"
)

// section writes what AUDIT.md says about a module.
func (m Module) section(reports []*spec.Report, laws []Judged) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n", m.Name)
	fmt.Fprintf(&b, "Peers: %s.\n\n", strings.Join(m.Versions, ", "))
	fmt.Fprintf(&b, "| subject | property | expected | verdict | picks |\n|---|---|---|---|---|\n")
	for _, r := range reports {
		name := r.Subject
		for _, p := range r.Properties {
			if p.Verdict == spec.NotClaimed {
				continue
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", name, p.Name, cell(expected(p)), verdict(p), picks(p))
			name = ""
		}
	}
	for _, j := range laws {
		verdict, picks := "holds", fmt.Sprint(j.Picks)
		if j.Convicted {
			verdict, picks = "violated (wrong law)", fmt.Sprintf("convicted after %d", j.Picks)
		}
		fmt.Fprintf(&b, "| %s | law from fresh states | %v | %s | %s |\n", j.Name, j.Claim, verdict, picks)
	}
	fmt.Fprintln(&b)
	docs := make(map[string]string)
	for _, s := range m.Subjects {
		docs[s.Name] = s.Doc
	}
	for _, r := range reports {
		for _, p := range r.Properties {
			if p.Pinned != "" {
				fmt.Fprintf(&b, "**%s deviates from %s.** %s\n%s\n", r.Subject, p.Name, sentence(docs[r.Subject]), p.Pinned)
				if p.Diagnosis != nil {
					fmt.Fprintf(&b, "State: %s. Expected: %s.", p.Diagnosis.State, p.Expected)
					if p.Diagnosis.Fits != "" {
						fmt.Fprintf(&b, " Observed: %s.", p.Diagnosis.Fits)
					}
					fmt.Fprintln(&b)
				}
				fmt.Fprintf(&b, "Reproduce: `%s`\n\n", p.Reproduce)
			}
		}
	}
	for _, j := range laws {
		if j.Convicted {
			fmt.Fprintf(&b, "**%s does not follow %v** (%s). State: %d servers, in flight %v. Observed: fits %s.\n%s\n", j.Name, j.Claim, j.Version, j.Servers, j.State, j.Fits, j.Pinned)
			fmt.Fprintf(&b, "Reproduce: `go test -C spec/peers/%s -count=1 -run 'TestAudit/frozen/%s'`\n\n", m.Name, j.Name)
		}
	}
	for _, d := range m.Deviations {
		fmt.Fprintf(&b, "**%s** (%s). State: %s. Expected: %s. Observed: %s.\n%s\n", d.Name, d.Version, d.State, d.Expected, d.Observed, d.Effect)
		fmt.Fprintf(&b, "Reproduce: `go test -C spec/peers/%s -count=1 -run 'TestAudit/deviations/%s'`\n\n", m.Name, d.Name)
	}
	return strings.TrimSpace(b.String())
}

func expected(p spec.PropertyResult) string {
	if p.Verdict == spec.Violated && p.Diagnosis != nil && p.Diagnosis.Claim != "" {
		return p.Diagnosis.Claim
	}
	return p.Expected
}

func verdict(p spec.PropertyResult) string {
	text := string(p.Verdict)
	if p.Finding != "" {
		text += " (" + string(p.Finding) + ")"
	}
	return text
}

// picks tells how many were looked at. How many a conviction takes is up to
// chance, and settled takes it out.
func picks(p spec.PropertyResult) string {
	switch {
	case p.Samples == 0:
		return ""
	case p.Verdict == spec.Violated:
		return fmt.Sprintf("convicted after %d", p.Samples)
	}
	return fmt.Sprint(p.Samples)
}

// What is not about the peer: how many picks a conviction took, which is chance,
// whose turn it was in a rotation that starts anywhere, which is chance too, and
// how many picks were planned, which is this suite's business.
var (
	byChance = regexp.MustCompile(`convicted after \d+`)
	byStart  = regexp.MustCompile(`\| server \d+ \| violated \(broken sequence\)`)
	byPlan   = regexp.MustCompile(`\| \d+ \|`)
)

func settled(section string) string {
	section = byChance.ReplaceAllString(section, "convicted")
	section = byStart.ReplaceAllString(section, "| a server | violated (broken sequence)")
	return byPlan.ReplaceAllString(section, "| planned |")
}

func cell(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	return strings.ReplaceAll(text, "|", "\\|")
}

func sentence(doc string) string { return strings.TrimSuffix(doc, ".") + "." }

const heading = `# The audit of real Go balancers

Written by ` + "`make audit-peers`" + `, and kept true by the test of each module. A verdict is
about the version that is named, and about what the subject claims or its users
would expect; statistical ones bound the probability of a false alarm by 1e-9 for
each module. How many picks a conviction took depends on the peer's own coins.

Not driven: Traefik, which does not build as a dependency; Kitex, rpcx, oxy,
dubbo-go, go-micro, go-chassis, Skipper's balancers, smallnest/weighted, consistent
hashing with bounded loads (lafikl, buraksezer), dgryski's maglev and multi-probe
hashes and doublejump, which the module proxy does not serve; Nacos, whose
choice is behind a client that wants its server.
`

// marks enclose the section of a module.
func marks(name string) (begin, end string) {
	return "<!-- begin " + name + " -->\n", "<!-- end " + name + " -->\n"
}

func findSection(text, name string) (section string, found bool) {
	begin, end := marks(name)
	_, rest, found := strings.Cut(text, begin)
	if !found {
		return "", false
	}
	section, _, found = strings.Cut(rest, end)
	return strings.TrimSpace(section), found
}

// replaceSection writes the section into the document, which it starts if there
// is none. Sections stand in the order of their names.
func replaceSection(path, name, section string) error {
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	sections := map[string]string{name: section}
	names := []string{name}
	for _, m := range regexp.MustCompile(`<!-- begin (\S+) -->`).FindAllStringSubmatch(string(text), -1) {
		if m[1] != name {
			sections[m[1]], _ = findSection(string(text), m[1])
			names = append(names, m[1])
		}
	}
	return os.WriteFile(path, []byte(compose(names, sections)), 0o644)
}

func compose(names []string, sections map[string]string) string {
	slices.Sort(names)
	var b strings.Builder
	b.WriteString(heading)
	for _, n := range names {
		begin, end := marks(n)
		b.WriteString("\n" + begin + sections[n] + "\n" + end)
	}
	return b.String()
}
