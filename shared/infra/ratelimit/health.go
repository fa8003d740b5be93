package ratelimit

import (
	"sync"
	"time"

	"socialpub.internal/shared/kernel/clock"
)

// askAgain is how often a store that did not answer is asked again.
const askAgain = time.Second

// health knows whether the store answers.
type health struct {
	mu   sync.Mutex
	down bool
	rest period // in which nobody asks
}

func (h *health) isUp() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.down
}

// admits reports whether the store may be asked now: always when it answers, else by one request a second.
func (h *health) admits(clk clock.Clock) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.down {
		return true
	}
	now := clk.Now()
	if h.rest.left(now) > 0 {
		return false
	}
	h.rest = period{now, askAgain}
	return true
}

// report notes whether the store answered, and returns whether that is news.
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
