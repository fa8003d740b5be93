//go:build linux && !amd64 && !arm64

package confine

// The filter was never tested on this architecture, so it is not used.
const (
	auditArchitecture  = 0
	firstForeignNumber = 0
)

func oldForbiddenCalls() []uint32 { return nil }
