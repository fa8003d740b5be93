package postgres_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// TestExpire erases old comments of a network, and keeps answers, younger comments and those of other networks.
func TestExpire(t *testing.T) {
	t.Parallel()
	b := setup(t)
	now, of := time.Now().UTC().Truncate(time.Second), &reports{}
	for _, typ := range []channel.Type{channel.YouTube, channel.Threads} {
		c := b.ch
		c.ID, c.WorkspaceID, c.Type, c.ExternalID = ident.New[ident.Channel](), b.ws.ID, typ, "UC1"
		require.NoError(t, b.channels.Insert(t.Context(), c, b.credentials()))
	}
	for key, m := range map[string]inbox.Written{
		"old": {Direction: inbox.In, SentAt: now.Add(-31 * 24 * time.Hour)}, "young": {Direction: inbox.In, SentAt: now.Add(-29 * 24 * time.Hour)},
		"own": {Direction: inbox.Out, SentAt: now.Add(-40 * 24 * time.Hour)},
	} {
		m.Kind, m.Thread, m.ExternalID, m.Text, m.Permalink = inbox.Comments, "T", key, "Text "+key, "https://example.com/"+key
		m.Person = inbox.Identity{ID: "P" + key, Name: "Name " + key}
		of.add("UC1", key, m.SentAt, inbox.Change{Message: &m})
	}
	events := of.events
	for _, e := range events {
		other := e
		other.Network = channel.NetworkThreads
		e.Network = channel.NetworkYouTube
		b.reported(t, e, other)
	}
	postgrestest.Exec(t, b.address, `UPDATE inbound_event SET state = 'NEW'`) // as of a poll
	b.processed(t, of, 10)
	for range 2 {
		done, err := postgres.NewInbound(b.db).Expire(t.Context(), channel.NetworkYouTube, 30*24*time.Hour)
		require.NoError(t, err)
		require.True(t, done)
	}
	shown := func(typ channel.Type) []string {
		return postgrestest.Column(t, b.address, `SELECT m.external_id || ': ' || m.text || m.unsupported || ' ' || m.permalink FROM message m
			JOIN channel c ON c.id = m.channel_id WHERE c.type = '`+string(typ)+`' ORDER BY m.external_id`)
	}
	require.Equal(t, []string{
		"old: a comment that is kept at its network only https://example.com/old", "own: Text own https://example.com/own",
		"young: Text young https://example.com/young",
	}, shown(channel.YouTube))
	require.Equal(t, "old: Text old https://example.com/old", shown(channel.Threads)[0])
	require.Equal(t, []string{"Name old", "Name own", "Name young", "Name young", "Pold", "Pown"}, postgrestest.Column(t, b.address,
		`SELECT name FROM person_identity ORDER BY name`))
}
