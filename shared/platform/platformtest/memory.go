package platformtest

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
)

// Memory is a testnet.Memory in the memory of the process. It is safe for concurrent use.
type Memory struct {
	Clock clock.Clock

	mu        sync.Mutex
	posts     []*post.TestPost
	Collected []time.Duration // the collections of figures that were requested
}

// Prepare stores a prepared post and returns it.
func (m *Memory) Prepare(_ context.Context, id ident.Post, script string) (post.TestPost, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	prepared := &post.TestPost{ID: uuid.NewString(), PostID: id, Script: script, CreatedAt: m.Clock.Now()}
	m.posts = append(m.posts, prepared)
	return m.summed(*prepared), nil
}

// Post returns a post by its ID; NOT_FOUND if there is none.
func (m *Memory) Post(_ context.Context, id string) (post.TestPost, error) {
	return m.change(id, func(*post.TestPost) {})
}

// Accepted returns the latest post that the network accepted for a post of the service; NOT_FOUND if there is none.
func (m *Memory) Accepted(_ context.Context, id ident.Post) (post.TestPost, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.posts {
		if p.PostID == id && !p.AcceptedAt.IsZero() {
			return m.summed(*p), nil
		}
	}
	return post.TestPost{}, unknown()
}

// Call counts an irrevocable call, and returns the post with it; NOT_FOUND if there is none.
func (m *Memory) Call(_ context.Context, id string) (post.TestPost, error) {
	return m.change(id, func(p *post.TestPost) { p.Calls++ })
}

// Accept records that the network has the post, and returns it.
func (m *Memory) Accept(_ context.Context, id string, collectAfter time.Duration) (post.TestPost, error) {
	return m.change(id, func(p *post.TestPost) {
		if p.AcceptedAt.IsZero() {
			p.AcceptedAt = m.Clock.Now()
		}
		if collectAfter > 0 {
			m.Collected = append(m.Collected, collectAfter)
		}
	})
}

func (m *Memory) change(id string, change func(*post.TestPost)) (post.TestPost, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.posts {
		if p.ID == id {
			change(p)
			return m.summed(*p), nil
		}
	}
	return post.TestPost{}, unknown()
}

// summed returns the post with the calls of every attempt.
func (m *Memory) summed(p post.TestPost) post.TestPost {
	p.Calls = 0
	for _, other := range m.posts {
		if other.PostID == p.PostID && other.Script == p.Script {
			p.Calls += other.Calls
		}
	}
	return p
}

func unknown() error { return apperr.New(apperr.NotFound, "There is no such test post.") }
