package mastodon_test

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/platformtest"
)

func below(parent string) *platform.ReplyTo {
	return &platform.ReplyTo{Kind: post.PartReply, RootID: "5", ParentID: parent}
}

// TestCommitReply checks the body of a reply, which has the key of its part, and that none is sent without a parent.
func TestCommitReply(t *testing.T) {
	t.Parallel()

	b := setup(t, map[string][]platformtest.Response{createCall: {ok(`{"id":"7","url":"https://mastodon.example.com/@acme/7"}`)}})
	b.content.ReplyTo = below("6")
	_, err := b.connector.Commit(t.Context(), b.account, b.content, "")
	require.NoError(t, err)
	require.JSONEq(t, `{"status":"Hello","visibility":"public","in_reply_to_id":"6"}`, b.script.Requests()[0].Body)
	require.Equal(t, b.content.PostID.String(), b.script.Requests()[0].Header.Get("Idempotency-Key"))
	b.content.ReplyTo = below("")
	_, err = b.connector.Commit(t.Context(), b.account, b.content, "")
	require.Equal(t, platform.CodeParentGone, platformtest.Failure(t, err).Code)
	require.Len(t, b.script.Requests(), 1)
}

// TestReplyToNewStatus checks that the refusal of a reply to a status of the last minute is not final: servers with copies of
// their database respond so. Ids of other software have no time.
func TestReplyToNewStatus(t *testing.T) {
	t.Parallel()

	created := func(at time.Time) string { return strconv.FormatInt(at.UnixMilli()<<16, 10) }
	missing := platformtest.Response{Status: http.StatusNotFound, Body: `{"error":"Kein solcher Beitrag"}`}
	b := setup(t, map[string][]platformtest.Response{createCall: {missing}})
	for id, want := range map[string]platform.Class{
		created(now().Add(-time.Second)): platform.ClassTransient, created(now().Add(-time.Hour)): platform.ClassRejected,
		"AfQ9zu0fHhbkMKPvGS": platform.ClassRejected,
	} {
		b.content.ReplyTo = below(id)
		_, err := b.connector.Commit(t.Context(), b.account, b.content, "")
		require.Equal(t, want, platformtest.Failure(t, err).Class, id)
	}
}

// TestReconcileReply checks that a status is found only below its parent, and that one whose parent the server dropped leaves a
// doubt.
func TestReconcileReply(t *testing.T) {
	t.Parallel()

	status := func(parent string) string {
		return fmt.Sprintf(`[{"id":"7","content":"<p>Hello</p>","created_at":%q,"in_reply_to_id":%s,"media_attachments":[]}]`,
			now().Format(time.RFC3339), parent)
	}
	for name, test := range map[string]struct {
		to    *platform.ReplyTo
		list  string
		taken string
		want  platform.Evidence
	}{
		"below the parent":    {below("6"), status(`"6"`), "", platform.EvidenceFound},
		"below another":       {below("6"), status(`"5"`), "", platform.EvidenceAbsent},
		"without its parent":  {below("6"), status("null"), "", platform.EvidenceUnclear},
		"of another post":     {below("6"), status("null"), "7", platform.EvidenceAbsent},
		"a post of its own":   {nil, status("null"), "", platform.EvidenceFound},
		"a reply, not a post": {nil, status(`"5"`), "", platform.EvidenceAbsent},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{listCall: {ok(test.list), ok("[]")}})
			b.content.ReplyTo = test.to
			evidence, _, err := b.connector.Reconcile(t.Context(), b.account, b.content, platform.Sent{
				Text: "Hello", At: now(), Taken: func(id string) bool { return id == test.taken },
			})
			require.NoError(t, err)
			require.Equal(t, test.want, evidence)
			require.NotContains(t, b.script.Requests()[0].RawQuery, "exclude_replies")
		})
	}
}
