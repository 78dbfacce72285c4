package spec

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/picklaw/picklaw/oracle"
	"github.com/picklaw/picklaw/policies"
)

// blocks returns the fenced blocks of a language in a Markdown file.
func blocks(t *testing.T, file, language string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var found []string
	for i, part := range strings.Split(string(text), "```") {
		if body, ok := strings.CutPrefix(part, language+"\n"); ok && i%2 == 1 {
			found = append(found, body)
		}
	}
	return found
}

// The README's example is the one that the tests compile and run.
func TestREADMEExample(t *testing.T) {
	code, err := os.ReadFile("adoption_test.go")
	require.NoError(t, err)
	parts := strings.Split(string(code), "// ---------------------------------------------------------------------------\n")
	require.Len(t, parts, 3)
	shown := blocks(t, "../README.md", "go")
	require.NotEmpty(t, shown)
	require.Equal(t, strings.TrimSpace(parts[1]), strings.TrimSpace(shown[0]))
}

// The README's diagnosis is what the suite prints of a balancer that draws with
// replacement and claims not to.
func TestREADMEDiagnosis(t *testing.T) {
	report := Subject{Name: "mine", New: hostileFactory(by(policies.PowerOfD{D: 2, Replacement: true}))}.
		Check(Law(oracle.PowerOfD{D: 2}), Only("power-of-d/pick-law"), Reproduce("picklaw verify --with ./mine --policy mine"))
	printed := resultOf(t, report, "power-of-d/pick-law").String()
	shown := blocks(t, "../README.md", "text")
	require.NotEmpty(t, shown)
	require.Equal(t, printed, shown[0])
}
