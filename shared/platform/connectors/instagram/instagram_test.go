package instagram_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/instagram"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/platformtest"
)

func now() time.Time { return time.Unix(1_800_000_000, 0).UTC() }

const (
	createCall  = "POST /v26.0/42/media"
	statusCall  = "GET /v26.0/178"
	publishCall = "POST /v26.0/42/media_publish"
	mediaCall   = "GET /v26.0/180"
	listCall    = "GET /v26.0/42/media"
	storiesCall = "GET /v26.0/42/stories"
	refreshCall = "GET /refresh_access_token"

	// handle is the handle of a container that was created at the current time.
	handle = `{"container":"178","since":1800000000,"made":1800000000}`
)

type bundle struct {
	clock     *clocktest.Fake
	script    *platformtest.Script
	connector *instagram.Connector
	account   platform.Account
}

func setup(t *testing.T, responses map[string][]platformtest.Response) *bundle {
	t.Helper()
	script, clock := platformtest.NewScript(t, responses), clocktest.New(now())
	connector, err := instagram.New(instagram.Config{Wire: httpcall.Config{BaseURL: script.URL, Clock: clock}})
	require.NoError(t, err)
	return &bundle{clock: clock, script: script, connector: connector, account: platform.Account{
		Type: channel.InstagramProfessional, ExternalID: "42", Username: "acme",
		Credentials: channel.Credentials{AccessToken: "token/1"},
	}}
}

// content returns a post with attachments that can be fetched.
func content(t *testing.T, kind post.ContentType, attachments ...platformtest.Attachment) platform.Content {
	t.Helper()
	c := platform.Content{ContentType: kind, Text: "Hello & welcome", Files: platformtest.Files(t, attachments...)}
	for _, a := range attachments {
		c.Media = append(c.Media, a.Asset)
	}
	return c
}

// photo returns an image asset without bytes, for a network that does not decode it.
func photo() platformtest.Attachment {
	return platformtest.Attachment{Asset: media.Asset{
		ID: ident.New[ident.Media](), Name: "photo.jpg", Type: media.Image, ContentType: media.ContentTypeJPEG,
	}}
}

func picture(t *testing.T) platform.Content {
	t.Helper()
	return content(t, post.ContentPost, photo())
}

func ok(body string) platformtest.Response { return platformtest.Response{Body: body} }

func status(code, words string) platformtest.Response {
	return ok(fmt.Sprintf(`{"id":"178","status_code":%q,"status":%q}`, code, words))
}

func graph(status, code, subcode int, message string) platformtest.Response {
	return platformtest.Response{Status: status, Body: fmt.Sprintf(
		`{"error":{"message":%q,"type":"OAuthException","code":%d,"error_subcode":%d,"fbtrace_id":"x"}}`, message, code,
		subcode)}
}

func TestNew(t *testing.T) {
	t.Parallel()
	_, err := instagram.New(instagram.Config{})
	require.ErrorContains(t, err, "instagram")
	b := setup(t, nil)
	require.Equal(t, []channel.Type{channel.InstagramProfessional}, b.connector.Types())
	require.Equal(t, platform.ReconcileExact, b.connector.Strength())
	b.connector.CarriesMedia()
}

// TestForms checks the parameters of each kind of post.
func TestForms(t *testing.T) {
	t.Parallel()
	video, picture := platformtest.Video(2000), photo()
	const caption = "Hello & welcome"
	for name, c := range map[string]struct {
		kind post.ContentType
		of   platformtest.Attachment
		want url.Values
	}{
		"a picture": {post.ContentPost, picture, url.Values{"image_url": {"/photo.jpg"}, "caption": {caption}}},
		"a video is a reel": {
			post.ContentPost, video, url.Values{"media_type": {"REELS"}, "video_url": {"/video.mp4"}, "caption": {caption}},
		},
		"a reel": {
			post.ContentReel, video, url.Values{"media_type": {"REELS"}, "video_url": {"/video.mp4"}, "caption": {caption}},
		},
		"a video": {
			post.ContentVideo, video, url.Values{"media_type": {"REELS"}, "video_url": {"/video.mp4"}, "caption": {caption}},
		},
		"a story": {
			post.ContentStory, picture, url.Values{"media_type": {"STORIES"}, "image_url": {"/photo.jpg"}},
		},
		"a story that is moved": {
			post.ContentStory, video, url.Values{"media_type": {"STORIES"}, "video_url": {"/video.mp4"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{
				createCall: {ok(`{"id":"178"}`)}, statusCall: {status("FINISHED", "Finished")},
			})
			preparation, err := b.connector.Prepare(t.Context(), b.account, content(t, c.kind, c.of), "")
			require.NoError(t, err)
			require.Equal(t, platform.Preparation{Handle: handle, Ready: true}, preparation)
			create := b.script.Requests()[0]
			require.Empty(t, create.Query, "the token of a POST stays out of the address")
			c.want.Set("access_token", "token/1")
			require.Equal(t, c.want, pathsOnly(t, create.Form(t)))
			require.Equal(t, "status_code,status", b.script.Requests()[1].Query.Get("fields"))
		})
	}
}

