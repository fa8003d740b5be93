package platformtest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// runThreads checks the parts of threads and the first comments of a network that publishes both as replies.
func runThreads(t *testing.T, h Harness) {
	t.Helper()
	if h.Gone == "" {
		return
	}
	for name, test := range map[string]func(*testing.T, *bench){
		"in order":               testThreadInOrder,
		"equal texts":            testThreadOfEqualTexts,
		"a parent that is gone":  testThreadWithoutParent,
		"a deleted parent":       testThreadBelowDeletedPart,
		"an expired token":       testThreadWithExpiredToken,
		"a rate limit":           testThreadWithRateLimit,
		"a lost response":        testThreadWithLostResponse,
		"a request that is lost": testThreadWithLostRequest,
	} {
		t.Run("thread/"+name, func(t *testing.T) {
			t.Parallel()

			b := newBench(t, h, name)
			b.account = h.Account("thread" + letters(name))
			test(t, b)
		})
	}
}

// below returns the content of a part.
func (b *bench) below(kind post.PartKind, root, parent, text string) platform.Content {
	content := b.content
	content.PostID, content.Text = ident.New[ident.Post](), text
	content.ReplyTo = &platform.ReplyTo{Kind: kind, RootID: root, ParentID: parent}
	return content
}

// pictured attaches a picture.
func (b *bench) pictured(t *testing.T, content platform.Content, number int) platform.Content {
	t.Helper()
	picture := Picture(t, number)
	content.Files, content.Media = Files(t, picture), append(content.Media, picture.Asset)
	return content
}

// publish publishes content, and returns its id and its handle.
func (b *bench) publish(t *testing.T, content platform.Content) (string, platform.Handle) {
	t.Helper()
	handle, err := prepared(t.Context(), b, content, "")
	require.NoError(t, err)
	publication, err := b.connector.Commit(t.Context(), b.account, content, handle)
	require.NoError(t, err)
	require.NotEmpty(t, publication.URL)
	return publication.ExternalID, handle
}

// thread publishes a post and one part, and returns their ids.
func (b *bench) thread(t *testing.T) (root, part string) {
	t.Helper()
	root, _ = b.publish(t, b.content)
	part, _ = b.publish(t, b.below(post.PartReply, root, root, "The second part"))
	return root, part
}

// look reconciles content whose handle may be unknown, with no knowledge of other posts.
func (b *bench) look(
	t *testing.T, content platform.Content, handle platform.Handle,
) (platform.Evidence, platform.Publication) {
	t.Helper()
	evidence, publication, err := b.connector.Reconcile(t.Context(), b.account, content, platform.Sent{
		Handle: handle, Text: content.Text, At: time.Now().Add(-2 * commitTimeout),
	})
	require.NoError(t, err)
	return evidence, publication
}

func (b *bench) requireSeen(t *testing.T, content platform.Content, handle platform.Handle, id string) {
	t.Helper()
	evidence, publication := b.look(t, content, handle)
	require.Equal(t, platform.EvidenceFound, evidence)
	require.Equal(t, id, publication.ExternalID)
	require.Contains(t, publication.URL, id)
}

// parents returns the parent of each of the account's posts.
func (b *bench) parents(t *testing.T) map[string]string {
	t.Helper()
	found := make(map[string]string)
	for _, entry := range b.Sandbox.Posts(t, string(b.Network), b.account.ExternalID) {
		found[entry.ID] = entry.Parent
	}
	return found
}

// testThreadInOrder checks a thread with a picture, and a comment below its first part.
func testThreadInOrder(t *testing.T, b *bench) {
	t.Helper()
	root, _ := b.publish(t, b.content)
	want, parent := map[string]string{root: ""}, root
	for i, text := range []string{"2/4", "3/4", "4/4"} {
		part := b.below(post.PartReply, root, parent, text+" https://example.com/a")
		if i == 1 {
			part = b.pictured(t, part, 1)
		}
		id, handle := b.publish(t, part)
		b.requireSeen(t, part, handle, id)
		want[id], parent = parent, id
	}
	comment := b.below(post.PartComment, root, root, "The first comment")
	id, handle := b.publish(t, comment)
	b.requireSeen(t, comment, handle, id)
	want[id] = root
	require.Equal(t, want, b.parents(t))
	require.EqualValues(t, len(want), b.front.commits.Load())
}

// testThreadOfEqualTexts checks that the parents distinguish parts with one text, with and without their handles.
func testThreadOfEqualTexts(t *testing.T, b *bench) {
	t.Helper()
	const text = "The same words"
	first := b.content
	first.Text = text
	root, _ := b.publish(t, first)
	second := b.pictured(t, b.below(post.PartReply, root, root, text), 1)
	secondID, handle := b.publish(t, second)
	third := b.pictured(t, b.below(post.PartReply, root, secondID, text), 2)
	thirdID, thirdHandle := b.publish(t, third)
	for _, known := range []bool{true, false} {
		if !known {
			handle, thirdHandle = "", ""
		}
		b.requireSeen(t, second, handle, secondID)
		b.requireSeen(t, third, thirdHandle, thirdID)
	}
	b.Sandbox.Delete(t, string(b.Network), thirdID)
	evidence, publication := b.look(t, third, "")
	require.NotEqual(t, platform.EvidenceFound, evidence, "%v", publication)
	b.Sandbox.Delete(t, string(b.Network), root)
	evidence, publication = b.look(t, first, "")
	require.NotEqual(t, platform.EvidenceFound, evidence, "%v", publication)
}

