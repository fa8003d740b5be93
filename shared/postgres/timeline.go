package postgres

import (
	"context"
	"slices"
	"time"

	"socialpub.internal/shared/ident"
	"socialpub.internal/shared/post"
)

// Timeline reads what happened to a post, oldest first: its recorded entries, and its publish attempts, which are kept
// once and told from here. The caller has checked that the post belongs to the workspace.
func (s *Posts) Timeline(ctx context.Context, id ident.Post) ([]post.Entry, error) {
	var rows []timelineRow
	err := s.db.conn(ctx).Raw(`SELECT post_id, at, kind, actor, detail FROM post_timeline WHERE post_id = ? ORDER BY n`, id).Scan(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	attempts, err := (&Attempts{db: s.db}).ListByPost(ctx, id)
	if err != nil {
		return nil, err
	}
	entries := make([]post.Entry, 0, len(rows)+2*len(attempts))
	for _, a := range attempts { // before what follows from them, where both happened in one instant
		entries = append(entries, attemptEntries(a, rows)...)
	}
	for _, r := range rows {
		entries = append(entries, post.Entry{At: r.At, Kind: post.EntryKind(r.Kind), Actor: post.Actor(r.Actor), Detail: r.Detail})
	}
	slices.SortStableFunc(entries, func(a, b post.Entry) int { return a.At.Compare(b.At) })
	return entries, nil
}

// concluded is when an attempt ended, as far as the timeline is concerned: not after the conclusion that was drawn from it
// and was written with it, by another clock.
func concluded(a Attempt, rows []timelineRow) time.Time {
	for _, r := range rows {
		drawn := r.Kind == string(post.EntryPublished) || r.Kind == string(post.EntryFailed) || r.Kind == string(post.EntryWaiting)
		if drawn && r.At.Before(a.FinishedAt) && r.At.After(a.StartedAt) && a.FinishedAt.Sub(r.At) < time.Second {
			return r.At
		}
	}
	return a.FinishedAt
}

func attemptEntries(a Attempt, rows []timelineRow) []post.Entry {
	entry := func(at time.Time, kind post.EntryKind, detail string) post.Entry {
		return post.Entry{At: at, Kind: kind, Actor: post.ActorService, Detail: detail}
	}
	entries := []post.Entry{entry(a.StartedAt, post.EntryAttemptStarted, "Publish attempt started.")}
	switch a.State {
	case AttemptRejected:
		entries = append(entries, entry(concluded(a, rows), post.EntryAttemptFailed, a.Code+": "+a.Message))
	case AttemptUnknown, AttemptUndetermined, AttemptAbandoned:
		entries = append(entries, entry(concluded(a, rows), post.EntryAttemptUnknown, "The network's answer was lost. "+a.Message))
	case AttemptConfirmed:
		if a.Reconciled > 0 {
			entries = append(entries, entry(concluded(a, rows), post.EntryReconciled, "Found on the network."))
		}
	case AttemptPrepared, AttemptSent:
	}
	return entries
}