// TestPictureBesideAReelIsItsCover checks that the order of the files does not matter, and that a feed post of the same files
// is a carousel.
func TestPictureBesideAReelIsItsCover(t *testing.T) {
	t.Parallel()
	files := []platformtest.Attachment{photo(), platformtest.Video(2000)}
	for _, of := range [][]platformtest.Attachment{files, {files[1], files[0]}} {
		b := setup(t, map[string][]platformtest.Response{
			createCall: {ok(`{"id":"178"}`)}, statusCall: {status("FINISHED", "Finished")},
		})
		c := content(t, post.ContentReel, of...)
		_, err := b.connector.Prepare(t.Context(), b.account, c, "")
		require.NoError(t, err)
		video, err := c.Files.Link(t.Context(), files[1].Asset)
		require.NoError(t, err)
		cover, err := c.Files.Link(t.Context(), files[0].Asset)
		require.NoError(t, err)
		form := b.script.Requests()[0].Form(t)
		require.Equal(t, []string{"REELS", video, cover, ""},
			[]string{form.Get("media_type"), form.Get("video_url"), form.Get("cover_url"), form.Get("image_url")})
	}
}

// TestCoversAndAltTexts checks that images have alternative texts, and reels have covers.
func TestCoversAndAltTexts(t *testing.T) {
	t.Parallel()
	file := platformtest.Described([]platformtest.Attachment{photo(), platformtest.Video(2000)})
	options := post.Options{CoverURL: "https://example.com/c.jpg", ThumbOffset: new(int64(1500)), ShareToFeed: new(bool)}
	for name, test := range map[string]struct {
		kind post.ContentType
		of   platformtest.Attachment
		want string
	}{
		"an image":      {post.ContentPost, file[0], "alt_text"},
		"a reel":        {post.ContentReel, file[1], "cover_url share_to_feed thumb_offset"},
		"a story":       {post.ContentStory, file[0], ""},
		"a video story": {post.ContentStory, file[1], ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{
				createCall: {ok(`{"id":"178"}`)}, statusCall: {status("FINISHED", "Finished")},
			})
			c := content(t, test.kind, test.of)
			c.Options = options
			_, err := b.connector.Prepare(t.Context(), b.account, c, "")
			require.NoError(t, err)
			form, given := b.script.Requests()[0].Form(t), []string{}
			for _, name := range []string{"alt_text", "cover_url", "share_to_feed", "thumb_offset"} {
				if form.Has(name) {
					given = append(given, name)
				}
			}
			require.Equal(t, test.want, strings.Join(given, " "))
			if form.Has("cover_url") {
				require.Equal(t, []string{"https://example.com/c.jpg", "false", "1500"},
					[]string{form.Get("cover_url"), form.Get("share_to_feed"), form.Get("thumb_offset")})
			}
			if form.Has("alt_text") {
				require.Equal(t, test.of.Asset.AltText, form.Get("alt_text"))
			}
		})
	}
}

