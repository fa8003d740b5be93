package app_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/domain/evergreen"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/series"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// evergreens returns a channel with three times a day and evergreen posts, which are not used yet.
func (b *bundle) evergreens(t *testing.T, p app.Principal, cooldown int, texts ...string) channel.Channel {
	t.Helper()
	var slots []slot.Slot
	for day := range 7 {
		for _, hour := range []int{8, 12, 18} {
			slots = append(slots, slot.Slot{Weekday: time.Weekday(day), Hour: hour})
		}
	}
	of := b.channel(t.Context(), t, p, "UTC", slots...)
	for _, text := range texts {
		created, err := b.CreatePosts(t.Context(), p, app.CreatePosts{
			ChannelIDs: []ident.Channel{of.ID}, Content: text, ContentType: post.ContentPost,
		})
		require.NoError(t, err)
		require.NoError(t, b.AddEvergreen(t.Context(), p, created[0].ID, cooldown))
		require.NoError(t, b.DeletePost(t.Context(), p, created[0].ID))
	}
	return of
}

// planned returns the texts of the scheduled posts of a channel by their times.
func (b *bundle) planned(t *testing.T, p app.Principal, of channel.Channel) map[string]string {
	t.Helper()
	found, err := b.Posts(t.Context(), p, postgres.PostFilter{
		ChannelIDs: []ident.Channel{of.ID}, Statuses: []post.Status{post.Scheduled}, Sort: post.EarliestFirst, Limit: 100,
	})
	require.NoError(t, err)
	texts := make(map[string]string)
	for _, one := range found {
		at := one.ScheduledAt.Format("02 15:04")
		require.Empty(t, texts[at], "two posts at one time")
		texts[at] = one.Content
	}
	return texts
}

// TestEvergreenFillsFreeSlots fills slots in three processes at once: each once, with turns, a cooldown and a limit per day, and
// only those without a post. A slot whose post was deleted stays free.
func TestEvergreenFillsFreeSlots(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	p := b.editor(t, b.tenant(ctx, t))
	b.clock.Set(time.Date(2026, 3, 10, 7, 0, 0, 0, time.UTC))
	of := b.evergreens(t, p, 3, "one", "two", "three")
	at := time.Date(2026, 3, 10, 8, 0, 0, 0, time.UTC)
	_, err := b.CreatePosts(ctx, p, app.CreatePosts{
		ChannelIDs: []ident.Channel{of.ID}, Content: "mine", ContentType: post.ContentPost, Schedule: app.Schedule{Kind: app.ScheduleAt, At: at},
	})
	require.NoError(t, err)
	require.NoError(t, b.SetEvergreenRule(ctx, p, evergreen.Rule{ChannelID: of.ID, PerDay: 2, Ahead: 1}))
	require.Equal(t, map[string]string{"10 08:00": "mine"}, b.planned(t, p, of), "not active")

	require.NoError(t, b.SetEvergreenRule(ctx, p, evergreen.Rule{ChannelID: of.ID, Active: true, PerDay: 2, Ahead: 1}))
	var all sync.WaitGroup
	errs := make([]error, 3)
	for i := range errs {
		all.Go(func() { errs[i] = b.FillSlots(ctx) })
	}
	all.Wait()
	require.NoError(t, errors.Join(errs...))
	require.Equal(t, map[string]string{"10 08:00": "mine", "10 12:00": "one", "10 18:00": "two"}, b.planned(t, p, of))

	b.clock.Set(time.Date(2026, 3, 11, 7, 0, 0, 0, time.UTC))
	postgrestest.Exec(t, b.address, `DELETE FROM post WHERE scheduled_at < $1`, b.clock.Now())
	require.NoError(t, b.FillSlots(ctx))
	require.Equal(t, map[string]string{"11 08:00": "three"}, b.planned(t, p, of), "the others rest")
	postgrestest.Exec(t, b.address, `DELETE FROM post`)
	require.NoError(t, b.FillSlots(ctx))
	require.Empty(t, b.planned(t, p, of), "a deleted post does not come again")

	b.clock.Set(time.Date(2026, 3, 13, 7, 0, 0, 0, time.UTC))
	require.NoError(t, b.FillSlots(ctx))
	require.Equal(t, map[string]string{"13 12:00": "one", "13 18:00": "two"}, b.planned(t, p, of), "after three days")
	postgrestest.Exec(t, b.address, `UPDATE channel SET is_queue_paused = true`)
	b.clock.Set(time.Date(2026, 3, 20, 7, 0, 0, 0, time.UTC))
	before := len(b.planned(t, p, of))
	require.NoError(t, b.FillSlots(ctx))
	require.Len(t, b.planned(t, p, of), before, "paused")
}

