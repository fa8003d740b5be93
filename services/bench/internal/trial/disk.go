package trial

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/services/bench/internal/result"
)

const (
	diskPosts   = 5_000
	diskBatch   = 500
	diskSettles = 75 * time.Second // until Temporal has deleted the tasks it has done, which it does twice a minute
	diskBeyond  = 60 * 24 * time.Hour
	diskTables  = 6 // tables to print
)

// Disk measures how many bytes a sleeping post takes in the databases of the service, of Temporal, and of Temporal's
// visibility store without the indexes that migrate drops: a post of tomorrow, which has a workflow, and a post beyond
// the horizon, which has none.
func Disk(ctx context.Context, l *lab.Lab) ([]result.Row, error) {
	if err := l.DropVisibilityIndexes(ctx); err != nil {
		return nil, err
	}
	_, stop, err := startAll(ctx, l, "api")
	defer stop()
	if err != nil {
		return nil, err
	}
	d := &disk{Lab: l}
	if d.tenant, err = l.Tenant(ctx, "Sleeping"); err != nil {
		return nil, err
	}
	n := min(diskPosts, l.Backlog)
	if err := d.sleep(ctx, diskBatch, burstAhead); err != nil { // the first pages of tables and indexes
		return nil, err
	}
	within, err := d.measure(ctx, "within the horizon", n, burstAhead)
	if err != nil {
		return nil, err
	}
	beyond, err := d.measure(ctx, "beyond the horizon", n, diskBeyond)
	if err != nil {
		return nil, err
	}
	rows := []result.Row{
		result.Plain(result.DiskWithin, sum(within), "KB"), result.Plain(result.DiskBeyond, sum(beyond), "KB"),
	}
	for i, part := range []string{result.DiskService, result.DiskTemporal, result.DiskVisibility} {
		rows = append(rows, result.Plain(part, within[i], "KB"))
	}
	return rows, nil
}

type disk struct {
	*lab.Lab

	tenant lab.Tenant
}

// sleep creates n posts that are due after a while, and waits until Temporal has their messages and has settled.
func (d *disk) sleep(ctx context.Context, n int, ahead time.Duration) error {
	first := d.Clock.Now().Add(ahead).Truncate(time.Second)
	due := func(i int) time.Time { return first.Add(time.Duration(i) * time.Second) }
	if err := d.Posts(ctx, d.tenant, n, diskBatch, due); err != nil {
		return err
	}
	if err := d.OutboxEmpty(ctx, burstLimit); err != nil {
		return err
	}
	if err := numbered(ctx, d.Lab); err != nil {
		return err
	}
	return lab.Pause(ctx, diskSettles)
}

// measure returns the growth of each database per post, in KB of 1,000 bytes.
func (d *disk) measure(ctx context.Context, what string, n int, ahead time.Duration) ([]float64, error) {
	before, err := d.DiskUse(ctx, lab.Packed)
	if err != nil {
		return nil, err
	}
	if err := d.sleep(ctx, n, ahead); err != nil {
		return nil, err
	}
	after, err := d.DiskUse(ctx, lab.Vacuumed)
	if err != nil {
		return nil, err
	}
	const kilo = 1000
	growth := make([]float64, len(after))
	for i, tables := range after {
		type table struct {
			name  string
			bytes float64
		}
		var grown []table
		for name, size := range tables {
			bytes := float64(size-before[i][name]) / float64(n)
			growth[i] += bytes / kilo
			grown = append(grown, table{name, bytes})
		}
		slices.SortFunc(grown, func(a, b table) int { return int(b.bytes - a.bytes) })
		var largest []string
		for _, t := range grown[:min(diskTables, len(grown))] {
			largest = append(largest, fmt.Sprintf("%s %.0f", t.name, t.bytes))
		}
		d.Say("disk: %s, %s: %.2f KB per post; bytes by table: %s", what, lab.Databases[i], growth[i],
			strings.Join(largest, ", "))
	}
	return growth, nil
}

func sum(values []float64) (total float64) {
	for _, v := range values {
		total += v
	}
	return total
}
