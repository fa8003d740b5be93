package postgres_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// subscribe chooses digests for a person at an hour in UTC.
func (b *bundle) subscribe(t *testing.T, id ident.User, hour int, kinds ...mail.Kind) {
	t.Helper()
	require.NoError(t, postgres.NewUsers(b.db).SetChoices(t.Context(), id, postgres.Choices{
		Quiet: mail.Quiet{Zone: "UTC"}, Digests: kinds, DigestHour: hour,
	}))
}

// TestDigestSaysWhatHappened has a workspace with posts of each state. Processes that send at once send one digest a day.
func TestDigestSaysWhatHappened(t *testing.T) {
	t.Parallel()
	b := setup(t)
	people := b.people(t, member.Owner, member.Viewer)
	b.subscribe(t, people[member.Owner].ID, 8, mail.DigestDaily, mail.DigestWeekly)
	at := time.Date(2027, time.March, 1, 8, 0, 0, 0, time.UTC) // a Monday
	digests := func(now time.Time) map[string]mail.Mail {
		var all sync.WaitGroup
		errs, mails := make([]error, 4), b.mails(t)
		for i := range errs {
			all.Go(func() { _, errs[i] = mails.MailDigests(t.Context(), now) })
		}
		all.Wait()
		require.NoError(t, errors.Join(errs...))
		return b.recipients(t)
	}
	require.Empty(t, digests(at), "there is nothing to say")

	for _, state := range []string{"PUBLISHED", "PUBLISHED", "FAILED", "SCHEDULED", "SCHEDULED"} {
		p := b.failed(t, ident.User{}, "X refused the post.")
		if state != "FAILED" {
			postgrestest.Exec(t, b.address, `UPDATE post SET status = $2, error_code = NULL, error_message = NULL, error_retryable = NULL,
				published_at = CASE WHEN $2 = 'PUBLISHED' THEN $3::timestamptz END, scheduled_at = $4 WHERE id = $1`,
				p.ID.String(), state, at.Add(20*time.Hour), at.Add(30*time.Hour))
		} else {
			postgrestest.Exec(t, b.address, `UPDATE post SET updated_at = $2 WHERE id = $1`, p.ID.String(), at.Add(time.Hour))
		}
	}
	postgrestest.Exec(t, b.address, `INSERT INTO post_insight (post_id, day, likes, shares, collected_at)
		SELECT id, $1::date, row_number() OVER (ORDER BY id), 2, now() FROM post WHERE status = 'PUBLISHED'`, at.Format(time.DateOnly))
	postgrestest.Exec(t, b.address, `DELETE FROM outbox`)
	require.Empty(t, digests(at.Add(23*time.Hour)), "of the same day")
	next := at.Add(24 * time.Hour)
	require.Empty(t, digests(next.Add(-time.Second)), "before the hour")
	sent := digests(next)
	require.Len(t, sent, 1)
	got := sent["DIGEST_DAILY OWNER@example.com"].Content.Digest
	require.NotNil(t, got)
	require.Equal(t, 2, got.Published[0].Posts)
	require.Equal(t, 1, got.Failed[0].Posts)
	require.Equal(t, "X refused the post.", got.Failed[0].Reason)
	require.Equal(t, 2, got.NextPosts)
	require.Len(t, got.Next, 2)
	require.True(t, got.Next[0].At.Equal(at.Add(30*time.Hour)))
	require.Equal(t, 4, got.Best.Reactions)
	require.Empty(t, digests(next.Add(time.Hour)), "once a day")
	listed, err := b.mails(t).Notices(t.Context(), people[member.Owner].ID, b.ws.ID, 10)
	require.NoError(t, err)
	require.Len(t, listed, 1)
	require.Equal(t, mail.DigestDaily, listed[0].Kind)

	week := digests(at.Add(7 * 24 * time.Hour))
	require.Contains(t, week, "DIGEST_WEEKLY OWNER@example.com")
	require.Len(t, week, 1, "the day before had nothing")
	_, err = b.mails(t).DropNotices(t.Context(), at.Add(60*24*time.Hour))
	require.NoError(t, err)
	require.Empty(t, postgrestest.Column(t, b.address, `SELECT day::text FROM digest_day`))
}

func TestDigestsWithoutMailServer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner := b.people(t, member.Owner)[member.Owner]
	b.subscribe(t, owner.ID, b.now.UTC().Hour(), mail.DigestDaily)
	b.failed(t, ident.User{}, "X refused the post.")
	postgrestest.Exec(t, b.address, `UPDATE post SET updated_at = $1`, b.now.Add(-2*time.Hour))
	b.started(t)
	sent, err := b.mails(t).WithoutMails().MailDigests(t.Context(), b.now)
	require.NoError(t, err)
	require.Zero(t, sent)
	require.Empty(t, b.recipients(t))
	listed, err := b.mails(t).Notices(t.Context(), owner.ID, b.ws.ID, 10)
	require.NoError(t, err)
	require.Len(t, listed, 1, "the application shows it")
}
