package bluesky_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/platformtest"
)

const rootKey, parentKey = "3jzfcijpj2z2a", "3jzfcijpj2z2b"

func recordAt(key, cid, more string) platformtest.Response {
	return ok(fmt.Sprintf(`{"uri":"at://%s/app.bsky.feed.post/%s","cid":%q,"value":{"text":"Hello"%s}}`, did, key, cid, more))
}

func missing() platformtest.Response {
	return refused(400, "RecordNotFound", "Could not locate record")
}

// replying is a bundle whose post replies to the second post of a thread.
func replying(t *testing.T, records ...platformtest.Response) *bundle {
	t.Helper()
	b := setup(t, map[string][]platformtest.Response{recordCall: records})
	b.content.ReplyTo = &platform.ReplyTo{Kind: post.PartReply, RootID: rootKey, ParentID: parentKey}
	return b
}

// TestReplyRefersToVersions checks that a reply has the versions of the posts above, which are read again each time.
func TestReplyRefersToVersions(t *testing.T) {
	t.Parallel()

	b := replying(t, recordAt(parentKey, firstCID, ""), recordAt(rootKey, secondCID, ""))
	handle, rounds := b.prepare(t, "")
	require.Equal(t, 1, rounds)
	record, _ := b.record(t, handle)
	require.Equal(t, map[string]any{
		"parent": map[string]any{"uri": "at://" + did + "/app.bsky.feed.post/" + parentKey, "cid": firstCID},
		"root":   map[string]any{"uri": "at://" + did + "/app.bsky.feed.post/" + rootKey, "cid": secondCID},
	}, record["reply"])

	_, err := b.connector.Commit(t.Context(), b.account, b.content, "")
	require.Equal(t, platform.CodePreparationLost, platformtest.Failure(t, err).Code, "the posts above are not read")
	b.script.Set(recordCall, missing())
	_, err = b.connector.Prepare(t.Context(), b.account, b.content, handle)
	require.Equal(t, platform.CodeParentGone, platformtest.Failure(t, err).Code, "deleted meanwhile")
}

// TestCommentRefersToRoot checks that a comment reads the first post alone.
func TestCommentRefersToRoot(t *testing.T) {
	t.Parallel()

	b := replying(t, recordAt(rootKey, firstCID, ""))
	b.content.ReplyTo = &platform.ReplyTo{Kind: post.PartComment, RootID: rootKey, ParentID: rootKey}
	handle, _ := b.prepare(t, "")
	require.Len(t, b.script.Requests(), 1)
	record, _ := b.record(t, handle)
	reply, isReply := record["reply"].(map[string]any)
	require.True(t, isReply)
	require.Equal(t, reply["root"], reply["parent"])
}

// TestReplyWithoutPostsAbove checks the failures of a reply whose parent or root does not exist, or has no version.
func TestReplyWithoutPostsAbove(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		records []platformtest.Response
		code    string
	}{
		"parent":    {[]platformtest.Response{missing()}, platform.CodeParentGone},
		"root":      {[]platformtest.Response{recordAt(parentKey, firstCID, ""), missing()}, platform.CodeParentGone},
		"no CID":    {[]platformtest.Response{recordAt(parentKey, "", "")}, "PLATFORM_UNAVAILABLE"},
		"no server": {[]platformtest.Response{{Status: 503}}, "PLATFORM_UNAVAILABLE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := replying(t, test.records...)
			_, err := b.connector.Prepare(t.Context(), b.account, b.content, "")
			require.Equal(t, test.code, platformtest.Failure(t, err).Code)
		})
	}
}

// TestReconcileReplyBelowParent checks that a record is only the reply if it has the parent.
func TestReconcileReplyBelowParent(t *testing.T) {
	t.Parallel()

	above := func(key string) string {
		return fmt.Sprintf(`,"reply":{"parent":{"uri":"at://%s/app.bsky.feed.post/%s","cid":"c"},"root":{"uri":"r","cid":"c"}}`, did, key)
	}
	for parent, want := range map[string]platform.Evidence{parentKey: platform.EvidenceFound, rootKey: platform.EvidenceUnclear} {
		b := replying(t)
		_, key := b.record(t, `{"v":1,"files":[],"reply":{"root":{"uri":"r","cid":"c"},"parent":{"uri":"p","cid":"c"}}}`)
		b.script.Set(recordCall, recordAt(key, firstCID, above(parent)))
		evidence, _, err := b.connector.Reconcile(t.Context(), b.account, b.content, platform.Sent{})
		require.Equal(t, want, evidence)
		require.Equal(t, want == platform.EvidenceFound, err == nil)
	}
}
