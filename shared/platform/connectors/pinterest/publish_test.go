package pinterest_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/pinterest"
	"fencepost.internal/shared/platform/platformtest"
)

const (
	pinCall      = "POST /v5/pins"
	registerCall = "POST /v5/media"
	formCall     = "POST /s3/"
	statusCall   = "GET /v5/media/77"
	listCall     = "GET /v5/boards/11/pins"
)

// pinning is a bundle with a pin to publish.
type pinning struct {
	*bundle

	clock   *clocktest.Fake
	content platform.Content
	storage *platformtest.Storage
}

func setupPin(t *testing.T, responses map[string][]platformtest.Response, files ...platformtest.Attachment) *pinning {
	t.Helper()
	all := map[string][]platformtest.Response{
		pinCall: {{Status: http.StatusCreated, Body: `{"id":"813744226420795884"}`}},
		registerCall: {{Status: http.StatusCreated, Body: `{"media_id":"77","media_type":"video","upload_url":"` +
			platformtest.ScriptURL + `/s3/","upload_parameters":{"policy":"p","key":"k","x-amz-signature":"s"}}`}},
		formCall:   {{Status: http.StatusNoContent}},
		statusCall: {ok(`{"media_id":"77","status":"registered"}`), ok(`{"media_id":"77","status":"processing"}`), ok(`{"media_id":"77","status":"succeeded"}`)},
	}
	for key, list := range responses {
		all[key] = list
	}
	p := &pinning{bundle: setup(t, all), clock: clocktest.New(now()), storage: platformtest.Files(t, files...)}
	connector, err := pinterest.New(pinterest.Config{
		Wire: httpcall.Config{BaseURL: p.script.URL, Clock: p.clock}, PermalinkURL: "https://www.pinterest.com/",
	})
	require.NoError(t, err)
	p.connector = connector
	p.content = platform.Content{
		ContentType: post.ContentPost, Text: "Tiles", Title: "Blue", Files: p.storage,
		Options: post.Options{BoardID: "11", BoardSectionID: "12", Link: "https://example.com/a", AltText: "squares"},
	}
	for _, file := range files {
		p.content.Media = append(p.content.Media, file.Asset)
	}
	t.Cleanup(func() { require.Zero(t, p.storage.Unclosed(), "files were not closed") })
	return p
}

// publish prepares and publishes the pin.
func (p *pinning) publish(t *testing.T) (platform.Publication, error) {
	t.Helper()
	handle := platform.Handle("")
	for range 20 {
		preparation, err := p.connector.Prepare(t.Context(), p.account, p.content, handle)
		if err != nil {
			return platform.Publication{}, err
		}
		if handle = preparation.Handle; preparation.Ready {
			return p.connector.Commit(t.Context(), p.account, p.content, handle)
		}
		p.clock.Advance(max(preparation.Wait, time.Second))
	}
	require.Fail(t, "the pin was never ready")
	return platform.Publication{}, nil
}

func encoded(a platformtest.Attachment) string { return base64.StdEncoding.EncodeToString(a.Bytes) }

// TestFrameOfAVideoPin checks that milliseconds become seconds.
func TestFrameOfAVideoPin(t *testing.T) {
	t.Parallel()
	p := setupPin(t, nil, platformtest.Video(1000))
	p.content.Options.ThumbOffset = new(int64(2500))
	_, err := p.publish(t)
	require.NoError(t, err)
	requests := p.script.Requests()
	require.Contains(t, requests[len(requests)-1].Body, `"cover_image_key_frame_time":2.5`)
}

