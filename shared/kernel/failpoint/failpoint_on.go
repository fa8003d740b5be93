//go:build failpoint

package failpoint

import (
	"context"
	"os"
	"sync"

	"socialpub.internal/shared/kernel/failpoint/internal/engine"
)

// Enabled tells whether this binary was built with fail points.
const Enabled = true

// armed is state of the package on purpose, the one exception in this code base: a point must be reachable
// from any line without a parameter that production code would have to carry, and this file is in no
// production binary.
var armed = sync.OnceValues(func() (*engine.Engine, error) {
	return engine.New(engine.Config{
		Entries:  os.Getenv("FAILPOINTS"),
		File:     os.Getenv("FAILPOINTS_FILE"),
		Log:      os.Getenv("FAILPOINTS_LOG"),
		Injected: ErrInjected,
	})
})

// Hit does what is armed for the name: nothing, a pause, the end of the process, or an error.
// An unreadable FAILPOINTS or FAILPOINTS_FILE is returned as an error from every hit, so that a test
// with a typing mistake fails instead of passing for nothing.
func Hit(ctx context.Context, name string) error {
	points, err := armed()
	if err != nil {
		return err
	}

	return points.Hit(ctx, name)
}
