package web

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"fencepost.internal/services/internal/hosts"
	"fencepost.internal/shared/kernel/apperr"
)

const (
	// missesPerMinute limits the requests of a network for pages that do not exist. Each reads the database, because names
	// that are tried at random are in no cache. Cached pages are not affected.
	missesPerMinute = 60
	// maxNetworks bounds the memory of a minute.
	maxNetworks = 100_000
)

// misses counts the requests of each network for pages that did not exist, in the present minute. It is safe for
// concurrent use.
type misses struct {
	mu     sync.Mutex
	minute time.Time
	by     map[string]int
}

// add counts n misses of the network, and returns their number before.
func (m *misses) add(network string, n int, now time.Time) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if minute := now.Truncate(time.Minute); !minute.Equal(m.minute) {
		m.minute, m.by = minute, map[string]int{}
	}
	before, known := m.by[network]
	if n > 0 && (known || len(m.by) < maxNetworks) {
		m.by[network] = before + n
	}
	return before
}

func (s *Site) byHandle(ctx *fasthttp.RequestCtx, handle string) (*Entry, error) {
	return s.find(ctx, func(load bool) (*Entry, error) { return s.Shelf.ByHandle(context.Background(), handle, load) })
}

func (s *Site) find(ctx *fasthttp.RequestCtx, look func(load bool) (*Entry, error)) (*Entry, error) {
	return find(ctx, s, look)
}

// find returns what is cached, or loads it. It returns ErrNotCached if the network has asked for too much that does not
// exist.
func find[T any](ctx *fasthttp.RequestCtx, s *Site, look func(load bool) (T, error)) (T, error) {
	entry, err := look(false)
	if !errors.Is(err, ErrNotCached) {
		return entry, err
	}
	network, now := hosts.Customer(s.origin(ctx, read(ctx))), s.Clock.Now()
	if s.misses.add(network, 0, now) >= missesPerMinute {
		return entry, err
	}
	if entry, err = look(true); apperr.Is(err, apperr.NotFound) {
		s.misses.add(network, 1, now)
	}
	return entry, err
}
