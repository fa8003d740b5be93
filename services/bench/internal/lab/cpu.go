package lab

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/procfs"
)

// tick is the kernel's unit of CPU time in /proc (USER_HZ, 100 on Linux).
const tick = 10 * time.Millisecond

// CPU is the CPU time used so far by the measured programs and their infrastructure, by program. Temporal runs in
// devstack, and the baseline in bench.
type CPU map[string]time.Duration

// CPU reads the CPU time of every descendant of the development stack's process.
func (l *Lab) CPU() CPU {
	processes, _ := procfs.AllProcs()
	stats := make(map[int]procfs.ProcStat)
	for _, p := range processes {
		if stat, err := p.Stat(); err == nil { // otherwise the process has ended
			stats[p.PID] = stat
		}
	}
	total := make(CPU)
	for _, stat := range stats {
		at := stat.PID
		for at > 1 && at != os.Getppid() {
			at = stats[at].PPID
		}
		if at > 1 {
			// The times of ended children, such as PostgreSQL's connections, are included.
			ticks := stat.UTime + stat.STime + uint(max(0, stat.CUTime)) + uint(max(0, stat.CSTime))
			total[stat.Comm] += time.Duration(ticks) * tick //nolint:gosec // G115: a small number
		}
	}
	return total
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
