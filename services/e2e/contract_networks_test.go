package e2e_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	enums "go.temporal.io/api/enums/v1"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

func publishesOnLinkedIn(t *testing.T, s *harness.System) {
	t.Helper()
	for typ, visibility := range map[channel.Type]fencepost.CreateLinkedInVisibility{
		channel.LinkedInProfile: fencepost.CreateLinkedInVisibilityConnections,
		channel.LinkedInPage:    fencepost.CreateLinkedInVisibilityPublic,
	} {
		text := "We are hiring, says " + string(typ)
		p, err := s.API.Posts.CreateLinkedIn(t.Context(), fencepost.CreateLinkedInRequest{
			ChannelID: s.Channels[typ].ID.String(), Content: text, Visibility: visibility, Schedule: "now",
		})
		require.NoError(t, err)
		require.Equal(t, fencepost.PostStatusScheduled, p.Status)
		require.Equal(t, string(visibility), p.Options.Visibility)
		published := settled(t, s, p.ID, soon)
		require.Equal(t, fencepost.PostStatusPublished, published.Status, "%+v", published.Error)
		accepted := s.Sandbox.Accepted(text)
		require.Len(t, accepted, 1)
		require.Equal(t, string(visibility), accepted[0].Visibility)
	}
}

func publishesOnNetworks(t *testing.T, s *harness.System) {
	t.Helper()
	for _, typ := range []channel.Type{channel.FacebookPage, channel.GoogleBusiness} {
		text := "Open on Sundays, says " + string(typ)
		p := settled(t, s, s.Create(typ, text, "now").ID, soon)
		require.Equal(t, fencepost.PostStatusPublished, p.Status, "%+v", p.Error)
		require.NotEmpty(t, *p.PostURL)
		accepted := s.Sandbox.Accepted(text)
		require.Len(t, accepted, 1)
		require.Equal(t, string(typ.Network()), accepted[0].Platform)

		// A published post can be neither changed nor deleted.
		requireProblem(t, harness.Failure(s.API.Posts.Edit(t.Context(), p.ID, fencepost.EditPostRequest{Content: fencepost.Set("Closed")})),
			http.StatusConflict, fencepost.ProblemCodeInvalidState)
		requireProblem(t, s.API.Posts.Delete(t.Context(), p.ID), http.StatusConflict, fencepost.ProblemCodeInvalidState)
	}
}

// pinsOnPinterest publishes an image, a carousel and a video, the last two with lost responses, and compares the bytes.
func pinsOnPinterest(t *testing.T, s *harness.System) {
	t.Helper()
	id := s.Channels[channel.Pinterest].ID.String()
	listed, err := s.API.Channels.ListPinterestBoards(t.Context(), id)
	require.NoError(t, err)
	board := listed[0].ID
	first := s.Upload("1.jpg", "image/jpeg", harness.Picture(t, 1)).ID
	second := s.Upload("2.jpg", "image/jpeg", harness.Picture(t, 2)).ID
	video := s.Upload("video.mp4", "video/mp4", harness.Video(t, 0)).ID
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Empty(c, s.Unprocessed()) }, soon, 100*time.Millisecond)
	for name, test := range map[string]struct {
		files []string
		lost  bool
	}{"image": {[]string{first}, false}, "carousel": {[]string{second, first}, true}, "video": {[]string{video}, true}} {
		if test.lost {
			s.Sandbox.Inject(harness.Fault{Platform: "pinterest", Step: "commit", Kind: "timeout_after_accept", DelayMs: 500})
		}
		text, link, section := "A pin of a "+name, "https://example.com/"+name, board+"1"
		created, err := s.API.Posts.CreatePinterest(t.Context(), fencepost.CreatePinterestRequest{
			ChannelID: id, BoardID: board, BoardSectionID: section, Content: text, Title: name, Link: link,
			AltText: "squares", MediaIDs: test.files, Schedule: "now",
		})
		require.NoError(t, err)
		published := settled(t, s, created.ID, 2*soon)
		require.Equal(t, fencepost.PostStatusPublished, published.Status, "%s: %+v", name, published.Error)
		require.NotEmpty(t, *published.PostURL)
		accepted := s.Sandbox.Accepted(text)
		require.Len(t, accepted, 1)
		require.Len(t, accepted[0].Media, len(test.files))
		for i, file := range test.files {
			require.Equal(t, publishedSum(t, s, file), accepted[0].Media[i].SHA256, name)
		}
	}
}

