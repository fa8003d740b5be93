package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"socialpub.internal/services/e2e/apiclient"
	"socialpub.internal/services/e2e/harness"
	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/infra/postgres/postgrestest"
)

// TestPostsOnTikTok publishes a video, photos and a draft, compares the bytes, and loses the response to a last chunk.
func TestPostsOnTikTok(t *testing.T) {
	t.Parallel()
	s := running(t, "TIKTOK_UPLOAD_CHUNK_BYTES=5242880")
	post := func(text string, body apiclient.CreateTikTok, media ...apiclient.Media) harness.Entry {
		body.ChannelID, body.Content = s.Channels[channel.TikTokPersonal].ID.String(), &text
		var ids []string
		for _, m := range media {
			ids = append(ids, m.ID)
		}
		body.MediaIds, body.Schedule = ids, new("now")
		made, err := s.API.CreateTiktokPostWithResponse(t.Context(), nil, body)
		require.NoError(t, err)
		p := settled(t, s, harness.Answer(t, made.JSON201, made.Body).ID, 2*soon)
		require.Equal(t, apiclient.PostStatusPUBLISHED, p.Status, "%s: %+v", text, p.Error)
		accepted := s.Sandbox.Accepted(text)
		if body.UploadToDraft != nil {
			return harness.Entry{}
		}
		require.Len(t, accepted, 1)
		require.Contains(t, p.PostURL.MustGet(), accepted[0].ID)
		require.Equal(t, []string{accepted[0].ID}, postgrestest.Column(t, s.Database(),
			`SELECT external_id FROM publish_attempt WHERE post_id = '`+p.ID+`' AND state = 'CONFIRMED'`))
		return accepted[0]
	}
	video := processed(t, s, s.Upload("video.mp4", "video/mp4", harness.Enlarged(harness.Video(t, 11<<20))).ID)
	sum := postgrestest.Column(t, s.Database(), `SELECT encode(published_sha256, 'hex') FROM media`)
	require.Equal(t, sum[0], post("A video", apiclient.CreateTikTok{}, video).Media[0].SHA256)
	s.Sandbox.Inject(harness.Fault{Platform: "tiktok", Step: "commit", Kind: "timeout_after_accept", DelayMs: 1000})
	post("Is it out?", apiclient.CreateTikTok{}, video)

	first, second := harness.Picture(t, 1), harness.Picture(t, 2)
	photos := post("Photos", apiclient.CreateTikTok{}, s.Upload("1.jpg", "image/jpeg", first), s.Upload("2.jpg", "image/jpeg", second))
	require.Len(t, photos.Media, 2)
	require.Equal(t, hashOf(first), photos.Media[0].SHA256)
	require.Equal(t, hashOf(second), photos.Media[1].SHA256)

	before := len(s.Sandbox.Ledger())
	draft := true
	post("A draft", apiclient.CreateTikTok{UploadToDraft: &draft}, video)
	all := s.Sandbox.Ledger()
	require.Len(t, all, before+1)
	require.Equal(t, "DRAFT", all[0].Visibility)
	require.Equal(t, sum[0], all[0].Media[0].SHA256)
}
