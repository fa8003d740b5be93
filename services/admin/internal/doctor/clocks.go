package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

// maxSkew is the difference between two clocks from which posts are published late. The steps of posts begin at least
// two seconds before their time by Temporal's clock, and are claimed by the database's clock.
const maxSkew = 2 * time.Second

// clocks compares the clocks that were read with each other. The database's clock decides when a post is due.
func (e *exam) clocks(context.Context) {
	const here = "this machine"
	offsets := maps.Clone(e.offsets)
	if len(offsets) == 0 {
		return
	}
	offsets[here] = 0
	reference := here
	if _, known := offsets[clockDatabase]; known {
		reference = clockDatabase
	}
	before := len(e.findings)
	for _, name := range slices.Sorted(maps.Keys(offsets)) {
		skew := offsets[name] - offsets[reference]
		if skew.Abs() <= maxSkew {
			continue
		}
		direction := "ahead of"
		if skew < 0 {
			direction = "behind"
		}
		e.report(Finding{
			Check: checkClocks, Code: "CLOCK",
			Text: fmt.Sprintf("The clock of %s is %s %s the clock of %s.", name, skew.Abs().Round(100*time.Millisecond), direction,
				reference),
			Cause:  "One of the machines is not synchronized. Posts can be published late, and signatures can be refused.",
			Remedy: "Synchronize both machines by NTP (chronyc tracking, timedatectl).",
		})
	}
	if len(e.findings) == before {
		e.ok(checkClocks, "%d clocks agree within %s", len(offsets), maxSkew)
	}
}
