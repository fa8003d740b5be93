package faults_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
)

// TestF52TheNetworkRefusesADuplicate makes networks reject a text as a duplicate: once because the text is from the
// same post, whose response was lost and which the listing did not show, and once because it is from another post.
func TestF52TheNetworkRefusesADuplicate(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F52", Title: "the network rejects duplicates itself",
		Expect: "I1 I4: PUBLISHED when reading finds our own post, else FAILED with DUPLICATE_CONTENT; never twice",
	})
	l.Run(1)
	behind := connect(l, channel.Twitter, "behind")
	l.Sandbox.Inject(harness.Fault{
		Platform: "x", Account: behind.ExternalID, Step: "commit", Kind: "timeout_after_accept", Times: 1, DelayMs: 3000,
	})
	l.Sandbox.Inject(harness.Fault{
		Platform: "x", Account: behind.ExternalID, Step: "status", Kind: "empty_list", Times: -1,
	})
	own := acceptOn(t, l, behind, time.Now().Add(time.Second))
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Equal(c, 2, stepsOf(l, channel.NetworkX, behind.ExternalID)["commit"], "it is sent again and rejected")
	}, 30*time.Second, 20*time.Millisecond)
	l.Injected(
		"X lost a response, hid the post from its list until it was sent again, and rejected the second as a duplicate")
	l.Sandbox.Heal()

	var repeated []fencepost.Post
	for _, typ := range []channel.Type{channel.Twitter, channel.LinkedInProfile} {
		first := l.AcceptOne(time.Now().Add(time.Second), typ)
		l.Settle(30 * time.Second)
		require.Equal(t, fencepost.PostStatusPublished, l.Get(first.ID).Status)
		again := acceptText(t, l, l.Channels[typ], first.Text, time.Now().Add(time.Second))
		l.Settle(30 * time.Second)
		l.Injected("a second post with the same text on %s", typ)
		repeated = append(repeated, l.Get(again.ID))
		require.Equal(t, 1, l.Sandbox.Count(first.Text))
	}
	l.Settle(30 * time.Second)
	require.Equal(t, fencepost.PostStatusPublished, l.Get(own.ID).Status, "%+v", l.Get(own.ID).Error)
	require.Equal(t, 1, l.Sandbox.Count(own.Text))
	for _, p := range repeated {
		require.Equal(t, fencepost.PostStatusFailed, p.Status)
		require.Equal(t, "DUPLICATE_CONTENT", p.Error.Code)
		require.False(t, p.Error.Retryable)
	}
	// Both invariants identify posts by their texts, which are equal here. The checks above cover I4, and no key is
	// used twice.
	l.Check(lab.Without("I4", "I7"))
}
