package trial

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/bench/internal/result"
)

// report writes the results of the rush as Markdown, to the output and to a file in the log folder.
func (r *rush) report(v *rushVerdict) error {
	var page strings.Builder
	page.WriteString("| Rush | Measured |\n|---|---|\n")
	for _, line := range [][][2]string{r.postLines(v), r.eventLines(v), r.processLines()} {
		for _, cells := range line {
			_, _ = fmt.Fprintf(&page, "| %s | %s |\n", cells[0], cells[1])
		}
	}
	page.WriteString(
		"\n| Seconds after the first was due | Posts not ended | Deliveries open | of them queued | Outbox " +
			"|\n|---:|---:|---:|---:|---:|\n")
	for _, d := range r.thinned() {
		_, _ = fmt.Fprintf(&page, "| %.0f | %d | %d | %d | %d |\n", d.at.Seconds(), d.posts, d.open, d.line, d.outbox)
	}
	if _, err := fmt.Fprintf(r.Out, "\n%s\n", page.String()); err != nil {
		return err
	}
	const mode = 0o644
	return os.WriteFile(filepath.Join(r.Folder, "rush.md"), []byte(page.String()), mode)
}

func (r *rush) postLines(v *rushVerdict) [][2]string {
	var ends []string
	for _, end := range slices.Sorted(maps.Keys(v.ends)) {
		ends = append(ends, fmt.Sprintf("%d %s", v.ends[end], end))
	}
	least, most := slices.Min(v.lateP99), slices.Max(v.lateP99)
	return [][2]string{
		{
			"posts accepted",
			fmt.Sprintf("%d by `POST /v1/posts/bulk`, in %.0f s; due within %.0f s, in %d workspaces", len(r.accepted),
				r.made.Seconds(), rushWindow.Seconds(), len(r.customers)),
		},
		{"their ends", strings.Join(ends, ", ")},
		{"lost, doubled, published but not reported", fmt.Sprintf("%d, %d, %d", v.lost, v.doubled, v.untrue)},
		{
			"drain",
			fmt.Sprintf("%.0f posts/s; the last one out %.0f s after the first was due",
				perSecond(len(v.late), v.lastOut.Sub(r.first)), v.lastOut.Sub(r.first).Seconds()),
		},
		{"lateness", seconds(v.late)},
		{
			"lateness p99 by workspace",
			fmt.Sprintf("%.1f to %.1f s, ratio %.2f", least.Seconds(), most.Seconds(), most.Seconds()/least.Seconds()),
		},
	}
}

func (r *rush) eventLines(v *rushVerdict) [][2]string {
	count := make(map[manner]int)
	for _, e := range r.endpoints {
		count[e.manner]++
	}
	var states []string
	for _, state := range slices.Sorted(maps.Keys(v.deliveries)) {
		states = append(states, fmt.Sprintf("%d %s", v.deliveries[state], state))
	}
	lines := [][2]string{
		{
			"endpoints",
			fmt.Sprintf("%d healthy, %d slow (1 to 5 s), %d refused, %d answering 500, %d hanging", count[healthy], count[slow],
				count[refused], count[failing], count[hanging]),
		},
		{"events missing, wrong, repeated", fmt.Sprintf("%d, %d, %d of %d", v.missing, v.wrong, v.repeated, v.arrived)},
		{
			"deliveries to responding endpoints",
			fmt.Sprintf("%.0f/s; the last one %.0f s after the first post was due", perSecond(v.arrived, v.lastIn.Sub(r.first)),
				v.lastIn.Sub(r.first).Seconds()),
		},
		{"from event to healthy endpoint, no dead one in the workspace", seconds(v.apart)},
		{"same, with a dead one in the workspace", seconds(v.beside)},
		{
			"p99 by healthy endpoint",
			fmt.Sprintf("%.1f to %.1f s", slices.Min(v.worst).Seconds(), slices.Max(v.worst).Seconds()),
		},
		{"from event to slow endpoint", seconds(v.slow)},
	}
	for _, m := range []manner{refused, failing, hanging} {
		d := v.dead[m]
		text := fmt.Sprintf("%d of %d disabled", d.disabled, d.endpoints)
		if d.disabled > 0 {
			text += fmt.Sprintf(", the last one %.0f s after the first attempt", d.after.Seconds())
		}
		lines = append(lines, [2]string{"dead: " + string(m), fmt.Sprintf("%s; %d attempts", text, d.attempts)})
	}
	return append(lines, [2]string{"deliveries", strings.Join(states, ", ")})
}

