package publishing_test

import (
	"context"
	"slices"
	"sync"
	"time"

	"fencepost.internal/activities/publishing"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

var (
	_ publishing.Attempts = (*memory)(nil)
	_ publishing.Posts    = (*memory)(nil)
	_ publishing.Channels = (*memory)(nil)
	_ publishing.Media    = (*memory)(nil)
	_ publishing.Access   = (*memory)(nil)
)

// memory is the simulated database: one post and its attempts, with the rules of package postgres, which
// TestMemoryStoreMatchesDatabase verifies. The process may die at every call.
type memory struct {
	chaos  *chaos
	broken bool // ignores sent attempts, to prove that the simulation detects it

	mu       sync.Mutex
	post     post.Post
	channel  channel.Channel
	attempts []row
	events   []string // final events of the post
	limit    time.Time
}

// present returns the current post.
func (m *memory) present() post.Post {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.post
}

// row is an attempt with its owner.
type row struct {
	postgres.Attempt

	owner string
}

// isOf reports whether the owner of the result may end the attempt.
func (a row) isOf(result postgres.AttemptResult) bool {
	return result.Reconciled || a.owner == result.Owner.String()
}

// do runs a statement. It is applied completely or not at all, and the caller may not learn which.
func (m *memory) do(ctx context.Context, name string, statement func() error) error {
	if m.chaos.strikes(ctx, "before "+name) {
		return apperr.New(apperr.Unavailable, "The database does not respond.")
	}
	m.mu.Lock()
	err := statement()
	m.mu.Unlock()
	m.chaos.note(name, err)
	if m.chaos.strikes(ctx, "after "+name) {
		return apperr.New(apperr.Unavailable, "The database's answer was lost.")
	}
	return err
}

// Claim implements publishing.Attempts.
func (m *memory) Claim(ctx context.Context, _ ident.Post, revision int) (job postgres.Job, err error) {
	err = m.do(ctx, "claim", func() error {
		if m.post.Status != post.Scheduled || m.post.Revision != revision || m.post.ScheduledAt.After(time.Now()) {
			return postgres.ErrStale
		}
		if m.post.PublishingSince.IsZero() {
			m.post.PublishingSince = time.Now()
		}
		job = m.job()
		return nil
	})
	return job, err
}

// Load implements publishing.Attempts.
func (m *memory) Load(ctx context.Context, _ ident.Post) (job postgres.Job, err error) {
	err = m.do(ctx, "load", func() error {
		job = m.job()
		return nil
	})
	return job, err
}

func (m *memory) job() postgres.Job {
	job := postgres.Job{
		Post: m.post, Channel: m.channel, Now: time.Now(), Limited: !m.limit.IsZero(),
		Credentials: channel.Credentials{AccessToken: "t", RefreshToken: "r"},
	}
	for _, a := range m.attempts {
		if m.broken {
			break
		}
		if a.N > job.Attempt.N {
			job.Attempt = a.Attempt
		}
		if a.Revision != m.post.Revision {
			continue
		}
		if job.FirstTry.IsZero() {
			job.FirstTry = a.StartedAt
		}
		if a.State == post.AttemptRejected && a.Reconciled > 0 {
			job.Absences++
		}
	}
	return job
}

func (m *memory) find(n int) *row {
	for i := range m.attempts {
		if m.attempts[i].N == n {
			return &m.attempts[i]
		}
	}
	return nil
}

// Prepared implements publishing.Attempts.
func (m *memory) Prepared(ctx context.Context, job postgres.Job, in postgres.Intent) error {
	return m.do(ctx, "prepared", func() error {
		a := m.find(in.N)
		switch {
		case a == nil:
			m.attempts = append(m.attempts, row{postgres.Attempt{
				N: in.N, Revision: job.Post.Revision, State: post.AttemptPrepared, Handle: in.Handle, Marker: in.Marker,
				StartedAt: time.Now(),
			}, in.Owner.String()})
		case a.State == post.AttemptPrepared:
			a.Handle, a.Marker = in.Handle, in.Marker
		}
		return nil
	})
}

// Intend implements publishing.Attempts.
func (m *memory) Intend(ctx context.Context, job postgres.Job, in postgres.Intent) error {
	return m.do(ctx, "intend", func() error {
		if m.post.Status != post.Scheduled || m.post.Revision != job.Post.Revision || m.post.PublishingSince.IsZero() {
			return postgres.ErrStale
		}
		a := m.find(in.N)
		if m.broken {
			a = nil
		}
		if a != nil && (a.State != post.AttemptPrepared || a.Handle != in.Handle) {
			return postgres.ErrStale
		}
		if !m.broken && slices.ContainsFunc(m.attempts, func(a row) bool { return a.State.Fenced() }) {
			return postgres.ErrFenced
		}
		if a == nil {
			m.attempts = append(m.attempts, row{postgres.Attempt{
				N: in.N, Revision: m.post.Revision, Handle: in.Handle, Marker: in.Marker, StartedAt: time.Now(),
			}, ""})
			a = &m.attempts[len(m.attempts)-1]
		}
		a.State, a.SentAt, a.owner = post.AttemptSent, time.Now(), in.Owner.String()
		return nil
	})
}

// Withdraw implements publishing.Attempts.
func (m *memory) Withdraw(ctx context.Context, _ postgres.Job, in postgres.Intent) error {
	return m.do(ctx, "withdraw", func() error {
		if a := m.find(in.N); a != nil && a.owner == in.Owner.String() && a.State == post.AttemptSent {
			a.State, a.FinishedAt = post.AttemptRejected, time.Now()
			a.Class, a.Code, a.Message = string(
				platform.ClassTransient), "INTENT_WITHDRAWN", "The attempt was withdrawn before anything was sent."
		}
		return nil
	})
}

// Discarded implements publishing.Attempts.
func (m *memory) Discarded(ctx context.Context, _ ident.Post, _ int) error {
	return m.do(ctx, "discarded", func() error { return nil })
}

// Taken implements publishing.Attempts.
func (m *memory) Taken(ctx context.Context, _ ident.Channel, ids []string) (map[string]bool, error) {
	taken := make(map[string]bool)
	return taken, m.do(ctx, "taken", func() error {
		for _, a := range m.attempts {
			if a.State == post.AttemptConfirmed && slices.Contains(ids, a.ExternalID) {
				taken[a.ExternalID] = true
			}
		}
		return nil
	})
}

// Record implements publishing.Posts.
func (m *memory) Record(ctx context.Context, change post.Change, result postgres.AttemptResult) error {
	return m.do(ctx, "record "+string(result.State)+" "+string(change.Post.Status), func() error {
		other := func(a row) bool { return a.State.Fenced() && (a.N != result.N || !a.isOf(result)) }
		open := !m.broken && slices.ContainsFunc(m.attempts, other)
		if a := m.ended(change, result); a != nil {
			if result.State.Fenced() && slices.ContainsFunc(m.attempts,
				func(o row) bool { return o.N != a.N && o.State.Fenced() }) {
				return postgres.ErrDuplicate
			}
			a.State, a.FinishedAt, a.ExternalID, a.URL = result.State, time.Now(), result.ExternalID, result.URL
			a.Class, a.Code, a.Message = result.Class, result.Code, result.Message
			if result.Reconciled {
				a.Reconciled++
			}
		}
		if open && change.Claimed && change.Post.PublishingSince.IsZero() && change.Post.Status != post.Published {
			return postgres.ErrStale
		}
		if result.Edited && !m.unedited(change) {
			return postgres.ErrStale
		}
		return m.change(change)
	})
}

// unedited reports whether the content of the post is unchanged since the decision.
func (m *memory) unedited(change post.Change) bool {
	return m.post.UpdatedAt.Equal(change.From.UpdatedAt)
}

// ended returns the attempt that the result ends, or nil.
func (m *memory) ended(change post.Change, result postgres.AttemptResult) *row {
	a := m.find(result.N)
	if a == nil {
		return nil
	}
	if result.Revoked {
		if a.State == post.AttemptConfirmed && m.applies(change) {
			return a
		}
		return nil
	}
	if result.Edited {
		if (a.State == post.AttemptPrepared || a.State == post.AttemptRejected) && m.applies(change) && m.unedited(change) {
			return a
		}
		return nil
	}
	if ends(a.State, result.State) && (a.State == post.AttemptPrepared || a.isOf(result)) {
		return a
	}
	if a.State != post.AttemptRejected || result.State != post.AttemptConfirmed {
		return nil
	}
	// An attempt considered absent turns out to be published.
	i := slices.IndexFunc(m.attempts, func(a row) bool { return a.State.Fenced() })
	switch {
	case i < 0:
		return a
	case m.attempts[i].State == post.AttemptConfirmed:
		return nil
	default:
		return &m.attempts[i]
	}
}

// ends reports whether an attempt may end with a change from one state to the other.
func ends(from, to post.AttemptState) bool {
	switch from {
	case post.AttemptPrepared, post.AttemptSent:
		return true
	case post.AttemptUnknown, post.AttemptUndetermined:
		return to == post.AttemptConfirmed || to == post.AttemptRejected || to == post.AttemptUndetermined
	case post.NoAttempt, post.AttemptConfirmed, post.AttemptRejected, post.AttemptAbandoned:
	}
	return false
}

func (m *memory) change(change post.Change) error {
	if !m.applies(change) {
		return postgres.ErrStale
	}
	m.post = change.Post
	for _, e := range change.Events {
		m.events = append(m.events, string(e.Type))
	}
	return nil
}

// applies reports whether the post is unchanged since the decision.
func (m *memory) applies(change post.Change) bool {
	from := change.From
	return m.post.Status == from.Status && m.post.Revision == from.Revision &&
		(m.post.PublishingSince.IsZero() || change.Claimed)
}

// Hold implements publishing.Posts.
func (m *memory) Hold(ctx context.Context, change post.Change, result postgres.AttemptResult) error {
	return m.Record(ctx, change, result)
}

// NeedsReconnect implements publishing.Channels.
func (m *memory) NeedsReconnect(ctx context.Context, _ ident.Channel, _ int) error {
	return m.do(ctx, "reconnect", func() error {
		m.channel.TokenStatus = channel.TokenNeedsReconnect
		return nil
	})
}

// InOrder implements publishing.Media.
func (*memory) InOrder(context.Context, ident.Workspace, []ident.Media) ([]media.Asset, error) {
	return nil, nil
}

// Renew implements publishing.Access.
func (m *memory) Renew(
	ctx context.Context, link platform.Link, _ channel.Channel, revision int,
) (channel.Credentials, int, error) {
	fresh, err := link.Refresh(ctx, platform.Account{})
	return fresh, revision + 1, err
}

// Limit implements publishing.Attempts.
func (m *memory) Limit(ctx context.Context, _ ident.Channel, hold time.Duration) error {
	return m.do(ctx, "limit", func() error {
		m.limit = time.Now().Add(hold)
		return nil
	})
}

// Turn implements publishing.Attempts.
func (m *memory) Turn(ctx context.Context, _ ident.Channel, step time.Duration) (wait time.Duration, err error) {
	err = m.do(ctx, "turn", func() error {
		if wait = max(0, time.Until(m.limit)); wait > 0 {
			wait += step
		}
		return nil
	})
	return wait, err
}

// Unlimit implements publishing.Attempts.
func (m *memory) Unlimit(ctx context.Context, _ ident.Channel) error {
	return m.do(ctx, "unlimit", func() error {
		m.limit = time.Time{}
		return nil
	})
}
