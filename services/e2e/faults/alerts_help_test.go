package faults_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
)

// hurry divides the durations of the alerts. deploy/prometheus/alerts_test.yaml tests the durations themselves.
const hurry = 30

// hurriedRules returns the rules of deploy/prometheus with shorter durations, at least two scrapes long.
func hurriedRules(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "..", "deploy", "prometheus", "alerts.yaml"))
	require.NoError(t, err)
	seconds := map[string]int{"s": 1, "m": 60, "h": 3600}
	shorten := func(text string, least int) string {
		parts := regexp.MustCompile(`(\d+)([smh])`).FindStringSubmatch(text)
		n, err := strconv.Atoi(parts[1])
		require.NoError(t, err)
		return fmt.Sprintf("%ds", max(least, n*seconds[parts[2]]/hurry))
	}
	rules := regexp.MustCompile(`\[\d+[smh]\]`).ReplaceAllStringFunc(string(raw), func(text string) string {
		return "[" + shorten(text, 10) + "]"
	})
	return regexp.MustCompile(`for: \d+[smh]`).ReplaceAllStringFunc(rules, func(text string) string {
		return "for: " + shorten(text, 1)
	})
}

// allAlerts returns the names of the alerts in deploy/prometheus.
func allAlerts(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, match := range regexp.MustCompile(`- alert: (\w+)`).FindAllStringSubmatch(hurriedRules(t), -1) {
		names = append(names, match[1])
	}
	require.Greater(t, len(names), 15)
	return names
}

// watched is a system whose alerts a Prometheus evaluates.
type watched struct {
	*lab.Lab

	t     *testing.T
	tower *harness.Prometheus
	fired map[string]bool
}

func watch(t *testing.T, l *lab.Lab) *watched {
	t.Helper()
	return &watched{Lab: l, t: t, tower: l.StartPrometheus(hurriedRules(t)), fired: make(map[string]bool)}
}

// silent requires that no alert fires while the system works for a while.
func (w *watched) silent(during time.Duration) {
	w.t.Helper()
	begin := time.Now()
	<-time.After(during)
	fired, err := w.tower.Fired(begin)
	require.NoError(w.t, err)
	require.Empty(w.t, fired, "alerts of a healthy system")
}

// fires requires that the fault makes the named alerts fire and no others, except for the tolerated ones. The fault
// lasts until all have fired. Afterwards, heal ends the fault, and every alert must end.
func (w *watched) fires(fault string, within time.Duration, heal func(), tolerated []string, names ...string) {
	w.t.Helper()
	w.Injected("%s", fault)
	begin := time.Now()
	var fired []string
	require.EventuallyWithT(w.t, func(c *assert.CollectT) {
		var err error
		fired, err = w.tower.Fired(begin)
		require.NoError(c, err)
		require.Subset(c, fired, names, fault)
	}, within, time.Second)
	w.t.Logf("%s: after %s, these alerts have fired: %v", fault, time.Since(begin).Round(time.Second), fired)
	for _, name := range fired {
		require.Contains(w.t, append(names, tolerated...), name, "an alert without its fault: %s", fault)
	}
	for _, name := range names {
		w.fired[name] = true
	}
	heal()
	require.EventuallyWithT(w.t, func(c *assert.CollectT) {
		points, err := w.tower.Query(`ALERTS{alertstate="firing"}`)
		require.NoError(c, err)
		require.Empty(c, points)
	}, 3*time.Minute, time.Second, "alerts that do not end: %s", fault)
}

// scraped waits until Prometheus has the metrics of a process that started after a time. increase() does not see what a new
// process counts before.
func (w *watched) scraped(p *harness.Process, after time.Time) {
	w.t.Helper()
	require.EventuallyWithT(w.t, func(c *assert.CollectT) {
		points, err := w.tower.Query(`process_start_time_seconds{instance="` + p.Ops() + `"}`)
		require.NoError(c, err)
		require.Len(c, points, 1)
		require.GreaterOrEqual(c, points[0].Value, float64(after.Unix()-2), "the kernel rounds its start")
	}, time.Minute, time.Second)
}

// repeat calls do again and again until stop is called, at the latest by the end of the test.
func (w *watched) repeat(every time.Duration, do func()) (stop func()) {
	w.t.Helper()
	done := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		for {
			do()
			select {
			case <-done:
				return
			case <-time.After(every):
			}
		}
	})
	stop = sync.OnceFunc(func() { close(done); running.Wait() })
	w.t.Cleanup(stop)
	return stop
}
