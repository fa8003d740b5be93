package retry

import (
	"context"

	"fencepost.internal/shared/kernel/ident"
)

// Pause exposes Loop.pause to tests.
func (l *Loop[J]) Pause(ctx context.Context, claimed int) { l.pause(ctx, claimed) }

// Hold exposes Loop.hold to tests.
func (l *Loop[J]) Hold(id ident.Workspace, n int) { l.hold(id, n) }

// Full exposes Loop.full to tests.
func (l *Loop[J]) Full() []ident.Workspace { return l.full() }
