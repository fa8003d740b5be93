package app_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// TestNeededApprovalsAreFound checks what each client learns before it creates a post under each policy.
func TestNeededApprovalsAreFound(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 1)
	owner, editor := q.team(t, "Olga", member.Owner), q.team(t, "Ed", member.Editor)
	needed := func(p app.Principal) string {
		found, err := q.ValidatePosts(t.Context(), p, app.CreatePosts{ChannelIDs: []ident.Channel{q.accounts[0].ID}, Content: "Hello"})
		require.NoError(t, err)
		require.True(t, found[0].Valid(), "it is a warning: %v", found[0].Findings)
		for _, f := range found[0].Findings {
			if f.Code == apperr.ApprovalRequired {
				return f.Message
			}
		}
		return ""
	}
	for policy, want := range map[approval.Policy][3]string{
		approval.Optional: {"", "", ""},
		approval.Required: {"", "another person", "another person"},
		approval.TwoStep:  {"another person", "two other people", "two other people"},
	} {
		q.rule(t, owner, policy)
		for i, p := range []app.Principal{owner, editor, q.client} {
			if want[i] == "" {
				require.Empty(t, needed(p), "%s %d", policy, i)
			} else {
				require.Contains(t, needed(p), "needs the approval of "+want[i], "%s %d", policy, i)
			}
		}
	}
	q.rule(t, owner, approval.Required)
	q.team(t, "Otto", member.Owner)
	require.Contains(t, needed(owner), "another person", "there is another owner")
}

// TestCommentsNotifyThoseTheyName checks who is notified, and that a comment has an event.
func TestCommentsNotifyThoseTheyName(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 1)
	q.team(t, "Olga", member.Owner)
	editor := q.team(t, "Ed", member.Editor)
	q.team(t, "Eddy", member.Viewer)
	written := q.next(t, 0)[0]
	require.NoError(t, q.CommentPost(t.Context(), editor, written.ID, "@Olga and @Eddy: see what @Ed wrote"))
	require.NoError(t, q.CommentPost(t.Context(), editor, written.ID, "Nothing for Olga"))
	require.ElementsMatch(t, []string{"Olga MENTIONED Ed", "Eddy MENTIONED Ed"}, postgrestest.Column(t, q.address,
		`SELECT u.name || ' ' || n.kind || ' ' || (n.content->>'actor') FROM notice n JOIN app_user u ON u.id = n.user_id`))
	require.Len(t, postgrestest.Column(t, q.address, `SELECT id FROM event WHERE type = 'post.commented'`), 2)
	require.Empty(t, postgrestest.Column(t, q.address, `SELECT id FROM mail`), "no mail server is configured")
}
