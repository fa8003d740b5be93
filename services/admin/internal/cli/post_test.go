package cli_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// draft creates a post of the channel and returns its id.
func (b *bundle) draft(t *testing.T, workspace, channel string) string {
	t.Helper()
	workspaceID, err := ident.Parse[ident.Workspace](workspace)
	require.NoError(t, err)
	channelID, err := ident.Parse[ident.Channel](channel)
	require.NoError(t, err)
	created, err := post.Create(post.NewPost{
		WorkspaceID: workspaceID, ChannelID: channelID, Content: "Hello", ContentType: post.ContentPost,
	}, time.Now().UTC().Truncate(time.Millisecond), post.ActorAPI)
	require.NoError(t, err)
	require.NoError(t, postgres.NewPosts(b.db).Insert(t.Context(), []post.Change{created}))
	return created.Post.ID.String()
}

func TestPostArchive(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	channel := b.telegram(t, workspace)
	id := b.draft(t, workspace, channel)

	archived := b.one(t, "post", "archive", "--workspace", workspace, id)
	require.Equal(t, record{"id": id, "workspaceId": workspace, "channelId": channel, "status": "ARCHIVED"}, archived)
	failed(t, b.run(t, "post", "archive", "--workspace", workspace, id),
		"A post in status ARCHIVED does not allow archive")
	require.Equal(t, "Post "+id+" is DRAFT.\n", b.ok(t, "post", "unarchive", "--workspace", workspace, id))
	failed(t, b.run(t, "post", "unarchive", "--workspace", workspace, id),
		"A post in status DRAFT does not allow unarchive")
	require.Len(t, b.events(t), 2, "the channel's and the post's own: archiving emits no event")
}

func TestPostArchiveRefuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace, other := b.workspace(t), b.workspace(t)
	id := b.draft(t, workspace, b.telegram(t, workspace))
	failed(t, b.run(t, "post", "archive", "--workspace", other, id), "has no post "+id)
	failed(t, b.run(t, "post", "archive", "--workspace", ident.New[ident.Workspace]().String(), id),
		"There is no workspace")
	refused(t, b.run(t, "post", "archive", "--workspace", workspace, "x"), "POST_ID")
}
