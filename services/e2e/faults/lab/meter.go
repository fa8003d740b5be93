package lab

import (
	"bufio"
	"context"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"fencepost.internal/services/e2e/harness"
)

// Ceiling is the maximum that one program may use (I12).
type Ceiling struct {
	Memory     float64 // resident bytes
	Goroutines float64
	Files      float64 // open descriptors
	Outbox     float64 // messages to Temporal that wait in the database
}

// Ordinary returns the default ceiling.
func Ordinary() Ceiling {
	return Ceiling{Memory: 600 << 20, Goroutines: 3000, Files: 1500, Outbox: 10_000}
}

// of returns the ceiling of each gauge; zero means none.
func (c Ceiling) of() map[string]float64 {
	return map[string]float64{
		gaugeMemory: c.Memory, gaugeGoroutines: c.Goroutines, gaugeFiles: c.Files, gaugeOutbox: c.Outbox,
	}
}

// The gauges of the programs. Only programs with a sweep have the last one.
const (
	gaugeMemory     = "process_resident_memory_bytes"
	gaugeGoroutines = "go_goroutines"
	gaugeFiles      = "process_open_fds"
	gaugeOutbox     = "fencepost_outbox_depth"
)

// meter records the peak of each gauge of each program.
type meter struct {
	mu    sync.Mutex
	peaks map[string]map[string]float64 // program and its address → gauge → peak
}

// Watch reads the programs' metrics every half second until the test ends.
func (l *Lab) Watch() {
	l.meter = &meter{peaks: make(map[string]map[string]float64)}
	ctx, cancel := context.WithCancel(context.WithoutCancel(l.t.Context()))
	done := make(chan struct{})
	l.t.Cleanup(func() { cancel(); <-done })
	go func() {
		defer close(done)
		const every = 500 * time.Millisecond
		ticks := time.NewTicker(every)
		defer ticks.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticks.C:
			}
			for _, p := range l.Processes() {
				l.meter.read(ctx, p)
			}
		}
	}()
}

// read reads a program's metrics once. A program that is down or paused returns nothing.
func (m *meter) read(ctx context.Context, p *harness.Process) {
	const timeout = 300 * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.OpsURL()+"/metrics", http.NoBody)
	if err != nil {
		return
	}
	response, err := http.DefaultClient.Do(request) //nolint:forbidigo // a probe on this machine
	if err != nil {
		return
	}
	defer func() { _ = response.Body.Close() }()
	m.keep(p.Name()+" "+p.OpsURL(), response.Body)
}

// keep updates the peaks from a page of metrics. The line of a gauge without labels is its name and its value.
func (m *meter) keep(program string, page io.Reader) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.peaks[program] == nil {
		m.peaks[program] = make(map[string]float64)
	}
	for lines := bufio.NewScanner(page); lines.Scan(); {
		gauge, text, _ := strings.Cut(lines.Text(), " ")
		if _, requested := (Ceiling{}).of()[gauge]; !requested {
			continue
		}
		if now, err := strconv.ParseFloat(text, 64); err == nil {
			m.peaks[program][gauge] = max(m.peaks[program][gauge], now)
		}
	}
}

// Peaks returns the peaks so far, by program.
func (l *Lab) Peaks() map[string]map[string]float64 {
	if l.meter == nil {
		return nil
	}
	l.meter.mu.Lock()
	defer l.meter.mu.Unlock()
	peaks := make(map[string]map[string]float64, len(l.meter.peaks))
	for name, gauges := range l.meter.peaks {
		peaks[name] = maps.Clone(gauges)
	}
	return peaks
}

// bounded checks I12: no program exceeded the ceiling, and metrics were read at all.
func (l *Lab) bounded(t terms) []Violation {
	var wrong []Violation
	seen := 0.0
	for name, gauges := range l.Peaks() {
		seen += gauges[gaugeMemory]
		for gauge, ceiling := range t.ceiling.of() {
			if ceiling > 0 && gauges[gauge] > ceiling {
				wrong = append(wrong, violation("I12", "%s had %s %.0f, at most %.0f are allowed", name, gauge, gauges[gauge],
					ceiling))
			}
		}
	}
	if seen == 0 {
		return []Violation{violation("I12", "no resource usage was measured")}
	}
	return wrong
}
