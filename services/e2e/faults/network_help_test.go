package faults_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform/connectors"
)

// acceptOn creates a post for a channel that is not one of the system's default channels.
func acceptOn(t *testing.T, l *lab.Lab, c channel.Channel, at time.Time, media ...string) lab.Accepted {
	t.Helper()
	return acceptText(t, l, c, l.Text(), at, media...)
}

// acceptText is acceptOn with a given text.
func acceptText(t *testing.T, l *lab.Lab, c channel.Channel, text string, at time.Time, media ...string) lab.Accepted {
	t.Helper()
	body := fencepost.CreatePostsRequest{ChannelIDs: []string{c.ID.String()}, Content: text, Schedule: harness.At(at)}
	if len(media) > 0 {
		body.MediaIDs = media
	}
	created, err := l.API.Posts.Create(t.Context(), body)
	require.NoError(t, err)
	a := lab.Accepted{ID: created[0].ID, Text: text, Type: c.Type, At: at}
	l.Remember(a)
	return a
}

// connect connects an account of the sandbox by its name.
func connect(l *lab.Lab, typ channel.Type, name string) channel.Channel {
	if typ == channel.TelegramChannel {
		return l.AddChannel(typ, "@"+name, channel.Credentials{AccessToken: "1001:sandbox-acme"})
	}
	account := connectors.Of(typ.Network()).SandboxAccount(typ, name)
	return l.AddChannel(typ, account.ID, account.Credentials)
}
