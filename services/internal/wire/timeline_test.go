package wire_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"socialpub.internal/services/internal/wire"
	"socialpub.internal/shared/post"
)

func TestTheTimelineTellsTheNextLook(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.March, 1, 7, 0, 0, 0, time.UTC)
	last, next := at.Add(time.Hour), at.Add(2*time.Hour)
	require.Equal(t, wire.Timeline{Data: []wire.TimelineEntry{
		{
			At: wire.Timestamp(at), Kind: post.EntryWaiting, Actor: post.ActorService, Detail: "Looks. Next look at 2026-03-01T09:00:00.000Z.",
			Count: 36, LastAt: wire.Timestamp(last), NextAt: wire.OptionalTimestamp(next),
		},
		{At: wire.Timestamp(at), Kind: post.EntryFailed, Actor: post.ActorService, Detail: "Failed.", Count: 1, LastAt: wire.Timestamp(at)},
	}}, wire.ToAPITimeline([]post.Entry{
		{At: at, Kind: post.EntryWaiting, Actor: post.ActorService, Detail: "Looks.", Count: 36, LastAt: last, NextAt: next},
		{At: at, Kind: post.EntryFailed, Actor: post.ActorService, Detail: "Failed.", Count: 1, LastAt: at},
	}))
}
