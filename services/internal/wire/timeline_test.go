package wire_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"socialpub.internal/services/internal/wire"
	"socialpub.internal/shared/post"
)

func TestTheTimelineTellsTheNextLook(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.March, 1, 7, 0, 0, 0, time.UTC)
	raw, err := json.Marshal(wire.ToAPITimeline([]post.Entry{
		{At: at, Kind: post.EntryWaiting, Actor: post.ActorService, Detail: "Looks.", Count: 36, LastAt: at.Add(time.Hour), NextAt: at.Add(2 * time.Hour)},
		{At: at, Kind: post.EntryFailed, Actor: post.ActorService, Detail: "Failed.", Count: 1, LastAt: at},
	}))
	require.NoError(t, err)
	require.JSONEq(t, `{"data": [
		{"at": "2026-03-01T07:00:00.000Z", "kind": "waiting", "actor": "service", "detail": "Looks. Next look at 2026-03-01T09:00:00.000Z.",
			"count": 36, "lastAt": "2026-03-01T08:00:00.000Z", "nextAt": "2026-03-01T09:00:00.000Z"},
		{"at": "2026-03-01T07:00:00.000Z", "kind": "failed", "actor": "service", "detail": "Failed.",
			"count": 1, "lastAt": "2026-03-01T07:00:00.000Z", "nextAt": null}]}`, string(raw))
}
