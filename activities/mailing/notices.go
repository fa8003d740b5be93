package mailing

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/kernel/clock"
)

// noticePoll is the interval at which due notices are looked for.
const noticePoll = 20 * time.Second

// waitingPoll is the interval at which conversations that wait and monthly reports are looked for.
const waitingPoll = time.Minute

// NoticeStore stores what people are to be mailed about; see postgres.Mails.
type NoticeStore interface {
	MailPosts(ctx context.Context, now time.Time) (mails int, err error)
	MailWaiting(ctx context.Context, now time.Time) (mails int, err error)
	MailDigests(ctx context.Context, now time.Time) (mails int, err error)
	MailReports(ctx context.Context, now time.Time) (mails int, err error)
	DropNotices(ctx context.Context, now time.Time) (int64, error)
}

// Notices makes the messages about posts. Any number of processes may run it.
type Notices struct {
	Store  NoticeStore
	Wake   func() // reports to the relay that mails are stored
	Clock  clock.Clock
	Logger *slog.Logger

	waiting time.Time // when conversations that wait were looked for last
}

// Run makes mails until the context is canceled.
func (n *Notices) Run(ctx context.Context) {
	retry.Every(ctx, noticePoll, n.Round, func(err error) {
		n.Logger.WarnContext(ctx, "mails about posts could not be made", slog.Any("error", err))
	})
}

// Round makes the messages that are due.
func (n *Notices) Round(ctx context.Context) error {
	now := n.Clock.Now()
	_, dropped := n.Store.DropNotices(ctx, now)
	mails, err1 := n.Store.MailPosts(ctx, now)
	digests, err2 := n.Store.MailDigests(ctx, now)
	var waiting, reports int
	var err3, err4 error
	if now.Sub(n.waiting) >= waitingPoll {
		waiting, err3 = n.Store.MailWaiting(ctx, now)
		reports, err4 = n.Store.MailReports(ctx, now)
		n.waiting = now
	}
	if sent := mails + digests + waiting + reports; sent > 0 {
		n.Wake()
		n.Logger.InfoContext(ctx, "people are mailed about posts, conversations and months", slog.Int("mails", sent))
	}
	return errors.Join(dropped, err1, err2, err3, err4)
}