func TestPins(t *testing.T) {
	t.Parallel()

	pictures, video := platformtest.Pictures(t, 2), platformtest.Video(100_000)
	animation := platformtest.GIF(t)
	texts := `"board_id":"11","board_section_id":"12","title":"Blue","description":"Tiles","link":"https://example.com/a",
		"alt_text":"squares","media_source":`
	for name, test := range map[string]struct {
		files []platformtest.Attachment
		want  string // with LINK for the address of the first file
	}{
		"an image": {
			pictures[:1], `{"source_type":"image_base64","content_type":"image/jpeg","data":"` + encoded(pictures[0]) + `"}`,
		},
		"a carousel": {
			pictures, `{"source_type":"multiple_image_base64","index":0,"items":[
				{"content_type":"image/jpeg","data":"` + encoded(pictures[0]) + `"},
				{"content_type":"image/jpeg","data":"` + encoded(pictures[1]) + `"}]}`,
		},
		"an animation": {[]platformtest.Attachment{animation}, `{"source_type":"image_url","url":"LINK"}`},
		"a video": {
			[]platformtest.Attachment{video}, `{"source_type":"video_id","media_id":"77","cover_image_key_frame_time":1}`,
		},
		"a video with a picture": {
			[]platformtest.Attachment{pictures[0], video}, `{"source_type":"video_id","media_id":"77","cover_image_url":"LINK"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p := setupPin(t, nil, test.files...)
			created, err := p.publish(t)
			require.NoError(t, err)
			require.Equal(t, platform.Publication{
				ExternalID: "813744226420795884", URL: "https://www.pinterest.com/pin/813744226420795884/",
			}, created)
			link, err := p.storage.Link(t.Context(), test.files[0].Asset)
			require.NoError(t, err)
			requests := p.script.Requests()
			sent := requests[len(requests)-1]
			require.JSONEq(t, "{"+texts+strings.Replace(test.want, "LINK", link, 1)+"}", sent.Body)
			require.Equal(t, "application/json", sent.Header.Get("Content-Type"))
			require.Equal(t, "Bearer access/1", sent.Header.Get("Authorization"))
		})
	}
}

// TestVideoUploadForm checks that the file is the last field, and that the storage gets no token.
func TestVideoUploadForm(t *testing.T) {
	t.Parallel()

	video := platformtest.Video(100_000)
	p := setupPin(t, nil, video)
	begun, err := p.connector.Prepare(t.Context(), p.account, p.content, "")
	require.NoError(t, err)
	require.False(t, begun.Ready)
	require.Len(t, p.script.Requests(), 1, "the form is stored before the bytes are sent")
	require.JSONEq(t, `{"media_type":"video"}`, p.script.Requests()[0].Body)
	_, err = p.connector.Prepare(t.Context(), p.account, p.content, begun.Handle)
	require.NoError(t, err)
	form := p.script.Requests()[1]
	require.Empty(t, form.Header.Get("Authorization"))
	_, parameters, err := mime.ParseMediaType(form.Header.Get("Content-Type"))
	require.NoError(t, err)
	reader, names := multipart.NewReader(strings.NewReader(form.Body), parameters["boundary"]), []string{}
	for {
		part, err := reader.NextPart()
		if err != nil {
			require.ErrorIs(t, err, io.EOF)
			break
		}
		content, err := io.ReadAll(part)
		require.NoError(t, err)
		if names = append(names, part.FormName()); part.FormName() == "file" {
			require.Equal(t, string(video.Bytes), string(content))
		}
	}
	require.Equal(t, []string{"key", "policy", "x-amz-signature", "file"}, names)
}

func TestFailedUploads(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		responses map[string][]platformtest.Response
		class     platform.Class
		code      string
		calls     int
	}{
		"processing failed": {
			map[string][]platformtest.Response{statusCall: {ok(`{"status":"failed"}`)}},
			platform.ClassRejected, platform.CodeMediaRefused, 3,
		},
		"the form is refused twice": {
			map[string][]platformtest.Response{formCall: {{Status: http.StatusForbidden, Body: "<Error/>"}}},
			platform.ClassRejected, platform.CodeMediaRefused, 4,
		},
		"gone twice": {
			map[string][]platformtest.Response{statusCall: {refusal(http.StatusNotFound, "Media not found.")}},
			platform.ClassRejected, platform.CodeMediaRefused, 6,
		},
		"not registered": {
			map[string][]platformtest.Response{registerCall: {refusal(http.StatusBadRequest, "no")}},
			platform.ClassRejected, platform.CodeMediaRefused, 1,
		},
		"another host": {
			map[string][]platformtest.Response{registerCall: {ok(`{"media_id":"77","upload_url":"http://127.0.0.1:1/","upload_parameters":{}}`)}},
			platform.ClassTransient, post.ErrorPlatformDown, 1,
		},
		"a hostile field": {
			map[string][]platformtest.Response{registerCall: {ok(`{"media_id":"77","upload_url":"` + platformtest.ScriptURL + `/s3/","upload_parameters":{"a":"b\r\nc"}}`)}},
			platform.ClassTransient, post.ErrorPlatformDown, 1,
		},
		"expired": {
			map[string][]platformtest.Response{registerCall: {refusal(http.StatusUnauthorized, "Authentication failed.")}},
			platform.ClassRefresh, "TOKEN_EXPIRED", 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p := setupPin(t, test.responses, platformtest.Video(1000))
			_, err := p.publish(t)
			failure := platformtest.Failure(t, err)
			require.Equal(t, test.class, failure.Class, "%v", err)
			require.Equal(t, test.code, failure.Code)
			require.Len(t, p.script.Requests(), test.calls)
			requireSafe(t, err)
		})
	}
}

func TestRefusedPins(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
		code     string
	}{
		"board":        {refusal(http.StatusNotFound, "Board not found."), platform.ClassRejected, pinterest.CodeBoardGone},
		"board id":     {refusal(http.StatusBadRequest, `'x' does not match '^\d+$'`), platform.ClassRejected, pinterest.CodeBoardGone},
		"unreachable":  {refusal(http.StatusBadRequest, "Sorry! Unable to reach the URL."), platform.ClassTransient, pinterest.CodeMediaUnreachable},
		"spam":         {refusal(http.StatusBadRequest, "We blocked this link because it may lead to spam."), platform.ClassRejected, pinterest.CodeLink},
		"image":        {refusal(http.StatusBadRequest, "The image is too small"), platform.ClassRejected, platform.CodeMediaRefused},
		"other":        {refusal(http.StatusBadRequest, "no"), platform.ClassRejected, pinterest.CodeRefused},
		"trial access": {refusal(http.StatusForbidden, "Apps with Trial access may not create Pins"), platform.ClassOperator, pinterest.CodeAppAccess},
		"permission":   {refusal(http.StatusForbidden, "no"), platform.ClassReconnect, post.ErrorNeedsReconnect},
		"expired":      {refusal(http.StatusUnauthorized, "no"), platform.ClassRefresh, "TOKEN_EXPIRED"},
		"limited":      {limited("X-RateLimit-Reset", "30"), platform.ClassRateLimited, post.ErrorRateLimited},
		"down":         {refusal(http.StatusServiceUnavailable, "no"), platform.ClassUnknown, post.ErrorOutcomeUnknown},
		"no id":        {ok(`{}`), platform.ClassUnknown, post.ErrorOutcomeUnknown},
		"a proxy":      {platformtest.Response{Status: http.StatusNotFound, Body: "<html>"}, platform.ClassUnknown, post.ErrorOutcomeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p := setupPin(t, map[string][]platformtest.Response{pinCall: {test.response}}, platformtest.Picture(t, 1))
			_, err := p.publish(t)
			failure := platformtest.Failure(t, err)
			require.Equal(t, test.class, failure.Class, "%v", err)
			require.Equal(t, test.code, failure.Code)
			requireSafe(t, err)
		})
	}
}

func TestInvalidPins(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		change func(*pinning)
		class  platform.Class
		code   string
	}{
		"no token":     {func(p *pinning) { p.account.Credentials.AccessToken = "" }, platform.ClassReconnect, post.ErrorNeedsReconnect},
		"no media":     {func(p *pinning) { p.content.Media = nil }, platform.ClassRejected, pinterest.CodeRefused},
		"no board":     {func(p *pinning) { p.content.Options.BoardID = "" }, platform.ClassRejected, pinterest.CodeBoardGone},
		"a wrong path": {func(p *pinning) { p.content.Options.BoardSectionID = "../1" }, platform.ClassRejected, pinterest.CodeBoardGone},
	} {
		p := setupPin(t, nil, platformtest.Picture(t, 1))
		test.change(p)
		_, err := p.publish(t)
		failure := platformtest.Failure(t, err)
		require.Equal(t, test.class, failure.Class, name)
		require.Equal(t, test.code, failure.Code, name)
		require.Empty(t, p.script.Requests(), name)
	}
	p := setupPin(t, nil, platformtest.Video(1000))
	_, err := p.connector.Commit(t.Context(), p.account, p.content, "")
	require.Equal(t, platform.CodeMediaNotUploaded, platformtest.Failure(t, err).Code)
}

func TestUploadsGoOnlyToPinterest(t *testing.T) {
	t.Parallel()

	official, err := pinterest.New(pinterest.Config{Wire: httpcall.Config{Clock: clocktest.New(now())}})
	require.NoError(t, err)
	for address, want := range map[string]bool{
		"https://pinterest-media-upload.s3-accelerate.amazonaws.com/": true,
		"https://media.pinterest.com/a?b=c":                           true,
		"http://pinterest-media-upload.s3.amazonaws.com/":             false,
		"https://amazonaws.com.example.org/":                          false,
		"https://evilamazonaws.com/":                                  false,
		"https://u@s3.amazonaws.com/":                                 false,
		"https://s3.amazonaws.com:81/":                                false,
		"":                                                            false,
	} {
		require.Equal(t, want, official.MayUploadTo(address), address)
	}
}

func listedPin(id, description, more string, at time.Duration) string {
	return fmt.Sprintf(`{"id":%q,"created_at":%q,"title":"Blue","description":%q,"link":"https://example.com/a",
		"alt_text":"squares","media":{"media_type":"image"}%s}`, id, now().Add(at).Format("2006-01-02T15:04:05"), description, more)
}

func pins(bookmark string, items ...string) platformtest.Response {
	return ok(fmt.Sprintf(`{"items":[%s],"bookmark":%q}`, strings.Join(items, ","), bookmark))
}

func TestReconcilePins(t *testing.T) {
	t.Parallel()

	mine, old := listedPin("1", "Tiles", "", 0), listedPin("2", "Other", "", -time.Hour)
	older := listedPin("3", "Other", "", -2*time.Hour)
	for name, test := range map[string]struct {
		pages []platformtest.Response
		taken string
		want  platform.Evidence
	}{
		"found":               {[]platformtest.Response{pins("", mine)}, "", platform.EvidenceFound},
		"on the second page":  {[]platformtest.Response{pins("b", old), pins("", mine)}, "", platform.EvidenceFound},
		"absent":              {[]platformtest.Response{pins("", old)}, "", platform.EvidenceAbsent},
		"an empty board":      {[]platformtest.Response{pins("")}, "", platform.EvidenceAbsent},
		"absent, in order":    {[]platformtest.Response{pins("b", old), pins("c", older), pins("d", mine)}, "", platform.EvidenceAbsent},
		"oldest first":        {[]platformtest.Response{pins("b", older), pins("c", old), pins("", mine)}, "", platform.EvidenceFound},
		"no order, no end":    {[]platformtest.Response{pins("b", older), pins("c", old), pins("b", older), pins("c", old)}, "", platform.EvidenceUnclear},
		"taken":               {[]platformtest.Response{pins("", mine)}, "1", platform.EvidenceAbsent},
		"another link":        {[]platformtest.Response{pins("", strings.Replace(mine, "/a", "/b", 1))}, "", platform.EvidenceUnclear},
		"another alt text":    {[]platformtest.Response{pins("", strings.Replace(mine, "squares", "", 1))}, "", platform.EvidenceUnclear},
		"a video":             {[]platformtest.Response{pins("", strings.Replace(mine, `"image"`, `"video"`, 1))}, "", platform.EvidenceUnclear},
		"another title":       {[]platformtest.Response{pins("", strings.Replace(mine, "Blue", "Red", 1))}, "", platform.EvidenceAbsent},
		"without a time":      {[]platformtest.Response{pins("", strings.Replace(mine, now().Format("2006"), "x", 1))}, "", platform.EvidenceUnclear},
		"an hour ago":         {[]platformtest.Response{pins("", listedPin("1", "Tiles", "", -time.Hour))}, "", platform.EvidenceAbsent},
		"with a zone":         {[]platformtest.Response{pins("", strings.Replace(mine, `:00","title`, `:00-00:00","title`, 1))}, "", platform.EvidenceFound},
		"a slash at the link": {[]platformtest.Response{pins("", strings.Replace(mine, "/a", "/a/", 1))}, "", platform.EvidenceFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			const section = "GET /v5/boards/11/sections/12/pins"
			p := setupPin(t, map[string][]platformtest.Response{section: test.pages}, platformtest.Picture(t, 1))
			evidence, found, err := p.connector.Reconcile(t.Context(), p.account, p.content, platform.Sent{
				Text: p.content.Text, At: now(), Taken: func(id string) bool { return id == test.taken },
			})
			require.NoError(t, err)
			require.Equal(t, test.want, evidence)
			if test.want == platform.EvidenceFound {
				require.Equal(t, "1", found.ExternalID)
			}
			require.Equal(t, "25", p.script.Requests()[0].Query.Get("page_size"))
		})
	}

	p := setupPin(t, map[string][]platformtest.Response{listCall: {refusal(http.StatusForbidden, "no")}}, platformtest.Picture(t, 1))
	p.content.Options.BoardSectionID = ""
	_, _, err := p.connector.Reconcile(t.Context(), p.account, p.content, platform.Sent{Text: "Tiles", At: now()})
	require.Equal(t, platform.CodeReadRefused, platformtest.Failure(t, err).Code)
}
