package publishing

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"
	"unicode"

	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/infra/postgres"
)

const (
	// recordFor is how long the record of an answer is tried. It is the network's word: nothing but the death of the
	// process may lose it, and even then it is found again by reconciling.
	recordFor    = 2 * time.Minute
	withdrawFor  = 10 * time.Second
	firstPause   = 50 * time.Millisecond
	longestPause = 2 * time.Second
)

// record writes what came of an attempt, and does not give up while the database does not answer.
func (r *run) record(ctx context.Context, change post.Change, result postgres.AttemptResult) error {
	result.Owner = r.intent.Owner
	write := func(ctx context.Context) error { return r.Posts.Record(ctx, change, result) }
	err := persist(ctx, recordFor, write)
	if errors.Is(err, postgres.ErrDuplicate) {
		// The network names a post that is another one of ours. Ours is out all the same: it said yes. Keep no name.
		r.Logger.ErrorContext(ctx, "the network gave one id to two posts", slog.String("post_id", r.Post.ID.String()))
		result.ExternalID = ""
		err = persist(ctx, recordFor, write)
	}
	return err
}

// withdraw takes back an intent of which we do not know whether it was recorded, only that nothing will be sent.
func (r *run) withdraw(ctx context.Context) error {
	return persist(context.WithoutCancel(ctx), withdrawFor, func(ctx context.Context) error {
		return r.Attempts.Withdraw(ctx, r.Job, r.intent)
	})
}

// persist repeats a write until it is answered, for at most limit. Answers that will not change are returned at once.
func persist(ctx context.Context, limit time.Duration, write func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		err := write(ctx)
		if !postgres.IsUnavailable(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// refresh exchanges the channel's credentials, or takes over what another process stored.
func (r *run) refresh(ctx context.Context) error {
	fresh, revision, err := r.Access.Renew(ctx, r.connector, r.Channel, r.CredRev)
	if err == nil {
		r.Credentials, r.CredRev = fresh, revision
	}
	return err
}

// clean drops what no identifier or address has: a network's answer is stored and shown, but not believed.
func clean(s string) string {
	const limit = 2048
	s = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || c == unicode.ReplacementChar {
			return -1
		}
		return c
	}, strings.ToValidUTF8(s, ""))
	return strings.ToValidUTF8(s[:min(len(s), limit)], "") // the cut may go through a character
}
