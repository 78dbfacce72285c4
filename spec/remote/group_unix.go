//go:build unix

package remote

import (
	"os/exec"
	"syscall"
)

// ownGroup starts a child in a process group of its own, so that killing it
// leaves no orphan.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
