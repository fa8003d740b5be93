package process

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/procfs"
)

// Alive reports whether a process exists and is not a zombie.
func Alive(pid int) bool {
	p, _ := procfs.NewProc(pid)
	stat, err := p.Stat()
	return err == nil && stat.State != "Z" && stat.State != "X"
}

// AwaitEnd waits until a process that is not a child of devstack has ended.
func AwaitEnd(pid int, limit time.Duration) error {
	for end := time.Now().Add(limit); Alive(pid); <-time.After(5 * time.Millisecond) {
		if time.Now().After(end) {
			return fmt.Errorf("pid %d did not end in %s", pid, limit)
		}
	}
	return nil
}

// CommandLine returns the process's arguments joined by spaces, or "" if they cannot be read.
func CommandLine(pid int) string {
	p, _ := procfs.NewProc(pid)
	args, _ := p.CmdLine()
	return strings.Join(args, " ")
}

// Descendants lists the children of pid, their children, and so on, without pid itself.
func Descendants(pid int) []int {
	children := make(map[int][]int)
	processes, _ := procfs.AllProcs()
	for _, p := range processes {
		if stat, err := p.Stat(); err == nil {
			children[stat.PPID] = append(children[stat.PPID], p.PID)
		}
	}
	found := slices.Clone(children[pid])
	for i := 0; i < len(found); i++ {
		found = append(found, children[found[i]]...)
	}
	return found
}

// ListenerOn describes the process that listens on a TCP port, as in "pid 4711 (postgres -D …)". It names only the user if
// that is another one, whose file descriptors cannot be read.
func ListenerOn(port int) string {
	const listening, longest = 10, 100
	holder := "an unknown process"
	system, _ := procfs.NewDefaultFS()
	sockets, _ := system.NetTCP()
	sockets6, _ := system.NetTCP6()
	var open []string
	for _, socket := range append(sockets, sockets6...) {
		if socket.LocalPort == uint64(port) && socket.St == listening { //nolint:gosec // a port
			open = append(open, "socket:["+strconv.FormatUint(socket.Inode, 10)+"]")
			holder = fmt.Sprintf("a process of user id %d", socket.UID)
		}
	}
	processes, _ := system.AllProcs()
	for _, p := range processes {
		targets, _ := p.FileDescriptorTargets()
		if slices.ContainsFunc(targets, func(target string) bool { return slices.Contains(open, target) }) {
			command := CommandLine(p.PID)
			return fmt.Sprintf("pid %d (%s)", p.PID, command[:min(len(command), longest)])
		}
	}
	return holder
}
