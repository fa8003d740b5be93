package e2e_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/ident"
)

// TestContract performs the documented operations against the real programs, with the SDK.
func TestContract(t *testing.T) {
	t.Parallel()
	s := running(t)
	for _, part := range []struct {
		name string
		test func(t *testing.T, s *harness.System)
	}{
		{"channels are listed", listsChannels},
		{"a draft is edited and takes the next slot", editsAndTakesSlot},
		{"a key makes one post", createsOnce},
		{"bulk items are independent", createsInBulk},
		{"content is checked without a trace", validates},
		{"errors are distinct", refuses},
		{"a platform's post has its settings", publishesOnLinkedIn},
		{"posts reach their networks", publishesOnNetworks},
		{"pins reach Pinterest", pinsOnPinterest},
		{"networks are asked live", readsLive},
		{"an approved post is published at its time", approves},
		{"a deleted post stays away", deletes},
		{"files are kept, listed and deleted", keepsFiles},
		{"files are refused in words", refusesFiles},
		{"webhooks are refused in words", refusesWebhooks},
		{"link pages are edited and published", editsLinkPages},
		{"link pages are refused in words", refusesLinkPages},
		{"ideas are noted on a board", notesIdeas},
		{"figures are read", readsFigures},
	} {
		t.Run(part.name, func(t *testing.T) { part.test(t, s.In(t)) })
	}
}

func listsChannels(t *testing.T, s *harness.System) {
	t.Helper()
	channels, err := s.API.Channels.List(t.Context(), fencepost.ListChannelsParams{})
	require.NoError(t, err)
	require.Len(t, channels, len(s.Channels))
	for _, c := range channels {
		of := s.Channels[channel.Type(c.Type)]
		require.Equal(t, of.ID.String(), c.ID)
		require.True(t, c.Capabilities.Publish)
		require.Equal(t, of.Type.Capabilities().EditAfterPublish, c.Capabilities.EditAfterPublish)
		require.Equal(t, fencepost.TokenStatusHealthy, c.TokenStatus)
		one, err := s.API.Channels.Get(t.Context(), c.ID)
		require.NoError(t, err)
		require.Equal(t, c, *one)
	}
	workspace, err := s.API.GetWorkspace(t.Context())
	require.NoError(t, err)
	require.Len(t, workspace.GrantedScopes, len(credential.Scopes()))
}

// schedule reads the posting schedule of a channel.
func schedule(t *testing.T, s *harness.System, typ channel.Type) fencepost.ChannelSchedule {
	t.Helper()
	return harness.Result(s.API.Channels.GetSchedule(t.Context(), s.Channels[typ].ID.String()))(t)
}

func edit(t *testing.T, s *harness.System, id string, change fencepost.EditPostRequest) fencepost.Post {
	t.Helper()
	return harness.Result(s.API.Posts.Edit(t.Context(), id, change))(t)
}

