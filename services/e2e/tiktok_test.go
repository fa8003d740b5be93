package e2e_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// TestPostsOnTikTok publishes videos, photos and drafts with both products, compares the bytes, and loses the responses to
// irrevocable calls.
func TestPostsOnTikTok(t *testing.T) {
	t.Parallel()
	s := running(t, "TIKTOK_UPLOAD_CHUNK_BYTES=5242880")
	video := processed(t, s, s.Upload("video.mp4", "video/mp4", harness.Enlarged(harness.Video(t, 11<<20))).ID)
	sum := publishedSum(t, s, video.ID)
	first, second := harness.Picture(t, 1), harness.Picture(t, 2)
	photos := []fencepost.Media{s.Upload("1.jpg", "image/jpeg", first), s.Upload("2.jpg", "image/jpeg", second)}
	for _, typ := range []channel.Type{channel.TikTokPersonal, channel.TikTokBusiness} {
		t.Run(string(typ), func(t *testing.T) {
			t.Parallel()
			named := func(text string) string { return text + " of " + string(typ) }
			require.Equal(t, sum, tok(t, s, typ, named("A video"), video).Media[0].SHA256)
			s.Sandbox.Inject(harness.Fault{
				Platform: "tiktok", Account: s.Channels[typ].ExternalID, Step: "commit", Kind: "timeout_after_accept", DelayMs: 1000,
			})
			tok(t, s, typ, named("Is it out?"), video)

			found := tok(t, s, typ, named("Photos"), photos...)
			require.Len(t, found.Media, 2)
			require.Equal(t, hashOf(first), found.Media[0].SHA256)
			require.Equal(t, hashOf(second), found.Media[1].SHA256)

			drafted := toks(t, s, typ, named("A draft"), true, video)
			require.Equal(t, fencepost.PostStatusPublished, drafted.Status, "%+v", drafted.Error)
			drafts := slices.DeleteFunc(s.Sandbox.Ledger(), func(e harness.Entry) bool {
				return e.Visibility != "DRAFT" || e.Account != found.Account
			})
			require.Len(t, drafts, 1)
			require.Equal(t, sum, drafts[0].Media[0].SHA256)
			require.Empty(t, drafts[0].Text, "the creator writes it in the app")
		})
	}
}

// tok publishes a post on TikTok and returns it as the network has it. The post has the network's id and address.
func tok(t *testing.T, s *harness.System, typ channel.Type, text string, media ...fencepost.Media) harness.Entry {
	t.Helper()
	p := toks(t, s, typ, text, false, media...)
	require.Equal(t, fencepost.PostStatusPublished, p.Status, "%s: %+v", text, p.Error)
	accepted := s.Sandbox.Accepted(text)
	require.Len(t, accepted, 1)
	require.Contains(t, *p.PostURL, accepted[0].ID)
	require.Equal(t, []string{accepted[0].ID}, postgrestest.Column(t, s.Database(),
		`SELECT external_id FROM publish_attempt WHERE post_id = '`+p.ID+`' AND state = 'CONFIRMED'`))
	return accepted[0]
}

// toks creates a post by the endpoint of TikTok and waits for its end.
func toks(
	t *testing.T, s *harness.System, typ channel.Type, text string, draft bool, media ...fencepost.Media,
) fencepost.Post {
	t.Helper()
	body := fencepost.CreateTikTokRequest{ChannelID: s.Channels[typ].ID.String(), Content: text, Schedule: "now"}
	if draft {
		body.UploadToDraft = &draft
	}
	for _, m := range media {
		body.MediaIDs = append(body.MediaIDs, m.ID)
	}
	created, err := s.API.Posts.CreateTikTok(t.Context(), body)
	require.NoError(t, err)
	return settled(t, s, created.ID, 2*soon)
}
