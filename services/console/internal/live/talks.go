package live

import (
	"context"
	"time"

	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
)

// overlap is the time for which a change is looked for after the read that may have missed it: the time of a change is that at
// which its transaction began.
const overlap = 5 * time.Second

// talks reads which conversations of a workspace change.
type talks struct {
	from      Conversations
	clock     clock.Clock
	workspace ident.Workspace
	known     map[ident.Conversation]time.Time // the times of the last read
	at        time.Time                        // of the last read
}

func newTalks(cfg Config, workspace ident.Workspace) *talks {
	return &talks{from: cfg.Conversations, clock: cfg.Clock, workspace: workspace, at: cfg.Clock.Now()}
}

// read returns the conversations that changed since the last read, and first those of the overlap.
func (t *talks) read(ctx context.Context) (changed []ident.Conversation, err error) {
	began := t.clock.Now()
	found, err := t.from.Changed(ctx, t.workspace, began.Sub(t.at)+overlap, pageSize)
	if err != nil {
		return nil, err
	}
	known := make(map[ident.Conversation]time.Time, len(found))
	for _, c := range found {
		if !t.known[c.ID].Equal(c.ChangedAt) {
			changed = append(changed, c.ID)
		}
		known[c.ID] = c.ChangedAt
	}
	t.known, t.at = known, began
	return changed, nil
}