// publishedSum returns the hash of the bytes that networks get of an asset.
func publishedSum(t *testing.T, s *harness.System, id string) string {
	t.Helper()
	sums := postgrestest.Column(t, s.Database(), `SELECT encode(published_sha256, 'hex') FROM media WHERE id = $1`, id)
	require.Len(t, sums, 1)
	return sums[0]
}

func readsLive(t *testing.T, s *harness.System) {
	t.Helper()
	pinterest := s.Channels[channel.Pinterest].ID.String()
	boards, err := s.API.Channels.ListPinterestBoards(t.Context(), pinterest)
	require.NoError(t, err)
	require.NotEmpty(t, boards)
	for _, b := range boards {
		require.NotEmpty(t, b.ID)
		require.NotEmpty(t, b.Name)
		require.NotEmpty(t, b.Privacy)
	}
	for _, typ := range []channel.Type{channel.TikTokPersonal, channel.TikTokBusiness} {
		info, err := s.API.Channels.GetTikTokCreatorInfo(t.Context(), s.Channels[typ].ID.String())
		require.NoError(t, err)
		require.NotEmpty(t, info.Nickname)
		require.Contains(t, info.PrivacyLevelOptions, "PUBLIC_TO_EVERYONE")
		require.Positive(t, info.MaxVideoDurationSec)
	}
	requireProblem(t, harness.Failure(s.API.Channels.GetTikTokCreatorInfo(t.Context(), pinterest)),
		http.StatusUnprocessableEntity, fencepost.ProblemCodeChannelTypeMismatch)
}

func approves(t *testing.T, s *harness.System) {
	t.Helper()
	at := time.Now().Add(10 * time.Second).UTC().Truncate(time.Millisecond) // later than a slow machine approves it
	text := "Approved and on time"
	p := s.Create(channel.TelegramChannel, text, "draft")
	edit(t, s, p.ID, fencepost.EditPostRequest{ScheduledAt: fencepost.Set(harness.At(at))})
	pending := s.RequestApproval(p.ID)
	require.Equal(t, fencepost.PostStatusPendingApproval, pending.Status)
	require.Equal(t, fencepost.ApprovalStatusPending, pending.Approval.Status)

	back, err := s.API.Posts.Reject(t.Context(), p.ID, fencepost.DecisionRequest{Comment: "Mind the typo."})
	require.NoError(t, err)
	require.Equal(t, fencepost.PostStatusDraft, back.Status)
	require.Equal(t, fencepost.ApprovalStatusRejected, back.Approval.Status)
	require.Equal(t, "Mind the typo.", *back.Approval.Comment)

	s.RequestApproval(p.ID)
	approved := s.Approve(p.ID, "Looks good.")
	require.Equal(t, fencepost.PostStatusScheduled, approved.Status)
	require.Equal(t, at, *approved.ScheduledAt)
	published := settled(t, s, p.ID, soon)
	require.Equal(t, fencepost.PostStatusPublished, published.Status, "%+v", published.Error)
	require.False(t, published.PublishedAt.Before(at))
	require.Equal(t, 1, s.Sandbox.Count(text))
}

func deletes(t *testing.T, s *harness.System) {
	t.Helper()
	at := time.Now().Add(10 * time.Second) // a slow machine takes seconds until the post is deleted
	p := s.Create(channel.TelegramChannel, "Never mind", harness.At(at))
	// A second post for about the same time shows that the time has passed.
	witness := s.Create(channel.TelegramChannel, "The witness", harness.At(at.Add(500*time.Millisecond)))
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		status, err := s.Workflow(p.ID)
		require.NoError(c, err)
		require.Equal(c, enums.WORKFLOW_EXECUTION_STATUS_RUNNING, status)
	}, soon, 50*time.Millisecond)
	require.NoError(t, s.API.Posts.Delete(t.Context(), p.ID))
	requireProblem(t, harness.Failure(s.API.Posts.Get(t.Context(), p.ID)), http.StatusNotFound, fencepost.ProblemCodeNotFound)

	require.Equal(t, fencepost.PostStatusPublished, settled(t, s, witness.ID, soon).Status)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		status, err := s.Workflow(p.ID)
		require.NoError(c, err)
		require.Equal(c, enums.WORKFLOW_EXECUTION_STATUS_COMPLETED, status)
	}, soon, 50*time.Millisecond)
	require.Zero(t, s.Sandbox.Count("Never mind"))
}
