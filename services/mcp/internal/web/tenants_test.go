package web_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// tenant is a workspace with channels, a video, an image and a key with every scope.
type tenant struct {
	id       ident.Workspace
	channel  ident.Channel // can be published to
	channels map[channel.Type]ident.Channel
	video    ident.Media
	picture  ident.Media
	key      string
}

func (b *bundle) tenant(t testing.TB) tenant {
	t.Helper()
	w := workspace.Workspace{
		ID: ident.New[ident.Workspace](), Name: "Acme", Plan: workspace.Growth, Timezone: "Europe/Berlin",
		CreatedAt: time.Now(),
	}
	require.NoError(t, postgres.NewWorkspaces(b.db).Insert(t.Context(), w))
	created := tenant{
		id: w.ID, channels: make(map[channel.Type]ident.Channel), video: b.asset(t, w.ID, media.Video),
		picture: b.asset(t, w.ID, media.Image),
	}
	created.channel = b.channel(t, w.ID, channel.TelegramChannel, true)
	created.channels[channel.TelegramChannel] = created.channel
	b.slots(t, created.channel, slot.Slot{Weekday: time.Monday, Hour: 9},
		slot.Slot{Weekday: time.Thursday, Hour: 17, Minute: 30})
	for _, typ := range []channel.Type{
		channel.YouTube, channel.TikTokBusiness, channel.Pinterest, channel.LinkedInPage, channel.WhatsAppBusiness,
	} {
		created.channels[typ] = b.channel(t, w.ID, typ, true)
	}
	created.key = b.key(t, w.ID, credential.Scopes()...)
	return created
}

func (b *bundle) channel(t testing.TB, workspace ident.Workspace, typ channel.Type, connected bool) ident.Channel {
	t.Helper()
	c := channel.Channel{
		ID: ident.New[ident.Channel](), WorkspaceID: workspace, Name: "News", Type: typ, Username: "news",
		ExternalID: ident.New[ident.Event]().String(), IsConnected: connected, TokenStatus: channel.TokenHealthy,
		Timezone: "Europe/Berlin", CreatedAt: time.Now(),
	}
	require.NoError(t, postgres.NewChannels(b.db, b.keyring).Insert(t.Context(), c,
		channel.Credentials{AccessToken: "token"}))
	return c.ID
}

// slots sets a channel's posting schedule.
func (b *bundle) slots(t testing.TB, id ident.Channel, slots ...slot.Slot) {
	t.Helper()
	require.NoError(t, postgres.NewChannels(b.db, b.keyring).SetSlots(t.Context(), id, slots))
}

// asset creates an asset in the workspace, without an object.
func (b *bundle) asset(t testing.TB, workspace ident.Workspace, typ media.Type) ident.Media {
	t.Helper()
	contentType := "video/mp4"
	if typ == media.Image {
		contentType = media.ContentTypePNG
	}
	a := media.Asset{
		ID: ident.New[ident.Media](), WorkspaceID: workspace, Name: "file", Type: typ, ContentType: contentType,
		Size: 1 << 20, CreatedAt: time.Now(),
	}
	return postgrestest.Asset(t, b.db, a).ID
}

func (b *bundle) key(t testing.TB, workspace ident.Workspace, scopes ...credential.Scope) string {
	t.Helper()
	return b.keyUntil(t, workspace, time.Time{}, scopes...)
}

// keyUntil creates a key that expires; the zero time means never.
func (b *bundle) keyUntil(
	t testing.TB, workspace ident.Workspace, expires time.Time, scopes ...credential.Scope,
) string {
	t.Helper()
	secret := credential.APIKey.New()
	hash, err := credential.APIKey.Hash(secret)
	require.NoError(t, err)
	require.NoError(t, postgres.NewKeys(b.db).Insert(t.Context(), credential.Key{
		ID: ident.New[ident.Credential](), WorkspaceID: workspace, Name: "test", Display: credential.Display(secret),
		Hash: hash, Scopes: scopes, CreatedAt: time.Now(), ExpiresAt: expires,
	}))
	return secret
}