// TestTrialReel checks the parameters of reels that people who do not follow see first, with tags without a place.
func TestTrialReel(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{"manual": "MANUAL", "automatic": "SS_PERFORMANCE"} {
		b := setup(t, map[string][]platformtest.Response{
			createCall: {ok(`{"id":"178"}`)}, statusCall: {status("FINISHED", "Finished")},
		})
		c := content(t, post.ContentReel, platformtest.Video(2000))
		c.Options = post.Options{TrialReel: value, UserTags: []string{"ada"}, AIGenerated: new(true)}
		_, err := b.connector.Prepare(t.Context(), b.account, c, "")
		require.NoError(t, err)
		form := b.script.Requests()[0].Form(t)
		require.JSONEq(t, `{"graduation_strategy":"`+want+`"}`, form.Get("trial_params"))
		require.JSONEq(t, `[{"username":"ada"}]`, form.Get("user_tags"))
		require.Equal(t, "true", form.Get("is_ai_generated"))
	}
}

// pathsOnly replaces the URLs in a form with their last path segment.
func pathsOnly(t *testing.T, form url.Values) url.Values {
	t.Helper()
	for _, name := range []string{"image_url", "video_url"} {
		if form.Has(name) {
			address := form.Get(name)
			require.Contains(t, address, "?signature=secret")
			form.Set(name, address[strings.LastIndexByte(address, '/'):strings.IndexByte(address, '?')])
		}
	}
	return form
}

func TestCarousel(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]platformtest.Response{
		createCall: {ok(`{"id":"1"}`), ok(`{"id":"2"}`), ok(`{"id":"178"}`)}, statusCall: {status("FINISHED", "")},
		"GET /v26.0/1": {status("FINISHED", "")}, "GET /v26.0/2": {status("FINISHED", "")},
	})
	c := content(t, post.ContentPost, photo(), platformtest.Video(2000))
	first, err := b.connector.Prepare(t.Context(), b.account, c, "")
	require.NoError(t, err)
	require.False(t, first.Ready)
	second, err := b.connector.Prepare(t.Context(), b.account, c, first.Handle)
	require.NoError(t, err)
	require.Equal(t, platform.Preparation{Handle: handle, Ready: true}, second)

	var forms []url.Values
	for _, r := range b.script.Requests() {
		if r.Method == http.MethodPost {
			form := pathsOnly(t, r.Form(t))
			form.Del("access_token")
			forms = append(forms, form)
		}
	}
	require.Equal(t, []url.Values{
		{"is_carousel_item": {"true"}, "image_url": {"/photo.jpg"}},
		{"is_carousel_item": {"true"}, "media_type": {"VIDEO"}, "video_url": {"/video.mp4"}},
		{"media_type": {"CAROUSEL"}, "children": {"1,2"}, "caption": {"Hello & welcome"}},
	}, forms)
}

// TestTagsOfCarousel checks that the first picture has the tags, also behind a video.
func TestTagsOfCarousel(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]platformtest.Response{
		createCall: {ok(`{"id":"1"}`), ok(`{"id":"2"}`), ok(`{"id":"3"}`), ok(`{"id":"178"}`)}, statusCall: {status("FINISHED", "")},
		"GET /v26.0/1": {status("FINISHED", "")}, "GET /v26.0/2": {status("FINISHED", "")}, "GET /v26.0/3": {status("FINISHED", "")},
	})
	c := content(t, post.ContentPost, platformtest.Video(2000), photo(), photo())
	c.Options.UserTags = []string{"ada"}
	_, err := b.connector.Prepare(t.Context(), b.account, c, "")
	require.NoError(t, err)
	var tagged []bool
	for _, r := range b.script.Requests() {
		if form := r.Form(t); form.Has("is_carousel_item") {
			tagged = append(tagged, form.Has("user_tags"))
		}
	}
	require.Equal(t, []bool{false, true, false}, tagged)
}

func TestPostsWithoutMediaAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	_, err := b.connector.Prepare(t.Context(), b.account, platform.Content{Text: "Hello"}, "")
	require.Equal(t, platform.CodeMediaRefused, platformtest.Failure(t, err).Code)
	require.Equal(t, platform.ClassRejected, platformtest.Failure(t, err).Class)

	withoutFiles := platform.Content{Media: []media.Asset{{Type: media.Image}}}
	_, err = b.connector.Prepare(t.Context(), b.account, withoutFiles, "")
	require.Equal(t, platform.ClassUnknown, platformtest.Failure(t, err).Class, "a fault of ours, and no verdict")
	require.Empty(t, b.script.Requests())
}

