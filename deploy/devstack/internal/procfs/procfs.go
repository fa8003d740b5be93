// Package procfs reads information about processes and sockets from Linux's /proc.
package procfs

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Root is the mount point of the kernel's process file system.
const Root = "/proc"

// FS reads a process file system. Tests replace it with a folder.
type FS struct{ root string }

// New returns a reader of the process file system mounted at root.
func New(root string) FS { return FS{root: root} }

// Alive reports whether a process exists and is not a zombie.
func (f FS) Alive(pid int) bool {
	fields := f.stat(pid)
	return len(fields) > 0 && fields[0] != "Z" && fields[0] != "X"
}

// CommandLine returns the process's arguments joined by spaces, or "" if they cannot be read.
func (f FS) CommandLine(pid int) string {
	raw, err := os.ReadFile(f.path(pid, "cmdline"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(bytes.ReplaceAll(raw, []byte{0}, []byte{' '})))
}

// Work describes the work of a process so far: its state, page faults and CPU time. The description changes while the
// process works, and is constant while it waits. Work returns "" if there is no such process.
func (f FS) Work(pid int) string {
	const minorFaults, majorFaults, userTime, systemTime = 7, 9, 11, 12 // fields after the name, see proc(5)
	fields := f.stat(pid)
	if len(fields) <= systemTime {
		return ""
	}
	return strings.Join([]string{
		fields[0], fields[minorFaults], fields[majorFaults], fields[userTime], fields[systemTime],
	}, " ")
}

// WaitsForDisk reports whether a process is in uninterruptible sleep, which means that it waits for a disk.
func (f FS) WaitsForDisk(pid int) bool {
	fields := f.stat(pid)
	return len(fields) > 0 && fields[0] == "D"
}

// Descendants lists the children of pid, their children, and so on, without pid itself.
func (f FS) Descendants(pid int) []int {
	children := make(map[int][]int)
	for _, candidate := range f.processes() {
		if fields := f.stat(candidate); len(fields) > 1 {
			if parent, err := strconv.Atoi(fields[1]); err == nil {
				children[parent] = append(children[parent], candidate)
			}
		}
	}
	var found []int
	for queue := []int{pid}; len(queue) > 0; queue = queue[1:] {
		found = append(found, children[queue[0]]...)
		queue = append(queue, children[queue[0]]...)
	}
	return found
}

// ResidentBytes returns the memory of a process in RAM. A page that several processes share counts in equal parts for
// each. If the kernel does not report that, shared pages count in full.
func (f FS) ResidentBytes(pid int) int64 {
	if bytes, ok := kibibytes(f.path(pid, "smaps_rollup"), "Pss:"); ok {
		return bytes
	}
	bytes, _ := kibibytes(f.path(pid, "status"), "VmRSS:")
	return bytes
}

// kibibytes parses a line such as "Pss: 123 kB".
func kibibytes(path, name string) (bytes int64, ok bool) {
	raw, err := os.ReadFile(path) //nolint:gosec // below the process file system
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(raw)) {
		value, found := strings.CutPrefix(line, name)
		if !found {
			continue
		}
		kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		return kib * 1024, err == nil
	}
	return 0, false
}

// stat returns the fields after the command's name in /proc/<pid>/stat: state, parent, group and so on. The name ends
// at the last parenthesis, because it may itself contain spaces and parentheses.
func (f FS) stat(pid int) []string {
	raw, err := os.ReadFile(f.path(pid, "stat"))
	if err != nil {
		return nil
	}
	end := bytes.LastIndexByte(raw, ')')
	if end < 0 {
		return nil
	}
	return strings.Fields(string(raw[end+1:]))
}

func (f FS) processes() []int {
	entries, err := os.ReadDir(f.root)
	if err != nil {
		return nil
	}
	var pids []int
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	return pids
}

func (f FS) path(pid int, name string) string { return filepath.Join(f.root, strconv.Itoa(pid), name) }