func editsAndTakesSlot(t *testing.T, s *harness.System) {
	t.Helper()
	require.Nil(t, schedule(t, s, channel.Threads).NextSlotAt)
	s.SetSlots(channel.Threads, slot.Slot{Weekday: time.Thursday, Hour: 17, Minute: 30},
		slot.Slot{Weekday: time.Monday, Hour: 9})
	plan := schedule(t, s, channel.Threads)
	require.Equal(t, []fencepost.Slot{
		{Weekday: fencepost.SlotWeekdayMonday, Time: "09:00"}, {Weekday: fencepost.SlotWeekdayThursday, Time: "17:30"},
	}, plan.Slots)

	intended := time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond)
	created := s.Create(channel.Threads, "Frist draft", "draft")
	edited := edit(t, s, created.ID, fencepost.EditPostRequest{
		Content: fencepost.Set("First draft"), Title: fencepost.Set("A title"),
		ScheduledAt: fencepost.Set(harness.At(intended)),
	})
	require.Equal(t, fencepost.PostStatusDraft, edited.Status)
	require.Equal(t, "First draft", edited.Content)
	require.Equal(t, "A title", *edited.Title)
	require.Equal(t, intended, *edited.ScheduledAt)
	edited = edit(t, s, created.ID, fencepost.EditPostRequest{
		Title: fencepost.Clear[string](), ScheduledAt: fencepost.Clear[string](),
	})
	require.Equal(t, "First draft", edited.Content)
	require.Nil(t, edited.Title)
	require.Nil(t, edited.ScheduledAt)

	taken, err := s.API.Posts.Schedule(t.Context(), created.ID, fencepost.SchedulePostRequest{Schedule: "next_slot"})
	require.NoError(t, err)
	require.Equal(t, fencepost.PostStatusScheduled, taken.Status)
	require.Equal(t, plan.NextSlotAt, taken.ScheduledAt)
	next := s.Create(channel.Threads, "Second", "next_slot")
	require.True(t, next.ScheduledAt.After(*taken.ScheduledAt), "a taken slot is not assigned again")

	unscheduled, err := s.API.Posts.Unschedule(t.Context(), created.ID)
	require.NoError(t, err)
	require.Nil(t, unscheduled.ScheduledAt)
	require.Equal(t, plan.NextSlotAt, schedule(t, s, channel.Threads).NextSlotAt, "the slot is free again")
}

func createsOnce(t *testing.T, s *harness.System) {
	t.Helper()
	key := fencepost.IdempotencyKey(ident.New[ident.Event]().String())
	var header, repeated http.Header
	body := fencepost.CreatePostsRequest{
		ChannelIDs: []string{s.Channels[channel.TelegramChannel].ID.String()}, Content: "Only once",
	}
	first, err := s.API.Posts.Create(t.Context(), body, key, fencepost.ResponseHeader(&header))
	require.NoError(t, err)
	again, err := s.API.Posts.Create(t.Context(), body, key, fencepost.ResponseHeader(&repeated))
	require.NoError(t, err)
	require.Equal(t, first, again)
	require.Empty(t, header.Get("Idempotent-Replayed"))
	require.Equal(t, "true", repeated.Get("Idempotent-Replayed"))
	listed, err := harness.All(s.API.Posts.List(t.Context(), fencepost.ListPostsParams{ChannelID: body.ChannelIDs}))
	require.NoError(t, err)
	require.Len(t, listed, 1)

	body.Content = "Something else"
	requireProblem(t, harness.Failure(s.API.Posts.Create(t.Context(), body, key)),
		http.StatusUnprocessableEntity, fencepost.ProblemCodeIdempotencyKeyReused)
}

func createsInBulk(t *testing.T, s *harness.System) {
	t.Helper()
	inbox := s.AddChannel(channel.WhatsAppBusiness, "inbox", channel.Credentials{})
	to := func(id string) fencepost.CreatePostsRequest {
		return fencepost.CreatePostsRequest{ChannelIDs: []string{id}, Content: "In bulk"}
	}
	late := to(s.Channels[channel.Threads].ID.String())
	late.Schedule = harness.At(time.Now().Add(-time.Minute))
	both := to(s.Channels[channel.Threads].ID.String())
	both.ChannelIDs = append(both.ChannelIDs, s.Channels[channel.Twitter].ID.String())
	results, err := s.API.Posts.CreateInBulk(t.Context(), fencepost.CreateBulkRequest{Posts: []fencepost.CreatePostsRequest{
		to(s.Channels[channel.Threads].ID.String()), to(ident.New[ident.Channel]().String()), to(inbox.ID.String()), late,
		to("x"), both,
	}})
	require.NoError(t, err)
	require.Len(t, results, 6)
	for i, want := range []struct {
		posts int
		code  fencepost.ProblemCode
	}{
		{posts: 1},
		{code: fencepost.ProblemCodeNotFound},
		{code: fencepost.ProblemCodeChannelNotPublishable},
		{code: fencepost.ProblemCodeScheduledInPast},
		{code: fencepost.ProblemCodeValidationFailed},
		{posts: 2},
	} {
		require.EqualValues(t, i, results[i].Index)
		require.Len(t, results[i].Posts, want.posts)
		require.Equal(t, want.code == "", results[i].Success)
		if want.code == "" {
			require.Empty(t, results[i].Error)
			require.Nil(t, results[i].Problem)
			continue
		}
		require.True(t, strings.HasPrefix(results[i].Error, string(want.code)+": "), results[i].Error)
	}
}

