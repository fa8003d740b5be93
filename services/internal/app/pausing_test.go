package app_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// publisher returns a person who may publish, of the client's workspace.
func (q queue) publisher() app.Principal {
	return app.Principal{WorkspaceID: q.client.WorkspaceID, Plan: q.client.Plan, Person: app.Person{
		ID: ident.New[ident.User](), Name: "Ada", Email: "ada@example.com",
		Permissions: []credential.Permission{credential.PostsPublish, credential.AuditRead},
	}}
}

// person stores the publisher, to whom entries of the audit log refer.
func (q queue) person(t *testing.T) app.Principal {
	t.Helper()
	p := q.publisher()
	postgrestest.Exec(t, q.address, `INSERT INTO app_user (id, name, email, password_hash, created_at)
		VALUES ($1, 'Ada', 'ada@example.com', '', now())`,
		p.Person.ID.String())
	return p
}

// late returns a post of the account whose time passed.
func (q queue) late(t *testing.T, account int) post.Post {
	t.Helper()
	created, err := q.CreatePosts(t.Context(), q.client, q.request(app.ScheduleNow, account))
	require.NoError(t, err)
	return created[0]
}

func (q queue) read(t *testing.T, id ident.Post) post.Post {
	t.Helper()
	p, err := q.postStore.Get(t.Context(), q.client.WorkspaceID, id)
	require.NoError(t, err)
	return p
}

func TestPausedChannelPublishesPostsWhenResumed(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 2)
	ada := q.person(t)
	require.NoError(t, q.PauseChannel(t.Context(), ada, q.accounts[0].ID))
	late, other := q.late(t, 0), q.late(t, 1)
	state, err := q.Pauses(t.Context(), ada)
	require.NoError(t, err)
	require.Equal(t, app.Pauses{Late: map[ident.Channel]int{q.accounts[0].ID: 1}}, state)
	_, err = q.PublishPost(t.Context(), q.client, late.ID)
	require.NoError(t, err, "a program may publish, and the post waits")
	require.False(t, q.read(t, late.ID).OverridesPause)

	require.NoError(t, q.ResumeChannel(t.Context(), ada, q.accounts[0].ID, app.LatePublish))
	resumed := q.read(t, late.ID)
	require.Equal(t, 3, resumed.Revision)
	require.Equal(t, q.read(t, other.ID).Revision, other.Revision, "posts of other channels go on as they are")
	log, err := q.AuditLog(t.Context(), ada, ident.Audit{}, 10)
	require.NoError(t, err)
	require.Equal(t, []audit.Action{audit.ChannelResumed, audit.ChannelPaused}, []audit.Action{log[0].Action, log[1].Action})
}

func TestLatePostsMoveToNextFreeSlots(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 1)
	ada := q.person(t)
	require.NoError(t, q.PauseChannel(t.Context(), ada, q.accounts[0].ID))
	first, second := q.late(t, 0), q.late(t, 0)
	require.NoError(t, q.ResumeChannel(t.Context(), ada, q.accounts[0].ID, app.LateMove))
	times := []time.Time{q.read(t, first.ID).ScheduledAt.UTC(), q.read(t, second.ID).ScheduledAt.UTC()}
	require.ElementsMatch(t, firstDaily(2), times)
	found, err := q.Channel(t.Context(), ada, q.accounts[0].ID)
	require.NoError(t, err)
	require.False(t, found.Paused())
}

func TestLatePostsWithoutFreeSlotChangeNothing(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 1)
	ada := q.person(t)
	require.NoError(t, q.PauseChannel(t.Context(), ada, q.accounts[0].ID))
	late := q.late(t, 0)
	require.NoError(t, q.channelStore.SetSlots(t.Context(), q.accounts[0].ID, nil))
	err := q.ResumeChannel(t.Context(), ada, q.accounts[0].ID, app.LateMove)
	require.True(t, apperr.Is(err, apperr.NoFreeSlot), "%v", err)
	found, err := q.Channel(t.Context(), ada, q.accounts[0].ID)
	require.NoError(t, err)
	require.True(t, found.Paused())
	require.Equal(t, late.Revision, q.read(t, late.ID).Revision)
}

func TestStopPublishingPausesAllChannelsAndKeepsTheirOwnPause(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 2)
	ada := q.person(t)
	require.NoError(t, q.PauseChannel(t.Context(), ada, q.accounts[1].ID))
	require.NoError(t, q.StopPublishing(t.Context(), ada))
	q.clock.Advance(time.Minute)
	require.NoError(t, q.StopPublishing(t.Context(), ada), "again")
	running, paused := q.late(t, 0), q.late(t, 1)
	state, err := q.Pauses(t.Context(), ada)
	require.NoError(t, err)
	require.Equal(t, start, state.StoppedAt.UTC())
	require.Equal(t, "Ada", state.StoppedBy)
	require.Equal(t, map[ident.Channel]int{q.accounts[0].ID: 1, q.accounts[1].ID: 1}, state.Late)
	_, err = q.CreatePosts(t.Context(), q.client, q.request(app.ScheduleNextSlot, 0))
	require.True(t, apperr.Is(err, apperr.QueuePaused), "%v", err)
	require.ErrorContains(t, err, "All publishing of the workspace is stopped")

	require.NoError(t, q.ResumePublishing(t.Context(), ada, app.LatePublish))
	require.Equal(t, running.Revision+1, q.read(t, running.ID).Revision)
	require.Equal(t, paused.Revision, q.read(t, paused.ID).Revision)
	channels, err := q.Channels(t.Context(), ada)
	require.NoError(t, err)
	require.False(t, channels[0].Paused())
	require.True(t, channels[1].Paused())
}

func TestResumePublishingMovesLatePosts(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 1)
	ada := q.person(t)
	require.NoError(t, q.StopPublishing(t.Context(), ada))
	late := q.late(t, 0)
	require.NoError(t, q.ResumePublishing(t.Context(), ada, app.LateMove))
	require.Equal(t, firstDaily(1)[0], q.read(t, late.ID).ScheduledAt.UTC())
}

func TestOnlyPersonCanPublishDespitePause(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 1)
	ada := q.person(t)
	require.NoError(t, q.PauseChannel(t.Context(), ada, q.accounts[0].ID))
	late := q.late(t, 0)
	_, err := q.PublishPausedPost(t.Context(), q.client, late.ID)
	require.True(t, apperr.Is(err, apperr.InsufficientScope), "%v", err)
	reader := ada
	reader.Person.Permissions = nil
	_, err = q.PublishPausedPost(t.Context(), reader, late.ID)
	require.True(t, apperr.Is(err, apperr.InsufficientScope), "%v", err)
	for _, pause := range []func() error{
		func() error { return q.PauseChannel(t.Context(), reader, q.accounts[0].ID) },
		func() error { return q.ResumeChannel(t.Context(), reader, q.accounts[0].ID, app.LatePublish) },
		func() error { return q.StopPublishing(t.Context(), reader) },
		func() error { return q.ResumePublishing(t.Context(), reader, app.LatePublish) },
	} {
		require.True(t, apperr.Is(pause(), apperr.InsufficientScope))
	}
	created, err := q.PublishPausedPost(t.Context(), ada, late.ID)
	require.NoError(t, err)
	require.True(t, created.OverridesPause)
	require.True(t, q.read(t, late.ID).OverridesPause)
	state, err := q.Pauses(t.Context(), ada)
	require.NoError(t, err)
	require.Empty(t, state.Late)
}
