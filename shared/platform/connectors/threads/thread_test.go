package threads_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/comments"
	"fencepost.internal/shared/platform/platformtest"
)

const (
	parentCall  = "GET /v1.0/179"
	repliesCall = "GET /v1.0/me/replies"
)

// replying is a bundle whose post replies to the post 179.
func replying(t *testing.T, responses map[string][]platformtest.Response) *bundle {
	t.Helper()
	b := setup(t, responses)
	b.content.ReplyTo = &platform.ReplyTo{Kind: post.PartReply, RootID: "178", ParentID: "179"}
	return b
}

// TestPrepareReply checks that a container replies to a post that exists.
func TestPrepareReply(t *testing.T) {
	t.Parallel()

	b := replying(t, map[string][]platformtest.Response{
		createCall: {ok(`{"id":"171"}`)}, statusCall: {status("FINISHED")}, parentCall: {ok(`{"id":"179"}`)},
	})
	preparation, err := b.connector.Prepare(t.Context(), b.account, b.content, "")
	require.NoError(t, err)
	require.True(t, preparation.Ready)
	created := b.script.Requests()[1].Form(t)
	require.Equal(t, []string{"TEXT", "Hello & welcome", "179"},
		[]string{created.Get("media_type"), created.Get("text"), created.Get("reply_to_id")})
}

// TestReplyRefusals checks the failures of a reply.
func TestReplyRefusals(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		parent, create platformtest.Response
		class          platform.Class
		code           string
	}{
		"parent deleted":       {graph(400, 100, 33, "Unsupported get request."), ok(""), platform.ClassRejected, platform.CodeParentGone},
		"parent not found":     {graph(400, 24, 0, "The requested resource does not exist"), ok(""), platform.ClassRejected, platform.CodeParentGone},
		"parent not readable":  {platformtest.Response{Status: 503}, ok(""), platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
		"without a permission": {ok(`{"id":"179"}`), graph(403, 10, 0, "(#10) No permission"), platform.ClassUser, comments.CodeNotAllowed},
		"with a dead token":    {ok(`{"id":"179"}`), graph(400, 190, 460, "Revoked"), platform.ClassReconnect, "CHANNEL_NEEDS_RECONNECT"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := replying(t, map[string][]platformtest.Response{createCall: {test.create}, parentCall: {test.parent}})
			_, err := b.connector.Prepare(t.Context(), b.account, b.content, "")
			failure := platformtest.Failure(t, err)
			require.Equal(t, test.class, failure.Class)
			require.Equal(t, test.code, failure.Code)
		})
	}
}

// TestReconcileReply checks that the account's replies are searched for one below the parent.
func TestReconcileReply(t *testing.T) {
	t.Parallel()

	reply := func(id, parent string) string {
		return fmt.Sprintf(`{"id":%q,"text":"Hello & welcome","timestamp":%q,"replied_to":{"id":%q}}`, id, now().Format(time.RFC3339), parent)
	}
	for _, known := range []platform.Handle{"171", ""} {
		b := replying(t, map[string][]platformtest.Response{
			statusCall: {status("PUBLISHED")}, repliesCall: {ok(`{"data":[` + reply("181", "178") + `,` + reply("180", "179") + `]}`)},
		})
		sent := platform.Sent{Handle: known, Text: b.content.Text, At: now()}
		evidence, publication, err := b.connector.Reconcile(t.Context(), b.account, b.content, sent)
		require.NoError(t, err)
		require.Equal(t, platform.EvidenceFound, evidence)
		require.Equal(t, "180", publication.ExternalID)

		b.script.Set(repliesCall, graph(403, 10, 0, "(#10) No permission"))
		_, _, err = b.connector.Reconcile(t.Context(), b.account, b.content, sent)
		failure := platformtest.Failure(t, err)
		require.Equal(t, platform.CodeReadRefused, failure.Code)
		require.Contains(t, failure.Message, "threads_read_replies")
	}
}

// TestReconcileReplyOfUnknownPlace checks that a reply whose parent is not listed may be the one searched for.
func TestReconcileReplyOfUnknownPlace(t *testing.T) {
	t.Parallel()

	at := now().Add(-time.Hour)
	for text, want := range map[string]platform.Evidence{
		"Hello & welcome": platform.EvidenceUnclear, "Bye": platform.EvidenceAbsent,
	} {
		b := replying(t, map[string][]platformtest.Response{
			repliesCall: {ok(fmt.Sprintf(`{"data":[{"id":"180","text":%q,"timestamp":%q}]}`, text, at.Format(time.RFC3339)))},
		})
		evidence, _, err := b.connector.Reconcile(t.Context(), b.account, b.content, platform.Sent{Text: b.content.Text, At: at})
		require.NoError(t, err)
		require.Equal(t, want, evidence, text)
	}
}
