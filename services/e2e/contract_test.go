package e2e_test

import (
	"strings"
	"testing"
	"time"

	"github.com/oapi-codegen/nullable"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/apiclient"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/ident"
)

// TestContract performs the documented operations against the real programs, with a client that is generated from the
// OpenAPI document.
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
	listed, err := s.API.ListChannelsWithResponse(t.Context(), nil)
	require.NoError(t, err)
	channels := harness.Response(t, listed.JSON200, listed.Body)
	require.Len(t, channels, len(s.Channels))
	for _, c := range channels {
		of := s.Channels[channel.Type(c.Type)]
		require.Equal(t, of.ID.String(), c.ID)
		require.True(t, c.Capabilities.Publish)
		require.Equal(t, of.Type.Capabilities().EditAfterPublish, c.Capabilities.EditAfterPublish)
		require.Equal(t, apiclient.TokenStatusHEALTHY, c.TokenStatus)
		one, err := s.API.GetChannelWithResponse(t.Context(), c.ID)
		require.NoError(t, err)
		require.Equal(t, c, harness.Response(t, one.JSON200, one.Body))
	}
	workspace, err := s.API.GetWorkspaceWithResponse(t.Context())
	require.NoError(t, err)
	require.Len(t, harness.Response(t, workspace.JSON200, workspace.Body).GrantedScopes, len(credential.Scopes()))
}

// schedule reads the posting schedule of a channel.
func schedule(t *testing.T, s *harness.System, typ channel.Type) apiclient.ChannelSchedule {
	t.Helper()
	read, err := s.API.GetChannelScheduleWithResponse(t.Context(), s.Channels[typ].ID.String())
	require.NoError(t, err)
	return harness.Response(t, read.JSON200, read.Body)
}

func edit(t *testing.T, s *harness.System, id string, change apiclient.EditPostRequest) apiclient.Post {
	t.Helper()
	edited, err := s.API.EditPostWithResponse(t.Context(), id, nil, change)
	require.NoError(t, err)
	return harness.Response(t, edited.JSON200, edited.Body)
}

func editsAndTakesSlot(t *testing.T, s *harness.System) {
	t.Helper()
	require.True(t, schedule(t, s, channel.Threads).NextSlotAt.IsNull())
	s.SetSlots(channel.Threads, slot.Slot{Weekday: time.Thursday, Hour: 17, Minute: 30},
		slot.Slot{Weekday: time.Monday, Hour: 9})
	plan := schedule(t, s, channel.Threads)
	require.Equal(t, []apiclient.Slot{
		{Weekday: apiclient.SlotWeekdayMONDAY, Time: "09:00"}, {Weekday: apiclient.SlotWeekdayTHURSDAY, Time: "17:30"},
	}, plan.Slots)

	intended := time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond)
	created := s.Create(channel.Threads, "Frist draft", "draft")
	edited := edit(t, s, created.ID, apiclient.EditPostRequest{
		Content: new("First draft"), Title: nullable.NewNullableWithValue("A title"),
		ScheduledAt: nullable.NewNullableWithValue(harness.At(intended)),
	})
	require.Equal(t, apiclient.PostStatusDRAFT, edited.Status)
	require.Equal(t, "First draft", edited.Content)
	require.Equal(t, "A title", edited.Title.MustGet())
	require.Equal(t, intended, edited.ScheduledAt.MustGet())
	edited = edit(t, s, created.ID, apiclient.EditPostRequest{
		Title: nullable.NewNullNullable[string](), ScheduledAt: nullable.NewNullNullable[string](),
	})
	require.Equal(t, "First draft", edited.Content)
	require.True(t, edited.Title.IsNull())
	require.True(t, edited.ScheduledAt.IsNull())

	scheduled, err := s.API.SchedulePostWithResponse(t.Context(), created.ID, nil,
		apiclient.SchedulePostRequest{Schedule: new(apiclient.SchedulePostRequestScheduleNextSlot)})
	require.NoError(t, err)
	taken := harness.Response(t, scheduled.JSON200, scheduled.Body)
	require.Equal(t, apiclient.PostStatusSCHEDULED, taken.Status)
	require.Equal(t, plan.NextSlotAt, taken.ScheduledAt)
	next := s.Create(channel.Threads, "Second", "next_slot")
	require.True(t, next.ScheduledAt.MustGet().After(taken.ScheduledAt.MustGet()), "a taken slot is not assigned again")

	unscheduled, err := s.API.UnschedulePostWithResponse(t.Context(), created.ID, nil)
	require.NoError(t, err)
	require.True(t, harness.Response(t, unscheduled.JSON200, unscheduled.Body).ScheduledAt.IsNull())
	require.Equal(t, plan.NextSlotAt, schedule(t, s, channel.Threads).NextSlotAt, "the slot is free again")
}

