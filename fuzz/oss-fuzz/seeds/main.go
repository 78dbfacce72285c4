// Command seeds turns seeds as go test keeps them into files of plain bytes, as
// other fuzzers want them: seeds FROM TO.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: seeds FROM TO")
		os.Exit(2)
	}
	if err := convert(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func convert(from, to string) error {
	files, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(from, f.Name()))
		if err != nil {
			return err
		}
		seed, err := plain(string(text))
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name(), err)
		}
		if err := os.WriteFile(filepath.Join(to, f.Name()), seed, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// plain reads a seed of one argument, which is a []byte.
func plain(text string) ([]byte, error) {
	body, known := strings.CutPrefix(strings.TrimSpace(text), "go test fuzz v1\n[]byte(")
	quoted, closed := strings.CutSuffix(body, ")")
	if !known || !closed {
		return nil, fmt.Errorf("not a seed of one []byte")
	}
	seed, err := strconv.Unquote(quoted)
	return []byte(seed), err
}
