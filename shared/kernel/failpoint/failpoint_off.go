//go:build !failpoint

package failpoint

import "context"

// Enabled reports whether this binary was built with fail points.
const Enabled = false

// Hit does nothing in this build and returns nil.
func Hit(context.Context, string) error { return nil }