func createsOnce(t *testing.T, s *harness.System) {
	t.Helper()
	params := &apiclient.CreatePostsParams{IdempotencyKey: new(ident.New[ident.Event]().String())}
	body := apiclient.CreatePostsRequest{
		ChannelIds: &[]string{s.Channels[channel.TelegramChannel].ID.String()}, Content: new("Only once"),
	}
	first, err := s.API.CreatePostsWithResponse(t.Context(), params, body)
	require.NoError(t, err)
	again, err := s.API.CreatePostsWithResponse(t.Context(), params, body)
	require.NoError(t, err)
	require.Equal(t, harness.Response(t, first.JSON201, first.Body), harness.Response(t, again.JSON201, again.Body))
	require.Empty(t, first.HTTPResponse.Header.Get("Idempotent-Replayed"))
	require.Equal(t, "true", again.HTTPResponse.Header.Get("Idempotent-Replayed"))
	listed, err := s.API.ListPostsWithResponse(t.Context(), &apiclient.ListPostsParams{ChannelID: &[]string{(*body.ChannelIds)[0]}})
	require.NoError(t, err)
	require.Len(t, harness.Response(t, listed.JSON200, listed.Body).Data, 1)

	body.Content = new("Something else")
	other, err := s.API.CreatePostsWithResponse(t.Context(), params, body)
	require.NoError(t, err)
	requireProblem(t, other.ApplicationProblemJSON422, other.Body, apiclient.ProblemCodeIDEMPOTENCYKEYREUSED)
}

func createsInBulk(t *testing.T, s *harness.System) {
	t.Helper()
	inbox := s.AddChannel(channel.WhatsAppBusiness, "inbox", channel.Credentials{})
	to := func(id string) apiclient.CreatePostsRequest {
		return apiclient.CreatePostsRequest{ChannelIds: &[]string{id}, Content: new("In bulk")}
	}
	late := to(s.Channels[channel.Threads].ID.String())
	late.Schedule = new(harness.At(time.Now().Add(-time.Minute)))
	both := to(s.Channels[channel.Threads].ID.String())
	both.ChannelIds = new(append(*both.ChannelIds, s.Channels[channel.Twitter].ID.String()))
	done, err := s.API.CreatePostsInBulkWithResponse(t.Context(), nil, apiclient.CreateBulkRequest{Posts: []apiclient.CreatePostsRequest{
		to(s.Channels[channel.Threads].ID.String()), to(ident.New[ident.Channel]().String()), to(inbox.ID.String()), late,
		to("x"), both,
	}})
	require.NoError(t, err)
	results := harness.Response(t, done.JSON200, done.Body)
	require.Len(t, results, 6)
	for i, want := range []struct {
		posts int
		code  apiclient.ProblemCode
	}{
		{posts: 1},
		{code: apiclient.ProblemCodeNOTFOUND},
		{code: apiclient.ProblemCodeCHANNELNOTPUBLISHABLE},
		{code: apiclient.ProblemCodeSCHEDULEDINPAST},
		{code: apiclient.ProblemCodeVALIDATIONFAILED},
		{posts: 2},
	} {
		require.EqualValues(t, i, results[i].Index)
		require.Len(t, results[i].Posts, want.posts)
		require.Equal(t, want.code == "", results[i].Success)
		if want.code == "" {
			require.Nil(t, results[i].Error)
			continue
		}
		require.True(t, strings.HasPrefix(*results[i].Error, want.code+": "), *results[i].Error)
	}
}

