package lab

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Injected records an injected fault for the report. It may be called several times.
func (l *Lab) Injected(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken.IsZero() {
		l.broken = time.Now()
	}
	l.injected = append(l.injected, fmt.Sprintf(format, args...))
}

// Healed records that everything works again. The recovery time runs from here until everything is settled. It is not
// necessary for faults that heal by themselves, such as a program that is restarted: without it, the recovery time runs
// from the last crash or the first injection.
func (l *Lab) Healed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.healed = time.Now()
}

// Arm arms crash points in all programs and replaces those armed before. An entry with #n acts once in the whole run,
// in the first process that reaches the point for the n-th time. Check fails if an armed point was never reached.
func (l *Lab) Arm(entries ...string) {
	l.t.Helper()
	next := l.armed + ".next"
	require.NoError(l.t, os.WriteFile(next, []byte(strings.Join(entries, ";")), 0o600))
	require.NoError(l.t, os.Rename(next, l.armed))
	l.points = append(l.points, entries...)
}

// Disarm disarms all crash points.
func (l *Lab) Disarm() {
	l.t.Helper()
	require.NoError(l.t, os.RemoveAll(l.armed))
}

// Kills returns entries that kill a process at a point the given number of times in the run. Each later kill requires
// one more hit within one process.
func Kills(point string, times int) []string {
	entries := make([]string, times)
	for i := range entries {
		entries[i] = fmt.Sprintf("%s=kill#%d", point, i+1)
	}
	return entries
}

// act is one line of the log of crash points that acted.
type act struct {
	point string
	entry string // the whole entry that acted
	at    time.Time
}

func (l *Lab) acts() []act {
	l.t.Helper()
	log, err := os.ReadFile(l.fired)
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(l.t, err)
	var acts []act
	for line := range strings.Lines(string(log)) {
		var a act
		var pid, nanos int64
		if _, err := fmt.Sscan(line, &a.point, &pid, &nanos, &a.entry); err == nil {
			a.entry, a.at = a.point+"="+a.entry, time.Unix(0, nanos)
			acts = append(acts, a)
		}
	}
	return acts
}

// Fired returns how often a crash point acted.
func (l *Lab) Fired(point string) int {
	l.t.Helper()
	n := 0
	for _, a := range l.acts() {
		if a.point == point {
			n++
		}
	}
	return n
}

// WaitFired waits until a crash point acted, and records it as injected.
func (l *Lab) WaitFired(point string, within time.Duration) {
	l.t.Helper()
	l.WaitFiredTimes(point, 1, within)
}

// WaitFiredTimes waits until a crash point acted at least the given number of times, and records it as injected.
func (l *Lab) WaitFiredTimes(point string, times int, within time.Duration) {
	l.t.Helper()
	require.EventuallyWithT(l.t, func(c *assert.CollectT) {
		require.GreaterOrEqual(c, l.Fired(point), times, "the crash point %s was not reached so often", point)
	}, within, 20*time.Millisecond)
	l.noteFired(point)
}

// noteFired records a crash point's actions in the report.
func (l *Lab) noteFired(point string) {
	l.t.Helper()
	n, action := 0, ""
	for _, a := range l.acts() {
		if a.point != point {
			continue
		}
		n++
		action, _, _ = strings.Cut(strings.TrimPrefix(a.entry, point+"="), "#")
	}
	if n == 1 {
		l.Injected("%s at %s", action, point)
		return
	}
	l.Injected("%d× %s at %s", n, action, point)
}
