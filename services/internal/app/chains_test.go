package app_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

func afterPost(id ident.Post, delay time.Duration, then post.OnFailure) app.After {
	return app.After{After: post.After{PostID: id, Delay: delay, OnFailure: then}}
}

func afterChannel(id ident.Channel) *app.After {
	return &app.After{ChannelID: id, After: post.After{OnFailure: post.HoldOnFailure}}
}

// pointers returns the members at fault.
func pointers(t *testing.T, err error) []string {
	t.Helper()
	refusal, ok := errors.AsType[*apperr.Error](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, apperr.ValidationFailed, refusal.Code)
	var out []string
	for _, f := range refusal.Fields {
		out = append(out, f.Pointer)
	}
	return out
}

// TestPostsOfARequestFollowEachOther creates a set in which each post waits for another one of the same request.
func TestPostsOfARequestFollowEachOther(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.tenant(t.Context(), t)
	first, second, third := b.channel(t.Context(), t, p, "UTC"), b.channel(t.Context(), t, p, "UTC"), b.channel(t.Context(), t, p, "UTC")
	created, err := b.CreatePosts(t.Context(), p, app.CreatePosts{
		ChannelIDs: []ident.Channel{third.ID, first.ID, second.ID}, Content: "See {{url}}", Schedule: app.Schedule{Kind: app.ScheduleNow},
		Variants: []app.Variant{
			{ChannelID: first.ID, Content: new("New video")},
			{ChannelID: second.ID, After: afterChannel(first.ID)},
			{ChannelID: third.ID, After: afterChannel(second.ID)},
		},
	})
	require.NoError(t, err)
	require.Equal(t, post.After{}, created[1].After)
	require.Equal(t, post.After{PostID: created[1].ID, OnFailure: post.HoldOnFailure}, created[2].After)
	require.Equal(t, post.After{PostID: created[2].ID, OnFailure: post.HoldOnFailure}, created[0].After)
	got, err := b.Post(t.Context(), p, created[0].ID)
	require.NoError(t, err)
	require.Equal(t, created[0].After, got.After)
}

func TestChainsAreChecked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p, other := b.tenant(t.Context(), t), b.tenant(t.Context(), t)
	c, d := b.channel(t.Context(), t, p, "UTC"), b.channel(t.Context(), t, p, "UTC")
	create := func(as app.Principal, in app.CreatePosts) (post.Post, error) {
		in.Content = "Hello" + in.Content
		created, err := b.CreatePosts(t.Context(), as, in)
		if err != nil {
			return post.Post{}, err
		}
		return created[0], nil
	}
	one, err := create(p, app.CreatePosts{ChannelIDs: []ident.Channel{c.ID}, Schedule: app.Schedule{Kind: app.ScheduleAt, At: b.clock.Now().Add(time.Hour)}})
	require.NoError(t, err)
	foreign, err := create(other, app.CreatePosts{ChannelIDs: []ident.Channel{b.channel(t.Context(), t, other, "UTC").ID}})
	require.NoError(t, err)
	for name, c := range map[string]struct {
		in   app.CreatePosts
		want []string
	}{
		"unknown":    {app.CreatePosts{After: afterPost(ident.New[ident.Post](), 0, post.HoldOnFailure)}, []string{"/publishAfter/postId"}},
		"of another": {app.CreatePosts{After: afterPost(foreign.ID, 0, post.HoldOnFailure)}, []string{"/publishAfter/postId"}},
		"address of a post that may fail": {
			app.CreatePosts{Content: " {{url}}", After: afterPost(one.ID, 0, post.PublishOnFailure)}, []string{"/publishAfter"},
		},
		"itself": {app.CreatePosts{Variants: []app.Variant{{ChannelID: c.ID, After: afterChannel(c.ID)}}}, []string{"/variants/0/publishAfter/channelId"}},
		"channel of no post": {
			app.CreatePosts{Variants: []app.Variant{{ChannelID: c.ID, After: afterChannel(d.ID)}}}, []string{"/variants/0/publishAfter/channelId"},
		},
		"circle": {
			app.CreatePosts{ChannelIDs: []ident.Channel{c.ID, d.ID}, Variants: []app.Variant{
				{ChannelID: c.ID, After: afterChannel(d.ID)}, {ChannelID: d.ID, After: afterChannel(c.ID)},
			}},
			[]string{"/variants/0/publishAfter/channelId", "/variants/1/publishAfter/channelId"},
		},
	} {
		if len(c.in.ChannelIDs) == 0 {
			c.in.ChannelIDs = []ident.Channel{one.ChannelID}
		}
		_, err := create(p, c.in)
		require.ElementsMatch(t, c.want, pointers(t, err), name)
		_, err = b.ValidatePosts(t.Context(), p, c.in)
		require.ElementsMatch(t, c.want, pointers(t, err), name)
	}

	second, err := create(p, app.CreatePosts{
		ChannelIDs: []ident.Channel{d.ID}, Content: " {{url}}", Schedule: app.Schedule{Kind: app.ScheduleNow},
		After: afterPost(one.ID, 10*time.Minute, post.CancelOnFailure),
	})
	require.NoError(t, err)
	edit := func(as app.Principal, id ident.Post, e post.Edit) (post.Post, error) {
		return b.EditPost(t.Context(), as, id, func(post.Post) (post.Edit, error) { return e, nil })
	}
	_, err = edit(p, one.ID, post.Edit{After: &post.After{PostID: second.ID, OnFailure: post.HoldOnFailure}})
	require.Equal(t, []string{"/publishAfter/postId"}, pointers(t, err), "a circle")
	_, err = edit(p, second.ID, post.Edit{After: &post.After{}})
	require.Equal(t, []string{"/publishAfter"}, pointers(t, err), "the text needs the address")
	_, err = edit(p, second.ID, post.Edit{After: &post.After{PostID: one.ID, OnFailure: post.PublishOnFailure}})
	require.Equal(t, []string{"/publishAfter"}, pointers(t, err))
	free, err := edit(p, second.ID, post.Edit{After: &post.After{}, Content: new("Hello")})
	require.NoError(t, err)
	require.True(t, free.After.IsZero())
	require.Equal(t, second.Revision+1, free.Revision)
	_, err = edit(p, second.ID, post.Edit{Content: new("{{url}} is a text"), After: &post.After{PostID: one.ID, OnFailure: post.HoldOnFailure}})
	require.NoError(t, err)
	writer := p
	writer.Key.Scopes = []credential.Scope{credential.PostsWrite}
	_, err = edit(writer, second.ID, post.Edit{After: &post.After{}, Content: new("Hello")})
	require.True(t, apperr.Is(err, apperr.InsufficientScope), "%v", err)
}

// TestChainsHaveALongestLength appends posts to a chain until it is refused.
func TestChainsHaveALongestLength(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.tenant(t.Context(), t)
	c := b.channel(t.Context(), t, p, "UTC")
	in := app.CreatePosts{ChannelIDs: []ident.Channel{c.ID}, Content: "Hello"}
	for range post.LongestChain {
		created, err := b.CreatePosts(t.Context(), p, in)
		require.NoError(t, err)
		in.After = afterPost(created[0].ID, 0, post.HoldOnFailure)
	}
	_, err := b.CreatePosts(t.Context(), p, in)
	require.Equal(t, []string{"/publishAfter/postId"}, pointers(t, err))
}