func validates(t *testing.T, s *harness.System) {
	t.Helper()
	checked, err := s.API.ValidatePostsWithResponse(t.Context(), apiclient.CreatePostsRequest{
		ChannelIds: &[]string{s.Channels[channel.Twitter].ID.String(), s.Channels[channel.TelegramChannel].ID.String()},
		Content:    new(strings.Repeat("long ", 60)),
	})
	require.NoError(t, err)
	found := harness.Response(t, checked.JSON200, checked.Body)
	require.False(t, found.Valid)
	require.Len(t, found.Channels, 2)
	onX, onTelegram := found.Channels[0], found.Channels[1]
	require.Equal(t, apiclient.ChannelTypeTWITTER, onX.Type)
	require.Len(t, onX.Errors, 1)
	require.Equal(t, "/content", onX.Errors[0].Pointer)
	require.Equal(t, string(apiclient.ProblemCodeVALIDATIONFAILED), onX.Errors[0].Code)
	require.True(t, onTelegram.Valid)
	require.Empty(t, onTelegram.Errors)
}

// requireProblem checks that an error response is documented and has the code.
func requireProblem(
	t *testing.T, problem *apiclient.Problem, body []byte, code apiclient.ProblemCode,
) apiclient.Problem {
	t.Helper()
	p := harness.Response(t, problem, body)
	require.Equal(t, code, p.Code)
	require.True(t, strings.HasSuffix(p.Type, "/problems/"+strings.ReplaceAll(strings.ToLower(code), "_", "-")),
		p.Type)
	require.NotEmpty(t, p.Title)
	require.NotEmpty(t, p.Detail)
	require.NotEmpty(t, p.RequestID)
	return p
}

func refuses(t *testing.T, s *harness.System) {
	t.Helper()
	ctx, unknownID := t.Context(), ident.New[ident.Post]().String()
	missing, err := s.API.GetPostWithResponse(ctx, unknownID, nil)
	require.NoError(t, err)
	p := requireProblem(t, missing.ApplicationProblemJSON404, missing.Body, apiclient.ProblemCodeNOTFOUND)
	require.Equal(t, "/v1/posts/"+unknownID, p.Instance)

	draft := s.Create(channel.Threads, "A draft", "draft")
	early, err := s.API.UnschedulePostWithResponse(ctx, draft.ID, nil)
	require.NoError(t, err)
	p = requireProblem(t, early.ApplicationProblemJSON409, early.Body, apiclient.ProblemCodeINVALIDSTATE)
	require.Equal(t, "DRAFT", *p.CurrentStatus)

	faulty, err := s.API.CreatePostsWithResponse(ctx, nil,
		apiclient.CreatePostsRequest{ChannelIds: &[]string{}, Schedule: new("tomorrow")})
	require.NoError(t, err)
	p = requireProblem(t, faulty.ApplicationProblemJSON422, faulty.Body, apiclient.ProblemCodeVALIDATIONFAILED)
	require.Len(t, *p.Errors, 2)
	require.Equal(t, "/channelIds", (*p.Errors)[0].Pointer)
	require.Equal(t, "/schedule", (*p.Errors)[1].Pointer)

	foreign, err := s.API.CreateLinkedinPostWithResponse(ctx, nil,
		apiclient.CreateLinkedInRequest{ChannelID: s.Channels[channel.Twitter].ID.String(), Content: "x"})
	require.NoError(t, err)
	requireProblem(t, foreign.ApplicationProblemJSON422, foreign.Body, apiclient.ProblemCodeCHANNELTYPEMISMATCH)

	lost, err := s.API.ListPostsWithResponse(ctx, &apiclient.ListPostsParams{Cursor: new("x")})
	require.NoError(t, err)
	requireProblem(t, lost.ApplicationProblemJSON422, lost.Body, apiclient.ProblemCodeINVALIDCURSOR)

	outsider, err := s.Client(credential.APIKey.New()).ListChannelsWithResponse(ctx, nil)
	require.NoError(t, err)
	requireProblem(t, outsider.ApplicationProblemJSON401, outsider.Body, apiclient.ProblemCodeUNAUTHENTICATED)

	reader, err := s.Client(s.NewKey(credential.ChannelsRead)).PublishPostWithResponse(ctx, draft.ID, nil)
	require.NoError(t, err)
	requireProblem(t, reader.ApplicationProblemJSON403, reader.Body, apiclient.ProblemCodeINSUFFICIENTSCOPE)
}
