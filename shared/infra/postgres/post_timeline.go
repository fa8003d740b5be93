package postgres

import (
	"context"
	"fmt"
	"slices"
	"time"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// nextCheck is the time of an entry's next check. It is void once the post waits for something else or no longer waits.
const nextCheck = `CASE WHEN p.status = 'SCHEDULED' AND p.revision = t.revision AND p.waiting_until = t.next_at
	THEN t.next_at END AS next_at`

// Timeline returns the history of a post with its parts, oldest first: its recorded entries and its publish attempts, which are stored
// only as attempts. The caller must have checked that the post belongs to the workspace.
func (s *Posts) Timeline(ctx context.Context, id ident.Post) ([]post.Entry, error) {
	var rows []timelineRow
	err := s.db.conn(ctx).Table("post_timeline t").Joins("JOIN post p ON p.id = t.post_id").
		Select("t.post_id, t.at, t.kind, t.actor, t.detail, t.count, COALESCE(t.last_at, t.at) AS last_at, "+nextCheck+", p.part_index").
		Where("p.id = ? OR p.root_id = ?", id, id).Order("t.n").Find(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	var attempts []struct {
		Attempt   attemptRow `gorm:"embedded"`
		PartIndex *int
	}
	err = s.db.conn(ctx).Table("publish_attempt a").Joins("JOIN post p ON p.id = a.post_id").
		Select("a.*, p.part_index").Where("p.id = ? OR p.root_id = ?", id, id).Order("p.part_index NULLS FIRST, a.n").Find(&attempts).Error
	if err != nil {
		return nil, classify(err)
	}
	entries := make([]post.Entry, 0, len(rows)+2*len(attempts))
	for _, a := range attempts { // placed before the entries that follow from them, if both have the same time
		of := slices.DeleteFunc(slices.Clone(rows), func(r timelineRow) bool { return value(r.PartIndex) != value(a.PartIndex) })
		for _, e := range attemptEntries(fromAttemptRow(a.Attempt), of) {
			entries = append(entries, inPart(e, a.PartIndex))
		}
	}
	for _, r := range rows {
		entries = append(entries, inPart(fromTimelineRow(r), r.PartIndex))
	}
	slices.SortStableFunc(entries, func(a, b post.Entry) int { return a.At.Compare(b.At) })
	return entries, nil
}

// inPart names the part that an entry is about.
func inPart(e post.Entry, index *int) post.Entry {
	if index != nil {
		e.Detail = fmt.Sprintf("Part %d: %s", *index+1, e.Detail)
	}
	return e
}

// Attempts returns the attempts to publish a post, oldest first. The caller must have checked that the post belongs to the
// workspace.
func (s *Posts) Attempts(ctx context.Context, id ident.Post) ([]Attempt, error) {
	return (&Attempts{db: s.db}).ListByPost(ctx, id)
}

func fromTimelineRow(r timelineRow) post.Entry {
	return post.Entry{
		At: r.At, Kind: post.EntryKind(r.Kind), Actor: post.Actor(r.Actor), Detail: r.Detail,
		Count: r.Count, LastAt: r.LastAt, NextAt: value(r.NextAt),
	}
}

// concluded returns the end of an attempt for the timeline. It is not after the entry that was written with the result
// by another clock.
func concluded(a Attempt, rows []timelineRow) time.Time {
	for _, r := range rows {
		drawn := r.Kind == string(post.EntryPublished) || r.Kind == string(post.EntryFailed) ||
			r.Kind == string(post.EntryWaiting)
		if drawn && r.At.Before(a.FinishedAt) && !r.At.Before(a.StartedAt) && a.FinishedAt.Sub(r.At) < time.Second {
			return r.At
		}
	}
	return a.FinishedAt
}

// attemptEntries returns the start of an attempt and its result. An attempt that made no call to the network has no
// entries.
func attemptEntries(a Attempt, rows []timelineRow) []post.Entry {
	if a.Code == CodeNotSent {
		return nil
	}
	a.StartedAt = a.StartedAt.Truncate(time.Millisecond) // the precision of the recorded entries, which come after it
	entry := func(at time.Time, kind post.EntryKind, format string, args ...any) post.Entry {
		return post.Entry{
			At: at, Kind: kind, Actor: post.ActorService, Detail: fmt.Sprintf(format, args...), Count: 1, LastAt: at,
		}
	}
	entries := []post.Entry{entry(a.StartedAt, post.EntryAttemptStarted, "Publish attempt %d started.", a.N)}
	switch a.State {
	case post.AttemptRejected:
		entries = append(entries, entry(concluded(a, rows), post.EntryAttemptFailed, "%s: %s", a.Code, a.Message))
	case post.AttemptUnknown:
		entries = append(entries, entry(concluded(a, rows), post.EntryAttemptUnknown,
			"The result of attempt %d is unknown. %s", a.N, a.Message))
	case post.AttemptUndetermined, post.AttemptAbandoned:
		entries = append(entries, entry(concluded(a, rows), post.EntryAttemptUnknown,
			"The service could not determine whether attempt %d published the post.", a.N))
	case post.AttemptConfirmed:
		if a.Reconciled > 0 {
			entries = append(entries, entry(concluded(a, rows), post.EntryReconciled, "Found on the network."))
		}
	case post.NoAttempt, post.AttemptPrepared, post.AttemptSent:
	}
	return entries
}
