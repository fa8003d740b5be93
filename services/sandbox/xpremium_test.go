package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/connectors/x"
	"fencepost.internal/shared/platform/platformtest"
)

// TestXSubscribers checks that only accounts with a subscription publish long texts and long videos, and that a long
// text is found again in a list that cuts it.
func TestXSubscribers(t *testing.T) {
	t.Parallel()
	sandbox := start(t, t.TempDir())
	connector, err := x.New(x.Config{Wire: connectors.Config{BaseURL: sandbox.URL + "/x", Clock: clock.System()}, ClientID: "client"})
	require.NoError(t, err)
	account := func(name string) platform.Account {
		return platform.Account{Type: channel.Twitter, ExternalID: name, Credentials: channel.Credentials{AccessToken: "sandbox-x-" + name}}
	}
	free, paid := account("acme"), account("1725000")
	for _, of := range []platform.Account{free, paid} {
		facts, err := connector.Facts(t.Context(), of)
		require.NoError(t, err)
		require.Equal(t, of.ExternalID == paid.ExternalID, *facts.Premium)
	}

	long := platform.Content{ContentType: post.ContentPost, Text: strings.Repeat("Words & links on https://example.com/a. ", 500)}
	_, err = connector.Commit(t.Context(), free, long, "")
	require.Equal(t, x.CodeNotAllowed, platform.FailureOf(err).Code)
	begun := time.Now().Add(-time.Second)
	created, err := connector.Commit(t.Context(), paid, long, "")
	require.NoError(t, err)
	evidence, found, err := connector.Reconcile(t.Context(), paid, long, platform.Sent{Text: long.Text, At: begun})
	require.NoError(t, err)
	require.Equal(t, platform.EvidenceFound, evidence)
	require.Equal(t, created.ExternalID, found.ExternalID)
	beyond := platform.Content{ContentType: post.ContentPost, Text: strings.Repeat("a", 25_001)}
	_, err = connector.Commit(t.Context(), paid, beyond, "")
	require.Equal(t, x.CodeNotAllowed, platform.FailureOf(err).Code)

	video := platformtest.Video(100_000)
	video.Asset.Probe.Duration = 10 * time.Minute
	content := platform.Content{
		ContentType: post.ContentVideo, Text: "Long", Media: []media.Asset{video.Asset}, Files: platformtest.Files(t, video),
	}
	_, err = connector.Prepare(t.Context(), free, content, "")
	require.Equal(t, x.CodeNotAllowed, platform.FailureOf(err).Code, fmt.Sprint(err))
	var handle platform.Handle
	require.Eventually(t, func() bool {
		prepared, err := connector.Prepare(t.Context(), paid, content, handle)
		require.NoError(t, err)
		handle = prepared.Handle
		return prepared.Ready
	}, 10*time.Second, 100*time.Millisecond)
	_, err = connector.Commit(t.Context(), paid, content, handle)
	require.NoError(t, err)
}