func (r *rush) processLines() [][2]string {
	var restarts, memory []string
	for _, one := range r.restarts {
		restarts = append(restarts, fmt.Sprintf("%s at %.0f s (ended in %.1f s, ready %.1f s later)", one.name,
			one.at.Seconds(), one.stopped.Seconds(), one.ready.Seconds()))
	}
	peaks := r.watcher.memory()
	for _, program := range slices.Sorted(maps.Keys(peaks)) {
		memory = append(memory, fmt.Sprintf("%s %.0f MB", program, peaks[program]))
	}
	var line, outbox, open depth
	for _, d := range r.watcher.depths {
		if d.line > line.line {
			line = d
		}
		if d.outbox > outbox.outbox {
			outbox = d
		}
		if d.open > open.open {
			open = d
		}
	}
	return [][2]string{
		{"restarts", strings.Join(restarts, "; ")},
		{
			"concurrent calls to the API",
			fmt.Sprintf("%d, of them %d failed; %d retries on the other replica; %s", r.calls.made, r.calls.failed,
				r.balancer.Retried(), spread(r.calls.took)),
		},
		{
			"deepest",
			fmt.Sprintf("%d deliveries queued at %.0f s, %d open at %.0f s; %d messages in the outbox at %.0f s", line.line,
				line.at.Seconds(), open.open, open.at.Seconds(), outbox.outbox, outbox.at.Seconds()),
		},
		{"highest memory of one process", strings.Join(memory, ", ")},
	}
}

// thinned returns a selection of the snapshots: most of them until the responding endpoints had all their events, the
// others afterwards.
func (r *rush) thinned() []depth {
	const serving, afterwards = 14, 4
	served := r.delivered.Sub(r.first)
	at := slices.IndexFunc(r.watcher.depths, func(d depth) bool { return d.at > served })
	if at < 0 {
		at = len(r.watcher.depths)
	}
	begin := max(0, slices.IndexFunc(r.watcher.depths, func(d depth) bool { return d.at >= 0 }))
	return append(some(r.watcher.depths[begin:at], serving), some(r.watcher.depths[at:], afterwards)...)
}

// some returns at most n snapshots, evenly distributed, including the first and the last.
func some(all []depth, n int) []depth {
	if len(all) <= n {
		return slices.Clone(all)
	}
	chosen := make([]depth, n)
	for i := range chosen {
		chosen[i] = all[i*(len(all)-1)/(n-1)]
	}
	return chosen
}

// seconds formats the median, the 99th percentile and the maximum.
func seconds(values []time.Duration) string {
	if len(values) == 0 {
		return "–"
	}
	return fmt.Sprintf("p50 %.1f s, p99 %.1f s, at most %.1f s", percentile(values, median).Seconds(),
		percentile(values, tail).Seconds(), slices.Max(values).Seconds())
}

// rows returns the rows for the file of results.
func (v *rushVerdict) rows(r *rush) []result.Row {
	rows := []result.Row{
		result.Plain("rush_posts", perSecond(len(v.late), v.lastOut.Sub(r.first)), "posts/s"),
		result.Plain("rush_lateness_p99", percentile(v.late, tail).Seconds(), "s"),
		result.Plain("rush_deliveries", perSecond(v.arrived, v.lastIn.Sub(r.first)), "deliveries/s"),
		result.Plain("rush_lost", float64(v.lost), "posts"),
		result.Plain("rush_doubled", float64(v.doubled), "posts"),
		result.Plain("rush_events_missing", float64(v.missing), "events"),
	}
	for program, mb := range r.watcher.memory() {
		rows = append(rows, result.Plain("rush_"+result.RSSPrefix+program, mb, "MB"))
	}
	slices.SortFunc(rows[6:], func(a, b result.Row) int { return strings.Compare(a.Name, b.Name) })
	return rows
}
