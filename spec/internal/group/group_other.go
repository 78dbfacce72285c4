//go:build !unix

package group

import "os/exec"

// Own does nothing here.
func Own(*exec.Cmd) {}

// Kill ends a command that was started.
func Kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
