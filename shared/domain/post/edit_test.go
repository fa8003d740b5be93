package post_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

func TestEditChangesNamedFields(t *testing.T) {
	t.Parallel()
	media := []ident.Media{ident.New[ident.Media](), ident.New[ident.Media]()}
	before := in(post.Draft)
	before.Title, before.MediaIDs, before.Options = "Title", media, post.Options{
		Visibility: "public", MadeForKids: new(false),
	}
	before.HasOptions = true
	reversed := []ident.Media{media[1], media[0]}
	for name, c := range map[string]struct {
		edit   post.Edit
		want   func(p *post.Post)
		detail string
	}{
		"content": {
			post.Edit{Content: new("Bye")}, func(p *post.Post) { p.Content = "Bye" }, "Edited: content.",
		},
		"content, to none": {post.Edit{Content: new("")}, func(p *post.Post) { p.Content = "" }, "Edited: content."},
		"title":            {post.Edit{Title: new("Other")}, func(p *post.Post) { p.Title = "Other" }, "Edited: title."},
		"title, to none":   {post.Edit{Title: new("")}, func(p *post.Post) { p.Title = "" }, "Edited: title."},
		"content type": {
			post.Edit{ContentType: new(post.ContentReel)},
			func(p *post.Post) { p.ContentType = post.ContentReel },
			"Edited: contentType.",
		},
		"media, another order": {
			post.Edit{MediaIDs: &reversed}, func(p *post.Post) { p.MediaIDs = reversed }, "Edited: mediaIds.",
		},
		"media, to none": {
			post.Edit{MediaIDs: &[]ident.Media{}}, func(p *post.Post) { p.MediaIDs = []ident.Media{} }, "Edited: mediaIds.",
		},
		"options": {
			post.Edit{Options: &post.Options{Visibility: "private"}},
			func(p *post.Post) { p.Options = post.Options{Visibility: "private"} }, "Edited: options.",
		},
		"options, to none": {
			post.Edit{Options: &post.Options{}}, func(p *post.Post) { p.Options = post.Options{} }, "Edited: options.",
		},
		"a flag to the other": {
			post.Edit{Options: &post.Options{Visibility: "public", MadeForKids: new(true)}},
			func(p *post.Post) { p.Options.MadeForKids = new(true) }, "Edited: options.",
		},
		"the intended time": {
			post.Edit{ScheduledAt: new(now.Add(time.Hour))},
			func(p *post.Post) { p.ScheduledAt = now.Add(time.Hour) },
			"Edited: scheduledAt.",
		},
		"one that is the same": {
			post.Edit{Content: new("Hello"), Title: new("Other")}, func(p *post.Post) { p.Title = "Other" }, "Edited: title.",
		},
		"several, in one order": {
			post.Edit{ScheduledAt: new(now.Add(1)), Title: new("Other"), Content: new("Bye")},
			func(p *post.Post) { p.Title, p.Content, p.ScheduledAt = "Other", "Bye", now.Add(1) },
			"Edited: content, title, scheduledAt.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change, ok, err := before.Edit(c.edit, now, post.ActorAPI)
			require.NoError(t, err)
			require.True(t, ok)
			want := before
			c.want(&want)
			want.UpdatedAt = now
			require.Equal(t, want, change.Post)
			require.Equal(t, before, change.From)
			require.True(t, change.Edited)
			require.False(t, change.Wake)
			require.Equal(t, []post.Entry{{At: now, Kind: post.EntryEdited, Actor: post.ActorAPI, Detail: c.detail}},
				change.Timeline)
			require.Equal(t, string(event.PostUpdated), emitted(change))
		})
	}
}

func TestNoOpEditIsNoChange(t *testing.T) {
	t.Parallel()
	p := in(post.Scheduled)
	p.Title, p.MediaIDs, p.Options = "Title", []ident.Media{ident.New[ident.Media]()}, post.Options{AllowDuet: new(true)}
	for name, edit := range map[string]post.Edit{
		"nothing said": {},
		"all the same": {
			Content: new(p.Content), Title: new(p.Title), ContentType: new(p.ContentType), MediaIDs: &p.MediaIDs,
			Options: &post.Options{AllowDuet: new(true)}, ScheduledAt: new(p.ScheduledAt),
		},
		"the same instant in another zone": {ScheduledAt: new(p.ScheduledAt.In(time.FixedZone("", 3600)))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change, ok, err := p.Edit(edit, now, post.ActorAPI)
			require.NoError(t, err)
			require.False(t, ok)
			require.Equal(t, post.Change{Post: p}, change)
		})
	}
}