// testThreadWithoutParent checks that nothing is published below a post that does not exist, or whose id is unknown.
func testThreadWithoutParent(t *testing.T, b *bench) {
	t.Helper()
	for _, id := range []string{b.Gone, ""} {
		for _, kind := range []post.PartKind{post.PartReply, post.PartComment} {
			failure := b.refused(t, b.below(kind, id, id, "Below nothing"))
			require.Equal(t, platform.ClassRejected, failure.Class)
			require.Equal(t, platform.CodeParentGone, failure.Code)
			require.Contains(t, failure.Message, "no longer exists")
		}
		failure := b.refused(t, b.pictured(t, b.below(post.PartReply, id, id, "With a picture"), 1))
		require.Equal(t, platform.CodeParentGone, failure.Code)
	}
	b.requireLedger(t, 0)
}

// refused publishes content that the network refuses, and returns the failure.
func (b *bench) refused(t *testing.T, content platform.Content) *platform.Failure {
	t.Helper()
	handle, err := prepared(t.Context(), b, content, "")
	if err == nil {
		_, err = b.connector.Commit(t.Context(), b.account, content, handle)
	}
	return b.failureOf(t, err, platform.ClassRejected, platform.ClassTransient)
}

// testThreadBelowDeletedPart checks that nothing is published below a part that was deleted. A network may respond as to one
// that it does not show yet.
func testThreadBelowDeletedPart(t *testing.T, b *bench) {
	t.Helper()
	root, part := b.thread(t)
	b.Sandbox.Delete(t, string(b.Network), part)
	failure := b.refused(t, b.below(post.PartReply, root, part, "The third part"))
	require.Contains(t, []string{platform.CodeParentGone, platform.CodeParentNotShown}, failure.Code)
	require.Equal(t, failure.Code == platform.CodeParentGone, failure.Class == platform.ClassRejected)
	require.Equal(t, map[string]string{root: ""}, b.parents(t))
}

func testThreadWithExpiredToken(t *testing.T, b *bench) {
	t.Helper()
	root, part := b.thread(t)
	third := b.below(post.PartReply, root, part, "The third part")
	handle, err := prepared(t.Context(), b, third, "")
	require.NoError(t, err)
	b.inject(t, "commit", "expired_token", 0)
	_, err = b.connector.Commit(t.Context(), b.account, third, handle)
	b.requireFailure(t, err, platform.ClassRefresh, platform.ClassReconnect)
	b.requireLedger(t, 2)
	if !b.Refreshes {
		return
	}
	b.account.Credentials, err = b.connector.Refresh(t.Context(), b.account)
	require.NoError(t, err)
	publication, err := b.connector.Commit(t.Context(), b.account, third, handle)
	require.NoError(t, err)
	require.Equal(t, part, b.parents(t)[publication.ExternalID])
}

func testThreadWithRateLimit(t *testing.T, b *bench) {
	t.Helper()
	root, part := b.thread(t)
	third := b.below(post.PartReply, root, part, "The third part")
	handle, err := prepared(t.Context(), b, third, "")
	require.NoError(t, err)
	const wait = time.Second // the shortest
	b.inject(t, "commit", "rate_limit", wait)
	_, err = b.connector.Commit(t.Context(), b.account, third, handle)
	b.requireFailure(t, err, platform.ClassRateLimited)
	b.requireLedger(t, 2)
	require.True(t, pause(t.Context(), wait+wait/10))
	publication, err := b.connector.Commit(t.Context(), b.account, third, handle)
	require.NoError(t, err)
	require.Equal(t, part, b.parents(t)[publication.ExternalID])
}

// testThreadWithLostResponse checks that a part whose response was lost is found, and that the next one follows it.
func testThreadWithLostResponse(t *testing.T, b *bench) {
	t.Helper()
	root, part := b.thread(t)
	third := b.below(post.PartReply, root, part, "The third part")
	handle := b.lose(t, third, "error_after_accept")
	evidence, found := b.look(t, third, handle)
	require.Equal(t, platform.EvidenceFound, evidence)
	require.Equal(t, part, b.parents(t)[found.ExternalID])
	fourth, _ := b.publish(t, b.below(post.PartReply, root, found.ExternalID, "The fourth part"))
	require.Equal(t, found.ExternalID, b.parents(t)[fourth])
}

// testThreadWithLostRequest checks that a part that did not arrive is absent.
func testThreadWithLostRequest(t *testing.T, b *bench) {
	t.Helper()
	root, part := b.thread(t)
	third := b.below(post.PartReply, root, part, "The third part")
	handle := b.lose(t, third, "unavailable")
	evidence, _ := b.look(t, third, handle)
	require.Equal(t, platform.EvidenceAbsent, evidence)
	b.requireLedger(t, 2)
}

// lose publishes content with a fault that leaves the outcome unknown, and returns its handle.
func (b *bench) lose(t *testing.T, content platform.Content, kind string) platform.Handle {
	t.Helper()
	handle, err := prepared(t.Context(), b, content, "")
	require.NoError(t, err)
	b.inject(t, "commit", kind, 0)
	_, err = b.connector.Commit(t.Context(), b.account, content, handle)
	b.requireFailure(t, err, platform.ClassUnknown)
	return handle
}
