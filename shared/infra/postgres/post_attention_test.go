package postgres_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// written inserts a draft.
func (b *bundle) written(t *testing.T, text string) post.Post {
	t.Helper()
	created, err := post.Create(post.NewPost{
		Policy:      approval.Optional,
		WorkspaceID: b.ws.ID, ChannelID: b.ch.ID, ChannelType: string(channel.Twitter), ContentType: post.ContentPost, Content: text,
	}, b.now, "user Ada")
	require.NoError(t, err)
	require.NoError(t, b.posts.Insert(t.Context(), []post.Change{created}))
	return created.Post
}

// TestAttentionCounts counts failed posts, posts to approve and channels to connect again, of one
// workspace.
func TestAttentionCounts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	count := func() postgres.Attention {
		found, err := b.posts.Attention(t.Context(), b.ws.ID, ident.User{})
		require.NoError(t, err)
		return found
	}
	require.Zero(t, count())
	for _, status := range []string{"FAILED", "FAILED", "PENDING_APPROVAL", "DRAFT"} {
		created := b.written(t, "Text of "+status)
		postgrestest.Exec(t, b.address, `UPDATE post SET status = $2, error_code = 'X', error_message = 'No.', error_retryable = false WHERE id = $1`,
			created.ID.String(), status)
	}
	postgrestest.Exec(t, b.address, `UPDATE channel SET token_status = 'NEEDS_RECONNECT'`)
	require.Equal(t, postgres.Attention{Failed: 2, Pending: 1, Reconnect: 1}, count())
	postgrestest.Exec(t, b.address, `UPDATE channel SET is_connected = false`)
	require.Equal(t, postgres.Attention{Failed: 2, Pending: 1}, count(), "a person disconnected it")
	postgrestest.Exec(t, b.address, `UPDATE channel SET is_connected = true, token_status = 'EXPIRING'`)
	created := b.written(t, "Under review")
	postgrestest.Exec(t, b.address, `UPDATE post SET status = 'SCHEDULED', scheduled_at = now() - interval '2 hours', waiting_reason = 'platform_review'
		WHERE id = $1`, created.ID.String())
	require.Equal(t, postgres.Attention{Failed: 2, Pending: 1, Ending: 1, Review: 1}, count())
	other, err := b.posts.Attention(t.Context(), ident.New[ident.Workspace](), ident.User{})
	require.NoError(t, err)
	require.Zero(t, other)
}

// TestNeedsAreGroupedByReason has 40 posts fail for one reason, two with other words of the network, and one stay under review.
func TestNeedsAreGroupedByReason(t *testing.T) {
	t.Parallel()
	b := setup(t)
	fail := func(code, words string) ident.Post {
		created := b.written(t, words)
		postgrestest.Exec(t, b.address, `UPDATE post SET status = 'FAILED', error_code = $2, error_message = $3, error_retryable = false WHERE id = $1`,
			created.ID.String(), code, words)
		return created.ID
	}
	for i := range 40 {
		fail(post.ErrorNeedsReconnect, "lost at "+strconv.Itoa(i))
	}
	fail("CONTENT_REFUSED", "X refused the text.")
	fail("CONTENT_REFUSED", "X refused the picture.")
	created := b.written(t, "Under review")
	postgrestest.Exec(t, b.address, `UPDATE post SET status = 'SCHEDULED', scheduled_at = now() - interval '2 hours', waiting_reason = 'platform_review'
		WHERE id = $1`, created.ID.String())
	needs, err := b.posts.Needs(t.Context(), b.ws.ID)
	require.NoError(t, err)
	found := make(map[string][]int)
	for _, n := range needs {
		require.Equal(t, b.ch.ID, n.ChannelID)
		found[string(n.Status)+" "+n.Code] = append(found[string(n.Status)+" "+n.Code], len(n.Posts))
	}
	require.Equal(t, map[string][]int{"FAILED " + post.ErrorNeedsReconnect: {40}, "FAILED CONTENT_REFUSED": {1, 1}, "SCHEDULED ": {1}}, found)
	other, err := b.posts.Needs(t.Context(), ident.New[ident.Workspace]())
	require.NoError(t, err)
	require.Empty(t, other)
}

// TestTextsAreSearched finds posts by words of their content and title, in either case, and takes wildcards literally.
func TestTextsAreSearched(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.written(t, "Forty cups, 100% wood_fired")
	titled := b.written(t, "Öfen")
	postgrestest.Exec(t, b.address, `UPDATE post SET title = 'Kiln opening' WHERE id = $1`, titled.ID.String())
	channels, drafts := []ident.Channel{b.ch.ID}, []post.Status{post.Draft}
	for text, want := range map[string]int{
		"": 2, "cups": 1, "CUPS forty": 1, "cups kiln": 0, "kiln öfen": 1, "ÖFEN": 1, "100%": 1, "% cups": 1, "d_fir": 1, "d_f": 0,
		"_ cups": 1, `\ cups`: 0, "{cups}": 0, "cups, 100": 1,
	} {
		for _, filter := range []postgres.PostFilter{
			{}, {ChannelIDs: channels}, {Statuses: drafts}, {Sort: post.EarliestFirst}, {ChannelIDs: channels, Statuses: drafts},
		} {
			filter.Limit = 10
			if text != "" {
				filter.Search = search(t, text)
			}
			found, err := b.posts.List(t.Context(), b.ws.ID, filter)
			require.NoError(t, err)
			require.Len(t, found, want, "%q %+v", text, filter)
		}
	}
}

// TestPostsDeletedFromNetworks distinguishes them from those whose deletion failed.
func TestPostsDeletedFromNetworks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	changes := postgres.NewLiveChanges(b.db, keyring(t))
	var ids []ident.Post
	for _, state := range []string{"DONE", "REFUSED", ""} {
		created := b.written(t, "Text "+state)
		ids = append(ids, created.ID)
		if state != "" {
			postgrestest.Exec(t, b.address, `INSERT INTO live_change (post_id, n, action, content, actor, state, owner, next_at, requested_at, ended_at)
				VALUES ($1, 1, 'DELETE', '', 'user Ada', $2, gen_random_uuid(), now(), now(), now())`, created.ID.String(), state)
		}
	}
	found, err := changes.Deleted(t.Context(), ids)
	require.NoError(t, err)
	require.Equal(t, map[ident.Post]bool{ids[0]: true}, found)
}
