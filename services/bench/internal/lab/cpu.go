package lab

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// tick is the kernel's unit of CPU time in /proc (USER_HZ, 100 on Linux).
const tick = 10 * time.Millisecond

// CPU is the CPU time used so far by the measured programs and their infrastructure, by program.
type CPU map[string]time.Duration

// CPU reads the CPU time of every descendant of the development stack's process.
func (l *Lab) CPU() CPU {
	root := os.Getppid()
	processes := readProcesses()
	total := make(CPU)
	for pid, p := range processes {
		for at := pid; at > 1; at = processes[at].parent {
			if at == root {
				total[l.label(pid, p.name)] += p.used
				break
			}
		}
	}
	return total
}

// label returns the name of a process. The lab's own processes have their given names, because the ceiling's processes
// run this same program. Others have the names of their programs.
func (l *Lab) label(pid int, name string) string {
	for _, p := range l.processes {
		if p.cmd.Process.Pid == pid {
			return p.Name
		}
	}
	if name == "devstack" {
		return "temporal"
	}
	return name
}

// PerItem formats the CPU time that each program used since before, divided by n.
func (l *Lab) PerItem(before CPU, n int) string {
	after := l.CPU()
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if used := (after[name] - before[name]) / time.Duration(n); used > time.Microsecond {
			parts = append(parts, fmt.Sprintf("%s %.3g", name, float64(used)/float64(time.Millisecond)))
		}
	}
	return "CPU ms each: " + strings.Join(parts, ", ")
}

type process struct {
	name   string
	parent int
	used   time.Duration
}

func readProcesses() map[int]process {
	all := make(map[int]process)
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return all
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		raw, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue // the process has ended
		}
		if p, ok := parseStat(string(raw)); ok {
			all[pid] = p
		}
	}
	return all
}

// parseStat parses a line of /proc/<pid>/stat (proc_pid_stat(5)). The name in parentheses may contain any character.
func parseStat(line string) (process, bool) {
	open, end := strings.IndexByte(line, '('), strings.LastIndexByte(line, ')')
	if open < 0 || end < open {
		return process{}, false
	}
	// Indexes count from the state, the field after the name. The times are those of the process in user and kernel
	// mode, then those of its ended children, such as PostgreSQL's connections.
	const parent, firstTime, lastTime = 1, 11, 14
	fields := strings.Fields(line[end+1:])
	if len(fields) <= lastTime {
		return process{}, false
	}
	p := process{name: line[open+1 : end]}
	var err error
	if p.parent, err = strconv.Atoi(fields[parent]); err != nil {
		return process{}, false
	}
	for _, field := range fields[firstTime : lastTime+1] {
		ticks, err := strconv.Atoi(field)
		if err != nil {
			return process{}, false
		}
		p.used += time.Duration(ticks) * tick
	}
	return p, true
}
