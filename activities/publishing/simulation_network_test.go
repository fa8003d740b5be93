package publishing_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
)

// entry is a post on the simulated network.
type entry struct {
	id, handle string
	visible    time.Time // in listings
}

// world is the simulated network. It accepts, refuses and loses calls at random, and lists accepted posts after a
// delay.
type world struct {
	chaos    *chaos
	strength platform.ReconcileStrength
	refuses  bool // refuses the same content twice

	mu      sync.Mutex
	handles int
	entries []entry
}

// Types implements platform.Link.
func (*world) Types() []channel.Type { return []channel.Type{channel.Twitter} }

// Strength implements platform.Connector.
func (w *world) Strength() platform.ReconcileStrength { return w.strength }

// pick returns a random value.
func pick[T any](c *chaos, of ...T) T { return of[c.upToN(len(of))] }

func failed(class platform.Class, code string) *platform.Failure {
	f := &platform.Failure{Class: class, Code: code, Message: "The network said no."}
	if class == platform.ClassRateLimited {
		f.Until = time.Now().Add(7 * time.Second)
	}
	return f
}

// Refresh implements platform.Link.
func (w *world) Refresh(ctx context.Context, _ platform.Account) (channel.Credentials, error) {
	if w.chaos.strikes(ctx, "refresh") {
		return channel.Credentials{}, failed(platform.ClassTransient, "DOWN")
	}
	return channel.Credentials{AccessToken: "fresh", RefreshToken: "r"}, nil
}

// Identify implements platform.Link.
func (*world) Term(platform.Account) platform.Term { return platform.Term{} }

func (*world) Identify(_ context.Context, account platform.Account) (platform.Identity, error) {
	return platform.Identity{ID: account.ExternalID}, nil
}

func (w *world) Prepare(
	ctx context.Context, _ platform.Account, _ platform.Content, h platform.Handle,
) (platform.Preparation, error) {
	if w.strength != platform.ReconcileExact {
		return platform.Preparation{Ready: true}, nil
	}
	if w.chaos.strikes(ctx, "prepare") {
		return platform.Preparation{}, failed(pick(w.chaos, platform.ClassTransient, platform.ClassRateLimited,
			platform.ClassRefresh), "NOT_PREPARED")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if h != "" {
		if w.has(string(h)) {
			return platform.Preparation{}, failed(platform.ClassUnknown, "ALREADY_PUBLISHED")
		}
		return platform.Preparation{Handle: h, Ready: true}, nil
	}
	w.handles++
	return platform.Preparation{
		Handle: platform.Handle(fmt.Sprintf("h%d", w.handles)), Ready: w.chaos.chance(0.7), Wait: 2 * time.Second,
	}, nil
}

func (w *world) has(handle string) bool {
	for _, e := range w.entries {
		if e.handle != "" && e.handle == handle {
			return true
		}
	}
	return false
}

// Commit implements platform.Connector. Like package wire, it checks the time window before it sends the first byte.
func (w *world) Commit(
	ctx context.Context, _ platform.Account, _ platform.Content, h platform.Handle,
) (platform.Publication, error) {
	if w.chaos.strikes(ctx, "before the call") {
		return platform.Publication{}, failed(platform.ClassTransient, "NOT_CONNECTED")
	}
	if until, ok := platform.SendBy(ctx); ok && time.Now().After(until) {
		return platform.Publication{}, failed(platform.ClassTransient, "SEND_WINDOW_CLOSED")
	}
	written := time.Now()
	fate := ""
	if w.chaos.chance(0.5) && w.chaos.spend() {
		fate = pick(w.chaos, "lost on its way", "refused", "delayed")
	}
	switch fate {
	case "lost on its way":
		pass(w.chaos.upTo(simCommit))
		return platform.Publication{}, failed(platform.ClassUnknown, "TIMEOUT")
	case "refused":
		return platform.Publication{}, failed(pick(w.chaos, platform.ClassTransient, platform.ClassRateLimited,
			platform.ClassRefresh, platform.ClassRejected), "REFUSED")
	case "delayed": // accepted after the caller has stopped waiting for the response
		visible := written.Add(w.chaos.upTo(simReadDelay - time.Second))
		w.chaos.alive.Go(func() {
			pass(w.chaos.upTo(time.Until(visible)))
			w.take(string(h), visible)
		})
		w.chaos.strikes(ctx, "while it waits for the answer")
		return platform.Publication{}, failed(platform.ClassUnknown, "TIMEOUT")
	}
	e, taken := w.take(string(h), written.Add(w.chaos.upTo(simReadDelay-time.Second)))
	if !taken {
		return platform.Publication{}, failed(platform.ClassUnknown, platform.CodeDuplicate)
	}
	if w.chaos.strikes(ctx, "after the network took it") {
		pass(w.chaos.upTo(simCommit))
		return platform.Publication{}, failed(platform.ClassUnknown, "TIMEOUT")
	}
	return platform.Publication{ExternalID: e.id, URL: "https://network.test/" + e.id}, nil
}

// take publishes the content, unless the network knows the handle or refuses duplicate content.
func (w *world) take(handle string, visible time.Time) (entry, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.has(handle) || w.refuses && len(w.entries) > 0 {
		w.chaos.note("the network refuses a duplicate", nil)
		return entry{}, false
	}
	e := entry{id: fmt.Sprintf("e%d", len(w.entries)+1), handle: handle, visible: visible}
	w.entries = append(w.entries, e)
	w.chaos.note("the network takes "+e.id, nil)
	return e, true
}

// Reconcile implements platform.Connector.
func (w *world) Reconcile(
	ctx context.Context, _ platform.Account, _ platform.Content, sent platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	if w.chaos.strikes(ctx, "reconcile") {
		return platform.EvidenceUnclear, platform.Publication{},
			failed(pick(w.chaos, platform.ClassTransient, platform.ClassRateLimited, platform.ClassRefresh), "NOT_READ")
	}
	w.mu.Lock()
	entries := append([]entry(nil), w.entries...)
	w.mu.Unlock()
	for _, e := range entries {
		if e.handle == string(sent.Handle) && !e.visible.After(time.Now()) && !sent.Taken(e.id) {
			return platform.EvidenceFound, platform.Publication{ExternalID: e.id, URL: "https://network.test/" + e.id}, nil
		}
	}
	return platform.EvidenceAbsent, platform.Publication{}, nil
}