func TestEditOfTime(t *testing.T) {
	t.Parallel()
	ahead, past := now.Add(3*time.Hour), now.Add(-time.Millisecond)
	none := time.Time{}
	for name, c := range map[string]struct {
		status post.Status
		at     time.Time
		code   apperr.Code // empty: accepted
		moves  bool        // the workflow receives the change
	}{
		"DRAFT, ahead":      {post.Draft, ahead, "", false},
		"DRAFT, present":    {post.Draft, now, apperr.ScheduledInPast, false},
		"DRAFT, past":       {post.Draft, past, apperr.ScheduledInPast, false},
		"SCHEDULED, ahead":  {post.Scheduled, ahead, "", true},
		"SCHEDULED, past":   {post.Scheduled, past, apperr.ScheduledInPast, false},
		"SCHEDULED, none":   {post.Scheduled, none, apperr.ValidationFailed, false},
		"FAILED, ahead":     {post.Failed, ahead, apperr.ValidationFailed, false},
		"FAILED, past":      {post.Failed, past, apperr.ValidationFailed, false},
		"FAILED, the same":  {post.Failed, none, "", false}, // no change
		"PUBLISHED, ahead":  {post.Published, ahead, apperr.InvalidState, false},
		"ARCHIVED, ahead":   {post.Archived, ahead, apperr.InvalidState, false},
		"PENDING, ahead":    {post.PendingApproval, ahead, "", false}, // the application alone
		"SCHEDULED, by 1ms": {post.Scheduled, now.Add(time.Millisecond), "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := in(c.status)
			p.Waiting = &post.Waiting{Reason: post.WaitRetrying, Until: ahead}
			change, ok, err := p.Edit(post.Edit{ScheduledAt: &c.at}, now, post.ActorAPI)
			if c.code != "" {
				require.True(t, apperr.Is(err, c.code), "%v", err)
				require.Zero(t, change)
				return
			}
			require.NoError(t, err)
			require.Equal(t, !c.at.Equal(p.ScheduledAt), ok)
			require.Equal(t, c.at, change.Post.ScheduledAt)
			require.Equal(t, c.status, change.Post.Status)
			require.Equal(t, c.moves, change.Wake)
			if !c.moves {
				require.Equal(t, map[bool]string{true: "post.updated"}[ok], emitted(change))
				require.Equal(t, p.Revision, change.Post.Revision)
				require.Equal(t, p.Waiting, change.Post.Waiting)
				return
			}
			require.Equal(t, "post.updated post.scheduled", emitted(change))
			require.Equal(t, p.Revision+1, change.Post.Revision)
			require.Nil(t, change.Post.Waiting, "it waits for its time again")
			require.Equal(t, []post.EntryKind{post.EntryEdited, post.EntryScheduled},
				[]post.EntryKind{change.Timeline[0].Kind, change.Timeline[1].Kind})
			require.JSONEq(t, `"SCHEDULED"`, field(t, change.Events[0], "status"))
		})
	}
}

func TestEditClearsIntendedTime(t *testing.T) {
	t.Parallel()
	p := in(post.Draft)
	p.ScheduledAt = now.Add(-time.Hour) // the time passed while the draft was edited
	change, ok, err := p.Edit(post.Edit{ScheduledAt: new(time.Time{})}, now, post.ActorAPI)
	require.NoError(t, err)
	require.True(t, ok)
	require.True(t, change.Post.ScheduledAt.IsZero())
}

func TestFaultyTimeHasPointer(t *testing.T) {
	t.Parallel()
	_, _, err := in(post.Scheduled).Edit(post.Edit{ScheduledAt: new(time.Time{})}, now, post.ActorAPI)
	var e *apperr.Error
	require.ErrorAs(t, err, &e)
	require.Len(t, e.Fields, 1)
	require.Equal(t, "/scheduledAt", e.Fields[0].Pointer)
}

