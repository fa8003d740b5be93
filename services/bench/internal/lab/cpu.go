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

// CPU is the CPU time used so far by the programs of the measurement and of the infrastructure below it, by program.
type CPU map[string]time.Duration

// CPU reads the kernel's accounts of every process that descends from the development stack's.
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

// label names a process: ours by their names, as the ceiling's are this very program, and the others by theirs.
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

// PerItem says how much CPU each program spent since before on each of n items.
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
			continue // it has ended
		}
		if p, ok := parseStat(string(raw)); ok {
			all[pid] = p
		}
	}
	return all
}

// parseStat reads a line of /proc/<pid>/stat (proc_pid_stat(5)); the name in parentheses may contain anything.
func parseStat(line string) (process, bool) {
	open, end := strings.IndexByte(line, '('), strings.LastIndexByte(line, ')')
	if open < 0 || end < open {
		return process{}, false
	}
	// Counted from the state, the field behind the name: the times of the process in user and kernel mode, then those of its
	// children that have ended, as PostgreSQL's connections do.
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
