package web

import (
	"context"
	"strings"
	"sync"

	"github.com/valyala/fasthttp"
)

// Shorts reads short links.
type Shorts interface {
	// Target returns NOT_FOUND if there is no such code.
	Target(ctx context.Context, code string) (string, error)
}

const (
	// longestCode is more than the length of any code.
	longestCode = 32
	// maxTargets bounds the cached targets, which never change.
	maxTargets = 10_000
)

// targets caches the targets of codes. It is safe for concurrent use.
type targets struct {
	mu sync.Mutex
	by map[string]string
}

func (t *targets) get(code string) (target string, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	target, known = t.by[code]
	return target, known
}

func (t *targets) put(code, target string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.by == nil || len(t.by) >= maxTargets {
		t.by = make(map[string]string)
	}
	t.by[code] = target
}

// short redirects to the target of a short link. Only addresses of the web are targets: everything else counts as absent.
func (s *Site) short(ctx *fasthttp.RequestCtx, code string) {
	set(ctx, "X-Robots-Tag", "noindex, nofollow")
	if code == "" || len(code) > longestCode || !visible(code) {
		send(ctx, fasthttp.StatusNotFound, s.dead)
		return
	}
	target, err := find(ctx, s, func(load bool) (string, error) { return s.target(code, load) })
	if err != nil {
		s.trouble(ctx, err, s.dead)
		return
	}
	if scheme, _, _ := strings.Cut(target, "://"); scheme != "https" && scheme != "http" || !visible(target) {
		send(ctx, fasthttp.StatusNotFound, s.dead)
		return
	}
	if visit, seen := s.visit(ctx); seen {
		s.Tally.Short(code, visit)
	}
	redirect(ctx, target, fasthttp.StatusFound, "no-store")
}

func (s *Site) target(code string, load bool) (string, error) {
	target, known := s.targets.get(code)
	if known {
		return target, nil
	}
	if !load {
		return "", ErrNotCached
	}
	ctx, cancel := context.WithTimeout(context.Background(), loadTimeout)
	defer cancel()
	target, err := s.Shorts.Target(ctx, code)
	if err == nil {
		s.targets.put(code, target)
	}
	return target, err
}