// TestEditIncreasesUpdatedAt checks that UpdatedAt increases, because the store uses it to detect concurrent
// edits of a post.
func TestEditIncreasesUpdatedAt(t *testing.T) {
	t.Parallel()
	p := in(post.Draft)
	// a clock that does not advance, and one that is behind
	for _, clock := range []time.Time{now, now, now.Add(-time.Minute), now} {
		change, ok, err := p.Edit(post.Edit{Content: new(p.Content + "!")}, clock, post.ActorAPI)
		require.NoError(t, err)
		require.True(t, ok)
		require.True(t, change.Post.UpdatedAt.After(p.UpdatedAt))
		p = change.Post
	}
	require.Equal(t, now.Add(3*time.Millisecond), p.UpdatedAt)
}

func TestEditDoesNotModifyOriginal(t *testing.T) {
	t.Parallel()
	p := in(post.Draft)
	p.MediaIDs = []ident.Media{ident.New[ident.Media]()}
	kept := p.MediaIDs[0]
	_, _, err := p.Edit(post.Edit{MediaIDs: &[]ident.Media{ident.New[ident.Media]()}, Content: new("Bye")}, now,
		post.ActorAPI)
	require.NoError(t, err)
	require.Equal(t, "Hello", p.Content)
	require.Equal(t, []ident.Media{kept}, p.MediaIDs)
}

func TestDeleteEndsPlan(t *testing.T) {
	t.Parallel()
	for status, wakes := range map[post.Status]bool{
		post.Draft: false, post.Failed: false, post.Archived: false, post.Scheduled: true, post.PendingApproval: true,
	} {
		change, err := in(status).Delete(now)
		require.NoError(t, err)
		require.Equal(t, wakes, change.Wake, "%s", status)
		require.Equal(t, post.Draft, change.Post.Status, "the workflow has nothing to wait for")
		require.JSONEq(t, `"`+string(status)+`"`, field(t, change.Events[0], "status"))
	}
}

func TestDeleteReportsLastFailure(t *testing.T) {
	t.Parallel()
	change, err := in(post.Failed).Delete(now)
	require.NoError(t, err)
	require.JSONEq(t, `{"code":"X","message":"x","retryable":true}`, field(t, change.Events[0], "error"))
}

func TestUnarchiveRestoresStatus(t *testing.T) {
	t.Parallel()
	for _, status := range []post.Status{post.Draft, post.Published, post.Failed} {
		t.Run(string(status), func(t *testing.T) {
			t.Parallel()
			before := in(status)
			before.ScheduledAt = now.Add(time.Hour)
			archived, err := before.Archive(now, post.ActorAPI)
			require.NoError(t, err)
			require.Equal(t, post.Archived, archived.Post.Status)
			require.Equal(t, status, archived.Post.ArchivedFrom)
			require.Empty(t, archived.Events)
			require.Equal(t, post.EntryArchived, archived.Timeline[0].Kind)
			later := now.Add(time.Minute)
			back, err := archived.Post.Unarchive(later, post.ActorAPI)
			require.NoError(t, err)
			require.Empty(t, back.Events)
			require.Equal(t, post.EntryUnarchived, back.Timeline[0].Kind)
			require.Contains(t, back.Timeline[0].Detail, string(status))
			before.UpdatedAt, before.Revision = later, before.Revision+2
			require.Equal(t, before, back.Post)
		})
	}
}

// TestRetryAfterUnarchiveReleasesAttempt checks that a retry after un-archiving releases an attempt whose result
// remained unknown, like a retry before archiving.
func TestRetryAfterUnarchiveReleasesAttempt(t *testing.T) {
	t.Parallel()
	archived, err := in(post.Failed).Archive(now, post.ActorAPI)
	require.NoError(t, err)
	back, err := archived.Post.Unarchive(now, post.ActorAPI)
	require.NoError(t, err)
	again, err := back.Post.PublishNow(now, post.ActorAPI)
	require.NoError(t, err)
	require.True(t, again.Release)
	require.Nil(t, again.Post.Error)
}
