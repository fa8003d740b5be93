package apiforms_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"socialpub.internal/services/internal/apiforms"
	"socialpub.internal/shared/domain/post"
)

func TestTheTimelineReportsTheNextLook(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.March, 1, 7, 0, 0, 0, time.UTC)
	last, next := at.Add(time.Hour), at.Add(2*time.Hour)
	require.Equal(t, apiforms.Timeline{Data: []apiforms.TimelineEntry{
		{
			At: apiforms.Timestamp(at), Kind: post.EntryWaiting, Actor: post.ActorService,
			Detail: "Looks. Next check at 2026-03-01T09:00:00.000Z.",
			Count:  36, LastAt: apiforms.Timestamp(last), NextAt: apiforms.OptionalTimestamp(next),
		},
		{
			At: apiforms.Timestamp(at), Kind: post.EntryFailed, Actor: post.ActorService, Detail: "Failed.", Count: 1,
			LastAt: apiforms.Timestamp(at),
		},
	}}, apiforms.ToAPITimeline([]post.Entry{
		{At: at, Kind: post.EntryWaiting, Actor: post.ActorService, Detail: "Looks.", Count: 36, LastAt: last, NextAt: next},
		{At: at, Kind: post.EntryFailed, Actor: post.ActorService, Detail: "Failed.", Count: 1, LastAt: at},
	}))
}
