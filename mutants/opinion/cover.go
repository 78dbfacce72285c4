package opinion

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A block is a stretch of code that runs as a whole, by line and column.
type block struct{ fromLine, fromColumn, toLine, toColumn int }

func (b block) holds(line, column int) bool {
	return (line > b.fromLine || line == b.fromLine && column >= b.fromColumn) &&
		(line < b.toLine || line == b.toLine && column < b.toColumn)
}

// blocks tells of each file, by its import path, which blocks have run.
type blocks map[string]map[block]bool

// readBlocks reads a profile of coverage.
func readBlocks(path string) (blocks, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	all := make(blocks)
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if i == 0 {
			continue // the mode
		}
		file, rest, _ := strings.Cut(line, ":")
		var b block
		var statements, count int
		if _, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &b.fromLine, &b.fromColumn, &b.toLine, &b.toColumn, &statements, &count); err != nil {
			return nil, fmt.Errorf("opinion: line %d of %s: %w", i+1, path, err)
		}
		if all[file] == nil {
			all[file] = make(map[block]bool)
		}
		all[file][b] = all[file][b] || count > 0
	}
	return all, nil
}

// reach tells whether code at a position has run. What is in no block, such as
// the expression of a case, counts as run when the function around it has.
func (all blocks) reach(file string, line, column int, function block) bool {
	inSome, functionRan := false, false
	for b, ran := range all[file] {
		if b.holds(line, column) {
			if ran {
				return true
			}
			inSome = true
		}
		functionRan = functionRan || ran && function.holds(b.fromLine, b.fromColumn)
	}
	return !inSome && functionRan
}

// cover runs every check alone, without a mutation, and records what it runs. It
// is an error when one of them is not green.
func (c *campaign) cover(ctx context.Context) error {
	packages := "-coverpkg=./" + strings.Join(c.Packages, ",./")
	rooms := append([]string{suiteRoom}, c.Packages...)
	if c.TestsOnly {
		rooms = c.Packages
	}
	for _, room := range rooms {
		b, err := compileTest(ctx, c.module, room, filepath.Join(c.work, strings.ReplaceAll(room, "/", "_")+".cover"), "-cover", packages)
		if err != nil {
			return err
		}
		profile := filepath.Join(c.work, "profile")
		names, err := b.tests(ctx)
		if err != nil {
			return err
		}
		if room == suiteRoom {
			if names, err = b.subjects(ctx); err != nil {
				return err
			}
		}
		for i, name := range names {
			c.progress("coverage of "+room, i, len(names))
			k := check{room: room, name: name}
			b := *b
			b.flags = append(b.flags[:len(b.flags):len(b.flags)], "-test.coverprofile="+profile)
			var v verdict
			if room == suiteRoom {
				v = b.suite(ctx, 0, []string{name}, baselineLimit)
				k.events = v.events[name]
			} else {
				v = b.test(ctx, 0, []string{name}, baselineLimit)
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if v.by != "" || v.fault != "" {
				return fmt.Errorf("opinion: %s of %s is not green without any mutation: %s %s", name, room, v.how, v.fault)
			}
			k.seconds = v.seconds
			if k.covered, err = readBlocks(profile); err != nil {
				return err
			}
			c.checks = append(c.checks, k)
		}
	}
	return nil
}

// baselineLimit is the patience with runs without a mutation.
var baselineLimit = patience{300, 10 * time.Minute}

// subjects lists the subjects of the suite that the exact tier decides anything
// of.
func (b *program) subjects(ctx context.Context) ([]string, error) {
	v := b.suite(ctx, 0, nil, baselineLimit)
	if v.by != "" || v.fault != "" {
		return nil, fmt.Errorf("opinion: the suite is not green without any mutation: %s %s %s", v.by, v.how, v.fault)
	}
	return slices.Sorted(maps.Keys(v.events)), nil
}