// TestFailedContainers checks that the error code in the container's text decides.
func TestFailedContainers(t *testing.T) {
	t.Parallel()
	const failed = "Error: Media upload has failed with error code "
	for name, c := range map[string]struct {
		words string
		code  string // empty: a new container is created
		class platform.Class
	}{
		"no words":        {"", "", ""},
		"no number":       {"Error: something", "", ""},
		"servers":         {failed + "2207001", "", ""},
		"servers, too":    {failed + "2207082: try again", "", ""},
		"fetch":           {failed + "2207077", "", ""},
		"expired":         {failed + "2207020", "", ""},
		"format":          {failed + "2207026", platform.CodeMediaRefused, platform.ClassRejected},
		"shape":           {failed + "2207009", platform.CodeMediaRefused, platform.ClassRejected},
		"a new number":    {failed + "2207999", platform.CodeMediaRefused, platform.ClassRejected},
		"restricted":      {failed + "2207050", instagram.CodeAccount, platform.ClassUser},
		"another's digit": {failed + "12207026", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{
				createCall: {ok(`{"id":"179"}`)}, statusCall: {status("ERROR", c.words)},
				"GET /v26.0/179": {status("FINISHED", "")},
			})
			preparation, err := b.connector.Prepare(t.Context(), b.account, picture(t), handle)
			if c.code == "" {
				require.NoError(t, err)
				require.Equal(t, platform.Preparation{
					Handle: `{"container":"179","since":1800000000,"made":1800000000,"again":1}`, Ready: true,
				}, preparation)
				return
			}
			failure := platformtest.Failure(t, err)
			require.Equal(t, c.class, failure.Class)
			require.Equal(t, c.code, failure.Code)
			require.NotEmpty(t, failure.Message)
		})
	}
}

func TestUnfetchableMediaFails(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]platformtest.Response{statusCall: {status("ERROR", "2207052")}})
	_, err := b.connector.Prepare(t.Context(), b.account, picture(t),
		`{"container":"178","since":1800000000,"made":1800000000,"again":4}`)
	require.Equal(t, instagram.CodeUnreachable, platformtest.Failure(t, err).Code)
	require.Equal(t, platform.ClassTransient, platformtest.Failure(t, err).Class)
}

func TestInvalidStatuses(t *testing.T) {
	t.Parallel()
	for name, response := range map[string]platformtest.Response{
		"no members": ok("{}"), "a page": ok("<html>"), "down": {Status: 503}, "a new word": status("PONDERING", ""),
	} {
		b := setup(t, map[string][]platformtest.Response{statusCall: {response}})
		_, err := b.connector.Prepare(t.Context(), b.account, picture(t), handle)
		require.Equal(t, platform.ClassTransient, platformtest.Failure(t, err).Class, name)
	}
}

func TestCommit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		media platformtest.Response
		url   string
	}{
		"with permalink": {
			ok(`{"id":"180","permalink":"https://www.instagram.com/p/AbC/"}`), "https://www.instagram.com/p/AbC/",
		},
		"permalink fails": {platformtest.Response{Status: 500}, ""},
		"of another post": {ok(`{"id":"181","permalink":"https://www.instagram.com/p/AbC/"}`), ""},
		"a script":        {ok(`{"id":"180","permalink":"javascript:alert(1)"}`), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{publishCall: {ok(`{"id":"180"}`)}, mediaCall: {c.media}})
			publication, err := b.connector.Commit(t.Context(), b.account, picture(t), handle)
			require.NoError(t, err)
			require.Equal(t, platform.Publication{ExternalID: "180", URL: c.url}, publication)
			require.Equal(t, "178", b.script.Requests()[0].Form(t).Get("creation_id"))
		})
	}
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]platformtest.Response{refreshCall: {ok(`{"access_token":"token-2","expires_in":3600}`)}})
	fresh, err := b.connector.Refresh(t.Context(), b.account)
	require.NoError(t, err)
	require.Equal(t, channel.Credentials{
		AccessToken: "token-2", IssuedAt: now(), ExpiresAt: now().Add(time.Hour),
	}, fresh)
	require.Equal(t, "ig_refresh_token", b.script.Requests()[0].Query.Get("grant_type"))

	b = setup(t, map[string][]platformtest.Response{refreshCall: {graph(400, 190, 463, "expired")}})
	_, err = b.connector.Refresh(t.Context(), b.account)
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
	require.NotContains(t, err.Error(), "token/1")
}
