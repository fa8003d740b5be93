package publishing

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"
	"unicode"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/retry"
)

const (
	// recordFor is the time for which writing a network's response is retried. Only the death of the process may lose
	// the response, and reconciliation recovers it even then.
	recordFor   = 2 * time.Minute
	withdrawFor = 10 * time.Second
)

// writes are the pauses between the tries of a write.
var writes = retry.Pauses{First: 50 * time.Millisecond, Longest: 2 * time.Second}

// record writes the result of an attempt, and retries while the database is unavailable.
func (r *run) record(ctx context.Context, change post.Change, result postgres.AttemptResult) error {
	result.Owner = r.intent.Owner
	write := func(ctx context.Context) error { return r.Posts.Record(ctx, change, result) }
	err := persist(ctx, recordFor, write)
	if errors.Is(err, postgres.ErrDuplicate) {
		// The network returned the ID of another post of ours. This post is published all the same, because the network
		// accepted it. Store it without an ID.
		r.Logger.ErrorContext(ctx, "the network returned one id for two posts", slog.String("post_id", r.Post.ID.String()))
		result.ExternalID = ""
		err = persist(ctx, recordFor, write)
	}
	return err
}

// withdraw revokes an intent that may or may not have been recorded, when it is certain that nothing will be sent.
func (r *run) withdraw(ctx context.Context) error {
	return persist(context.WithoutCancel(ctx), withdrawFor, func(ctx context.Context) error {
		return r.Attempts.Withdraw(ctx, r.Job, r.intent)
	})
}

// persist repeats a write for at most limit while the database is unavailable. It returns other errors at once.
func persist(ctx context.Context, limit time.Duration, write func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	_, err := retry.Do(ctx, writes, postgres.IsUnavailable, func() (struct{}, error) { return struct{}{}, write(ctx) })
	return err
}

// refresh refreshes the channel's credentials, or adopts those that another process stored.
func (r *run) refresh(ctx context.Context) error {
	fresh, revision, err := r.Access.Renew(ctx, r.connector, r.Channel, r.CredRev)
	if err == nil {
		r.Credentials, r.CredRev = fresh, revision
	}
	return err
}

// clean removes characters that no identifier or URL contains. A network's response is stored and displayed, but not
// trusted.
func clean(s string) string {
	const limit = 2048
	s = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || c == unicode.ReplacementChar {
			return -1
		}
		return c
	}, strings.ToValidUTF8(s, ""))
	return strings.ToValidUTF8(s[:min(len(s), limit)], "") // the cut may split a character
}
