package threads_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/platformtest"
)

// carrying adds attachments to the bundle's post.
func (b *bundle) carrying(t *testing.T, attachments ...platformtest.Attachment) {
	t.Helper()
	b.content.Files = platformtest.Files(t, attachments...)
	for _, a := range attachments {
		b.content.Media = append(b.content.Media, a.Asset)
	}
}

// photo returns an image asset without bytes, for a network that does not decode it.
func photo() platformtest.Attachment {
	return platformtest.Attachment{Asset: media.Asset{
		ID: ident.New[ident.Media](), Name: "photo.jpg", Type: media.Image, ContentType: media.ContentTypeJPEG,
	}}
}

// forms returns the parameters of the created containers, without those common to all.
func (b *bundle) forms(t *testing.T) []url.Values {
	t.Helper()
	var forms []url.Values
	for _, r := range b.script.Requests() {
		if r.Method != http.MethodPost {
			continue
		}
		form := r.Form(t)
		require.Equal(t, "token/1", form.Get("access_token"))
		form.Del("access_token")
		for _, name := range []string{"image_url", "video_url"} {
			if form.Has(name) {
				require.Contains(t, form.Get(name), "signature=secret")
				form.Set(name, "link")
			}
		}
		forms = append(forms, form)
	}
	return forms
}

func TestOneFile(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		file platformtest.Attachment
		text string
		want url.Values
	}{
		"a picture": {photo(), "Hi", url.Values{"media_type": {"IMAGE"}, "image_url": {"link"}, "text": {"Hi"}}},
		"a video": {
			platformtest.Video(2000), "Hi", url.Values{"media_type": {"VIDEO"}, "video_url": {"link"}, "text": {"Hi"}},
		},
		"described": {
			platformtest.Described([]platformtest.Attachment{photo()})[0], "", url.Values{
				"media_type": {"IMAGE"}, "image_url": {"link"}, "alt_text": {"Squares & more squares, number 1"},
			},
		},
		"without words": {photo(), "", url.Values{"media_type": {"IMAGE"}, "image_url": {"link"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{createCall: {ok(`{"id":"171"}`)}, statusCall: {status("FINISHED")}})
			b.carrying(t, test.file)
			b.content.Text = test.text
			preparation, err := b.connector.Prepare(t.Context(), b.account, b.content, "")
			require.NoError(t, err)
			require.Equal(t, platform.Preparation{
				Handle: created("171", `,"ready":1772355600`), Wait: 3 * time.Second,
			}, preparation)
			require.Equal(t, []url.Values{test.want}, b.forms(t))
		})
	}
}

func TestCarousel(t *testing.T) {
	t.Parallel()

	b := setup(t, map[string][]platformtest.Response{
		createCall:    {ok(`{"id":"1"}`), ok(`{"id":"2"}`), ok(`{"id":"171"}`)},
		"GET /v1.0/1": {status("FINISHED")}, "GET /v1.0/2": {status("FINISHED")},
		statusCall: {status("IN_PROGRESS"), status("FINISHED")},
	})
	b.carrying(t, photo(), platformtest.Video(2000))
	handle := platform.Handle("")
	for _, ready := range []bool{false, false, false, true} {
		preparation, err := b.connector.Prepare(t.Context(), b.account, b.content, handle)
		require.NoError(t, err)
		require.Equal(t, ready, preparation.Ready)
		handle = preparation.Handle
		b.clock.Advance(preparation.Wait)
	}
	require.Equal(t, []url.Values{
		{"is_carousel_item": {"true"}, "media_type": {"IMAGE"}, "image_url": {"link"}},
		{"is_carousel_item": {"true"}, "media_type": {"VIDEO"}, "video_url": {"link"}},
		{"media_type": {"CAROUSEL"}, "children": {"1,2"}, "text": {"Hello & welcome"}},
	}, b.forms(t))
}

// TestFailedContainers checks that the container's error message decides.
func TestFailedContainers(t *testing.T) {
	t.Parallel()

	for word, again := range map[string]bool{
		"": true, "UNKNOWN": true, "FAILED_DOWNLOADING_VIDEO": true,
		"FAILED_PROCESSING_AUDIO": false, "FAILED_PROCESSING_VIDEO": false, "INVALID_ASPEC_RATIO": false,
		"INVALID_BIT_RATE": false,
		"INVALID_DURATION": false, "INVALID_FRAME_RATE": false, "INVALID_AUDIO_CHANNELS": false,
		"INVALID_AUDIO_CHANNEL_LAYOUT": false,
		"A_NEW_WORD":                   false,
	} {
		t.Run(word, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{
				createCall: {ok(`{"id":"172"}`)}, statusCall: {ok(`{"status":"ERROR","error_message":"` + word + `"}`)},
				"GET /v1.0/172": {status("FINISHED")},
			})
			b.carrying(t, platformtest.Video(2000))
			const handle = `{"container":"171","since":1772355600,"made":1772355600}`
			preparation, err := b.connector.Prepare(t.Context(), b.account, b.content, handle)
			if again {
				require.NoError(t, err)
				require.JSONEq(t, `{"container":"172","since":1772355600,"made":1772355600,"again":1,"ready":1772355600}`,
					string(preparation.Handle))
				return
			}
			require.Equal(t, platform.CodeMediaRefused, platformtest.Failure(t, err).Code)
			require.Equal(t, platform.ClassRejected, platformtest.Failure(t, err).Class)
		})
	}
}

func TestRefusedFiles(t *testing.T) {
	t.Parallel()

	for subcode, class := range map[int]platform.Class{
		2207052: platform.ClassTransient, 2207004: platform.ClassRejected, 2207005: platform.ClassRejected,
		2207009: platform.ClassRejected,
	} {
		b := setup(t, map[string][]platformtest.Response{createCall: {graph(400, 100, subcode, "no")}})
		b.carrying(t, photo())
		_, err := b.connector.Prepare(t.Context(), b.account, b.content, "")
		require.Equal(t, class, platformtest.Failure(t, err).Class, subcode)
	}
}
