//go:build failpoint

package failpoint

import (
	"context"
	"os"
	"sync"
)

// Enabled reports whether this binary was built with fail points.
const Enabled = true

// armed is deliberate package-level state, the only exception in this code base: a fail point must be reachable from
// any line without a parameter in production code, and this file is not part of production binaries.
var armed = sync.OnceValues(func() (*Engine, error) {
	return NewEngine(EngineConfig{
		Entries:  os.Getenv("FAILPOINTS"),
		File:     os.Getenv("FAILPOINTS_FILE"),
		Log:      os.Getenv("FAILPOINTS_LOG"),
		Injected: ErrInjected,
	})
})

// Hit executes the action armed for the name: nothing, a pause, the end of the process, or an error. If FAILPOINTS or
// FAILPOINTS_FILE is unreadable, every hit returns an error, so that a test with a typing mistake fails instead of
// passing without effect.
func Hit(ctx context.Context, name string) error {
	points, err := armed()
	if err != nil {
		return err
	}

	return points.Hit(ctx, name)
}