// TestEvergreenRespectsApprovals checks that posts wait for approval where the workspace requires it, and that one of which the
// author left is not used.
func TestEvergreenRespectsApprovals(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	p, theirs := b.editor(t, b.tenant(ctx, t)), b.editor(t, b.tenant(ctx, t))
	b.clock.Set(time.Date(2026, 3, 10, 7, 0, 0, 0, time.UTC))
	of := b.evergreens(t, p, 1, "one")
	postgrestest.Exec(t, b.address, `UPDATE workspace SET approval_policy = 2`)
	rule := evergreen.Rule{ChannelID: of.ID, Active: true, PerDay: 1, Ahead: 1}
	require.True(t, apperr.Is(b.SetEvergreenRule(ctx, theirs, rule), apperr.NotFound))
	require.NoError(t, b.SetEvergreenRule(ctx, p, rule))
	found, err := b.Posts(ctx, p, postgres.PostFilter{Sort: post.NewestFirst, Limit: 10})
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, post.PendingApproval, found[0].Status)

	list, err := b.Evergreens(ctx, p)
	require.NoError(t, err)
	require.True(t, apperr.Is(b.RemoveEvergreen(ctx, theirs, list[0].ID), apperr.NotFound))
	require.True(t, apperr.Is(b.ChangeEvergreen(ctx, theirs, list[0].ID, 3), apperr.NotFound))
	require.True(t, apperr.Is(b.AddEvergreen(ctx, theirs, found[0].ID, 3), apperr.NotFound))
	require.Equal(t, "/cooldown", apperr.FieldsOf(b.AddEvergreen(ctx, p, found[0].ID, 0))[0].Pointer)
	postgrestest.Exec(t, b.address, `DELETE FROM workspace_member WHERE user_id = $1`, p.Person.ID.String())
	b.clock.Advance(48 * time.Hour)
	require.NoError(t, b.FillSlots(ctx))
	list, err = b.Evergreens(ctx, p)
	require.NoError(t, err)
	require.Contains(t, list[0].Fault, "left the workspace")
}

// TestRepeatedFilesAreInUse checks that the files of recurring and of evergreen posts cannot be deleted.
func TestRepeatedFilesAreInUse(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	p := b.editor(t, b.tenant(ctx, t))
	of := b.channel(ctx, t, p, "UTC")
	asset := postgrestest.Asset(t, b.db, media.Asset{
		ID: ident.New[ident.Media](), WorkspaceID: p.WorkspaceID, Name: "a.png", Type: media.Image, ContentType: media.ContentTypePNG, Size: 5,
		Probe: media.Probe{Width: 800, Height: 600}, CreatedAt: start,
	})
	created, err := b.CreatePosts(ctx, p, app.CreatePosts{
		ChannelIDs: []ident.Channel{of.ID}, Content: "a", ContentType: post.ContentPost, MediaIDs: []ident.Media{asset.ID},
		Schedule: app.Schedule{Kind: app.ScheduleAt, At: start.AddDate(0, 0, 2)},
	})
	require.NoError(t, err)
	_, err = b.RepeatSet(ctx, p, created[0].GroupID, series.Rule{Unit: series.Day, Every: 1, Zone: "UTC"})
	require.NoError(t, err)
	require.NoError(t, b.AddEvergreen(ctx, p, created[0].ID, 30))
	require.Equal(t, []string{"EVERGREEN", "POST", "SERIES"},
		postgrestest.Column(t, b.address, `SELECT DISTINCT owner_type FROM media_reference ORDER BY 1`))
	list, err := b.Evergreens(ctx, p)
	require.NoError(t, err)
	require.NoError(t, b.RemoveEvergreen(ctx, p, list[0].ID))
	require.Empty(t, postgrestest.Column(t, b.address, `SELECT 1 FROM media_reference WHERE owner_type = 'EVERGREEN'`))
}