func validates(t *testing.T, s *harness.System) {
	t.Helper()
	found, err := s.API.Posts.Validate(t.Context(), fencepost.CreatePostsRequest{
		ChannelIDs: []string{s.Channels[channel.Twitter].ID.String(), s.Channels[channel.TelegramChannel].ID.String()},
		Content:    strings.Repeat("long ", 60),
	})
	require.NoError(t, err)
	require.False(t, found.Valid)
	require.Len(t, found.Channels, 2)
	onX, onTelegram := found.Channels[0], found.Channels[1]
	require.Equal(t, fencepost.ChannelTypeTwitter, onX.Type)
	require.Len(t, onX.Errors, 1)
	require.Equal(t, "/content", onX.Errors[0].Pointer)
	require.Equal(t, string(fencepost.ProblemCodeValidationFailed), onX.Errors[0].Code)
	require.True(t, onTelegram.Valid)
	require.Empty(t, onTelegram.Errors)
}

// requireProblem checks that a call was refused with the status and the code. The client has checked the rest of the problem.
func requireProblem(t *testing.T, err error, status int, code fencepost.ProblemCode) fencepost.Error {
	t.Helper()
	var refused *fencepost.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, status, refused.Status, "%v", err)
	require.Equal(t, code, refused.Code, "%v", err)
	return *refused
}

func refuses(t *testing.T, s *harness.System) {
	t.Helper()
	ctx, unknownID := t.Context(), ident.New[ident.Post]().String()
	requireProblem(t, harness.Failure(s.API.Posts.Get(ctx, unknownID)), http.StatusNotFound, fencepost.ProblemCodeNotFound)

	draft := s.Create(channel.Threads, "A draft", "draft")
	p := requireProblem(t, harness.Failure(s.API.Posts.Unschedule(ctx, draft.ID)),
		http.StatusConflict, fencepost.ProblemCodeInvalidState)
	require.Equal(t, "DRAFT", p.CurrentStatus)

	p = requireProblem(t, s.API.Request(ctx, http.MethodPost, "/v1/posts", nil,
		map[string]any{"channelIds": []string{}, "schedule": "tomorrow"}, nil),
		http.StatusUnprocessableEntity, fencepost.ProblemCodeValidationFailed)
	require.Len(t, p.Errors, 2)
	require.Equal(t, "/channelIds", p.Errors[0].Pointer)
	require.Equal(t, "/schedule", p.Errors[1].Pointer)

	requireProblem(t, harness.Failure(s.API.Posts.CreateLinkedIn(ctx,
		fencepost.CreateLinkedInRequest{ChannelID: s.Channels[channel.Twitter].ID.String(), Content: "x"})), http.StatusUnprocessableEntity, fencepost.ProblemCodeChannelTypeMismatch)

	requireProblem(t, harness.Failure(harness.All(s.API.Posts.List(ctx, fencepost.ListPostsParams{Cursor: "x"}))),
		http.StatusUnprocessableEntity, fencepost.ProblemCodeInvalidCursor)

	requireProblem(t, harness.Failure(s.Client(credential.APIKey.New()).Channels.List(ctx, fencepost.ListChannelsParams{})),
		http.StatusUnauthorized, fencepost.ProblemCodeUnauthenticated)

	requireProblem(t, harness.Failure(s.Client(s.NewKey(credential.ChannelsRead)).Posts.Publish(ctx, draft.ID)),
		http.StatusForbidden, fencepost.ProblemCodeInsufficientScope)
}
