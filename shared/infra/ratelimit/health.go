package ratelimit

import (
	"sync"
	"time"

	"fencepost.internal/shared/kernel/clock"
)

// askAgain is the interval of calls to a store that did not respond.
const askAgain = time.Second

// health tracks whether the store responds.
type health struct {
	mu   sync.Mutex
	down bool
	rest period // period without calls
}

func (h *health) isUp() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.down
}

// admits reports whether the store may be called now: always if it responds, otherwise once per second.
func (h *health) admits(clk clock.Clock) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.down {
		return true
	}
	now := clk.Now()
	if h.rest.remaining(now) > 0 {
		return false
	}
	h.rest = period{now, askAgain}
	return true
}

// report records whether the store responded, and reports whether that is a change.
func (h *health) report(up bool, clk clock.Clock) (changed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	changed = up == h.down
	h.down = !up
	if changed && !up {
		h.rest = period{clk.Now(), askAgain}
	}
	return changed
}
