package trial

import (
	"context"
	"time"

	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/services/bench/internal/result"
)

// idleFor is the time that the processes are idle before their memory is read.
const idleFor = 20 * time.Second

// Memory reads the resident memory of each of the service's processes when freshly started and idle.
func Memory(ctx context.Context, l *lab.Lab) ([]result.Row, error) {
	var processes []*lab.Process
	defer func() {
		for _, p := range processes {
			p.Stop()
		}
	}()
	for _, name := range []string{"sandbox", "files", "pages", "worker", "mcp", "api"} {
		p, err := l.Start(ctx, name)
		if err != nil {
			return nil, err
		}
		processes = append(processes, p)
	}
	if err := lab.Pause(ctx, idleFor); err != nil {
		return nil, err
	}
	var rows []result.Row
	total := 0.0
	for _, p := range processes {
		mb, err := p.RSS()
		if err != nil {
			return nil, err
		}
		total += mb
		rows = append(rows, result.Plain(result.RSSPrefix+p.Name, mb, "MB"))
	}
	return append(rows, result.Plain(result.RSSTotal, total, "MB")), nil
}
