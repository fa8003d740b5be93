package x_test

import (
	"context"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/x"
	"fencepost.internal/shared/platform/platformtest"
)

const (
	initializeCall = "POST /2/media/upload/initialize"
	appendCall     = "POST /2/media/upload/71/append"
	finalizeCall   = "POST /2/media/upload/71/finalize"
	statusCall     = "GET /2/media/upload"
	metadataCall   = "POST /2/media/metadata"
	segment        = 4 << 20
)

// uploading is a bundle whose post has attachments and whose clock advances with every call.
type uploading struct {
	*bundle

	storage *platformtest.Storage
	clock   *clocktest.Fake
	step    time.Duration // duration of a call
}

func setupUpload(
	t *testing.T, responses map[string][]platformtest.Response, attachments ...platformtest.Attachment,
) *uploading {
	t.Helper()
	defaults := map[string][]platformtest.Response{
		initializeCall: {{Body: `{"data":{"id":"71","expires_after_secs":86400}}`}},
		appendCall:     {{Body: `{"data":{}}`}},
		finalizeCall:   {{Body: `{"data":{"id":"71"}}`}},
		publishCall:    {{Status: http.StatusCreated, Body: `{"data":{"id":"1"}}`}},
	}
	for key, list := range responses {
		defaults[key] = list
	}
	u := &uploading{
		bundle: setup(t, defaults), clock: clocktest.New(now()), storage: platformtest.Files(t, attachments...),
	}
	connector, err := x.New(x.Config{Wire: httpcall.Config{
		BaseURL: u.script.URL, Clock: u.clock,
		Observe: func(context.Context, httpcall.Exchange) { u.clock.Advance(u.step) },
	}, ClientID: "client"})
	require.NoError(t, err)
	u.connector, u.content.Files = connector, u.storage
	for _, a := range attachments {
		u.content.Media = append(u.content.Media, a.Asset)
	}
	t.Cleanup(func() { require.Zero(t, u.storage.Unclosed(), "files were not closed") })
	return u
}

func (u *uploading) prepare(t *testing.T, handle platform.Handle) platform.Preparation {
	t.Helper()
	preparation, err := u.connector.Prepare(t.Context(), u.account, u.content, handle)
	require.NoError(t, err)
	return preparation
}

// calls returns the names of the calls so far.
func (u *uploading) calls() string {
	var calls []string
	for _, r := range u.script.Requests() {
		name := r.Path[strings.LastIndex(r.Path, "/")+1:]
		if r.Method == http.MethodGet {
			name = "status"
		}
		calls = append(calls, name)
	}
	return strings.Join(calls, " ")
}

// parts reads a multipart body.
func parts(t *testing.T, r platformtest.Recorded) map[string]string {
	t.Helper()
	_, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	require.NoError(t, err)
	reader, found := multipart.NewReader(strings.NewReader(r.Body), parameters["boundary"]), make(map[string]string)
	for {
		part, err := reader.NextPart()
		if err != nil {
			require.ErrorIs(t, err, io.EOF)
			return found
		}
		content, err := io.ReadAll(part)
		require.NoError(t, err)
		found[part.FormName()] = string(content)
	}
}

func info(state, more string) platformtest.Response {
	return platformtest.Response{Body: fmt.Sprintf(`{"data":{"id":"71","processing_info":{"state":%q%s}}}`, state, more)}
}

func refusal(status int) platformtest.Response {
	return platformtest.Response{Status: status, Body: `{"title":"T","type":"about:blank","detail":"no"}`}
}

func TestTextNeedsNoPreparation(t *testing.T) {
	t.Parallel()

	b := setup(t, nil)
	for _, handle := range []platform.Handle{"", "left by another version"} {
		preparation, err := b.connector.Prepare(t.Context(), b.account, b.content, handle)
		require.NoError(t, err)
		require.Equal(t, platform.Preparation{Ready: true}, preparation)
	}
	require.Empty(t, b.script.Requests())
}

func TestPictureIsUploadedAndPosted(t *testing.T) {
	t.Parallel()

	picture := platformtest.Picture(t, 1)
	u := setupUpload(t, nil, picture)
	ready := u.prepare(t, "")
	require.True(t, ready.Ready)
	require.Equal(t, "initialize append finalize", u.calls())
	requests := u.script.Requests()
	require.JSONEq(t, fmt.Sprintf(`{"media_type":"image/jpeg","total_bytes":%d,"media_category":"tweet_image"}`,
		len(picture.Bytes)), requests[0].Body)
	require.Equal(t, map[string]string{"segment_index": "0", "media": string(picture.Bytes)}, parts(t, requests[1]))
	for _, request := range requests {
		require.Equal(t, "Bearer access-1", request.Header.Get("Authorization"))
	}

	require.Equal(t, ready, u.prepare(t, ready.Handle), "ready, without a call")
	u.content.Text = ""
	_, err := u.connector.Commit(t.Context(), u.account, u.content, ready.Handle)
	require.NoError(t, err)
	requests = u.script.Requests()
	require.JSONEq(t, `{"text":"","media":{"media_ids":["71"]}}`, requests[3].Body)
	require.Len(t, requests, 4)
}

// TestAltTextsAreSentOnce checks that texts are sent after the processing, and again only if X did not confirm.
func TestAltTextsAreSentOnce(t *testing.T) {
	t.Parallel()

	files := platformtest.Described([]platformtest.Attachment{platformtest.GIF(t), platformtest.Picture(t, 1)})
	u := setupUpload(t, map[string][]platformtest.Response{
		finalizeCall: {info("pending", `,"check_after_secs":1`), {Body: `{"data":{"id":"71"}}`}},
		statusCall:   {info("succeeded", "")}, metadataCall: {{Status: 503}, {Body: `{"data":{"id":"71"}}`}},
	}, files...)
	first := u.prepare(t, "")
	require.False(t, first.Ready, "the animation is being processed, and the text of the picture was not confirmed")
	second := u.prepare(t, first.Handle)
	require.True(t, second.Ready)
	require.Equal(t, second, u.prepare(t, second.Handle))
	var texts []string
	for _, r := range u.script.Requests() {
		if r.Path == "/2/media/metadata" {
			texts = append(texts, r.Body)
		}
	}
	body := func(i int) string {
		return fmt.Sprintf(`{"id":"71","metadata":{"alt_text":{"text":%q}}}`, files[i].Asset.AltText)
	}
	require.Len(t, texts, 3)
	for i, of := range []int{1, 0, 1} {
		require.JSONEq(t, body(of), texts[i])
	}

	u = setupUpload(t, map[string][]platformtest.Response{metadataCall: {refusal(http.StatusBadRequest)}},
		platformtest.Described(platformtest.Pictures(t, 1))...)
	_, err := u.connector.Prepare(t.Context(), u.account, u.content, "")
	require.Equal(t, platform.ClassRejected, platformtest.Failure(t, err).Class)

	u = setupUpload(t, nil, platformtest.Described([]platformtest.Attachment{platformtest.Video(2000)})...)
	require.True(t, u.prepare(t, "").Ready)
	require.Equal(t, "initialize append finalize", u.calls(), "X has no texts of videos")
}

func TestKindsOfAttachments(t *testing.T) {
	t.Parallel()

	still := platformtest.GIF(t)
	still.Asset.Probe.Frames = 1
	for name, test := range map[string]struct {
		attachment platformtest.Attachment
		category   string
	}{
		"video": {platformtest.Video(2000), "tweet_video"}, "animation": {platformtest.GIF(t), "tweet_gif"},
		"still GIF": {still, "tweet_image"}, "picture": {platformtest.Picture(t, 1), "tweet_image"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			u := setupUpload(t, nil, test.attachment)
			require.True(t, u.prepare(t, "").Ready)
			require.Contains(t, u.script.Requests()[0].Body, `"media_category":"`+test.category+`"`)
		})
	}

	u := setupUpload(t, nil, platformtest.Document())
	_, err := u.connector.Prepare(t.Context(), u.account, u.content, "")
	require.Equal(t, platform.ClassRejected, platformtest.Failure(t, err).Class)
	require.Empty(t, u.script.Requests())
}

// TestLargeVideoIsUploadedInManyCalls checks that each Prepare sends for less than a minute, and that the next one continues
// at the following segment.
func TestLargeVideoIsUploadedInManyCalls(t *testing.T) {
	t.Parallel()

	video := platformtest.Video(5*segment + 1)
	u := setupUpload(t, nil, video)
	u.step = 15 * time.Second
	handle, sent, rounds := platform.Handle(""), "", 0
	for {
		before := u.clock.Now()
		preparation := u.prepare(t, handle)
		require.LessOrEqual(t, u.clock.Now().Sub(before), time.Minute)
		require.NotEqual(t, handle, preparation.Handle)
		require.Zero(t, preparation.Wait)
		handle = preparation.Handle
		if rounds++; preparation.Ready {
			break
		}
	}
	require.Equal(t, 3, rounds)
	require.Equal(t, "initialize append append append append append append finalize", u.calls())
	for i, request := range u.script.Requests()[1:7] {
		part := parts(t, request)
		require.Equal(t, strconv.Itoa(i), part["segment_index"])
		sent += part["media"]
	}
	require.Equal(t, string(video.Bytes), sent)
}

// slowFiles delays the opening of files.
type slowFiles struct {
	platform.Files

	clock   *clocktest.Fake
	elapsed time.Duration
	opened  int
}

// Open advances the clock and opens the file.
func (s *slowFiles) Open(ctx context.Context, asset media.Asset) (platform.File, error) {
	s.clock.Advance(s.elapsed)
	s.opened++
	return s.Files.Open(ctx, asset)
}

// TestOpeningFilesDoesNotReduceSendTime checks that each Prepare, which opens the files again, sends at least one
// segment, and that the upload completes, even if storage and network are slow.
func TestOpeningFilesDoesNotReduceSendTime(t *testing.T) {
	t.Parallel()

	const opening = 10 * time.Minute
	video := platformtest.Video(2*segment + 1)
	for name, test := range map[string]struct {
		videos []platformtest.Attachment
		call   time.Duration
		rounds int
		opened int
		calls  string
	}{
		"at once": {[]platformtest.Attachment{video}, 0, 1, 1, "initialize append append append finalize"},
		"in many calls": {
			[]platformtest.Attachment{video}, 15 * time.Second, 2, 2, "initialize append append append finalize",
		},
		"a segment at a time": {
			[]platformtest.Attachment{video}, 50 * time.Second, 3, 3, "initialize append append append finalize",
		},
		"two at once": {
			[]platformtest.Attachment{video, platformtest.Video(1)},
			0, 1, 2,
			"initialize append append append finalize initialize append finalize",
		},
		"the second on its own": {
			[]platformtest.Attachment{platformtest.Video(1), video},
			15 * time.Second, 3, 3,
			"initialize append finalize initialize append append append finalize",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			u := setupUpload(t, nil, test.videos...)
			files := &slowFiles{Files: u.storage, clock: u.clock, elapsed: opening}
			u.step, u.content.Files = test.call, files
			var kept platform.Preparation
			for round := range test.rounds {
				before, opened, sent := u.clock.Now(), files.opened, strings.Count(u.calls(), "append")
				kept = u.prepare(t, kept.Handle)
				require.Greater(t, strings.Count(u.calls(), "append"), sent, "nothing was sent")
				sending := u.clock.Now().Sub(before) - time.Duration(files.opened-opened)*opening
				require.LessOrEqual(t, sending, max(time.Minute, 3*test.call))
				require.Equal(t, round == test.rounds-1, kept.Ready)
			}
			require.Equal(t, test.opened, files.opened)
			require.Equal(t, test.calls, u.calls())
		})
	}
}

func TestPrepareWaitsForProcessing(t *testing.T) {
	t.Parallel()

	u := setupUpload(t, map[string][]platformtest.Response{
		finalizeCall: {info("pending", `,"check_after_secs":7`)},
		statusCall: {
			info("in_progress", `,"check_after_secs":3600`), info("a new state", ""), {Status: 503}, info("succeeded", ""),
		},
	}, platformtest.Video(2000))
	first := u.prepare(t, "")
	require.Equal(t, 7*time.Second, first.Wait)
	require.False(t, first.Ready)
	require.Equal(t, "initialize append finalize", u.calls(), "X said when to ask")
	second := u.prepare(t, first.Handle)
	require.Equal(t, platform.Preparation{Handle: first.Handle, Wait: time.Minute}, second)
	require.Equal(t, time.Second, u.prepare(t, first.Handle).Wait)
	_, err := u.connector.Prepare(t.Context(), u.account, u.content, first.Handle)
	require.Equal(t, platform.ClassTransient, platformtest.Failure(t, err).Class)
	done := u.prepare(t, first.Handle)
	require.True(t, done.Ready)
	require.Equal(t, "STATUS", u.script.Requests()[3].Query.Get("command"))
	require.Equal(t, "71", u.script.Requests()[3].Query.Get("media_id"))
	require.Equal(t, done, u.prepare(t, done.Handle))

	_, err = u.connector.Commit(t.Context(), u.account, u.content, first.Handle)
	require.Equal(t, platform.ClassTransient, platformtest.Failure(t, err).Class, "not ready")
	require.NotContains(t, u.calls(), "tweets")
}

func TestUnsupportedFile(t *testing.T) {
	t.Parallel()

	const refused = `,"error":{"code":1,"name":"InvalidMedia","message":"access-1 is no codec"}`
	for name, responses := range map[string]map[string][]platformtest.Response{
		"at once": {finalizeCall: {info("failed", refused)}},
		"later": {
			finalizeCall: {info("pending", "")}, statusCall: {info("failed", refused)},
		},
		"at once, twice, for reasons of X's own": {finalizeCall: {info("failed", `,"error":{"name":"InternalError"}`)}},
		"twice for reasons of X's own": {
			finalizeCall: {info("pending", "")}, statusCall: {info("failed", `,"error":{"name":"InternalError"}`)},
		},
		"gone twice":    {finalizeCall: {info("pending", "")}, statusCall: {refusal(404)}},
		"no segment":    {appendCall: {refusal(400)}},
		"not the end":   {finalizeCall: {refusal(400)}},
		"not the start": {initializeCall: {refusal(403)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			u := setupUpload(t, responses, platformtest.Video(2000))
			handle := platform.Handle("")
			for range 5 {
				preparation, err := u.connector.Prepare(t.Context(), u.account, u.content, handle)
				if err != nil {
					failure := platformtest.Failure(t, err)
					require.Equal(t, platform.ClassRejected, failure.Class, "%v", err)
					require.Equal(t, platform.CodeMediaRefused, failure.Code)
					require.Contains(t, failure.Message, "attachment 1")
					require.NotContains(t, failure.Message, "codec")
					return
				}
				handle = preparation.Handle
			}
			require.Fail(t, "no end to it", u.calls())
		})
	}
}

// TestUnnamedFailureIsRetriedOnce checks that a file whose processing failed without a reason is uploaded a
// second time, and only then refused (truth check X5).
func TestUnnamedFailureIsRetriedOnce(t *testing.T) {
	t.Parallel()
	u := setupUpload(t, map[string][]platformtest.Response{
		finalizeCall: {info("pending", "")}, statusCall: {info("failed", ""), info("succeeded", "")},
	}, platformtest.Video(2000))
	handle, ready := platform.Handle(""), false
	for range 4 {
		preparation := u.prepare(t, handle)
		handle, ready = preparation.Handle, preparation.Ready
	}
	require.True(t, ready)
	require.Equal(t, "initialize append finalize status initialize append finalize status", u.calls())
}

// TestUploadKeepsItsSegmentSize checks that an upload continues with the segments it began with after the setting has
// changed, also if it began before the size was a setting (truth check X4).
func TestUploadKeepsItsSegmentSize(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	for name, old := range map[string]bool{"of the setting": false, "of before the setting": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := setupUpload(t, map[string][]platformtest.Response{appendCall: {{}, {Status: 503}, {}}},
				platformtest.Video(2*segment+5))
			kept := u.prepare(t, "")
			require.Contains(t, string(kept.Handle), `"segment":4194304`)
			if old {
				kept.Handle = platform.Handle(strings.Replace(string(kept.Handle), `"segment":4194304,`, "", 1))
			}
			smaller, err := x.New(x.Config{
				Wire: httpcall.Config{BaseURL: u.script.URL, Clock: u.clock}, ClientID: "client", SegmentSize: size,
			})
			require.NoError(t, err)
			u.connector = smaller
			require.True(t, u.prepare(t, kept.Handle).Ready)
			require.Equal(t, "initialize append append append append finalize", u.calls())
		})
	}
	u := setupUpload(t, nil, platformtest.Video(2*size+5))
	smaller, err := x.New(x.Config{
		Wire: httpcall.Config{BaseURL: u.script.URL, Clock: u.clock}, ClientID: "client", SegmentSize: size,
	})
	require.NoError(t, err)
	u.connector = smaller
	require.True(t, u.prepare(t, "").Ready)
	require.Equal(t, "initialize append append append finalize", u.calls())
}

// TestUploadContinuesAfterFailure checks that the progress before a temporary failure is kept.
func TestUploadContinuesAfterFailure(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		responses map[string][]platformtest.Response
		wait      time.Duration
		calls     string
	}{
		"a segment that failed": {
			map[string][]platformtest.Response{appendCall: {{}, {Status: 503}, {}}},
			5 * time.Second,
			"initialize append append append append finalize",
		},
		"a limit": {
			map[string][]platformtest.Response{
				appendCall: {{}, {Status: 429, Header: map[string]string{"Retry-After": "90"}}, {}},
			},
			5 * time.Second,
			"initialize append append append append finalize",
		},
		"a token": {
			map[string][]platformtest.Response{appendCall: {{}, refusal(401), {}}},
			5 * time.Second,
			"initialize append append append append finalize",
		},
		"an end without answer, not made": {
			map[string][]platformtest.Response{finalizeCall: {{Status: 502}, {Body: `{"data":{"id":"71"}}`}}},
			5 * time.Second,
			"initialize append append append finalize finalize",
		},
		"an end without answer, made": {
			map[string][]platformtest.Response{
				finalizeCall: {{Body: "<html>"}, refusal(400)}, statusCall: {info("succeeded", "")},
			},
			5 * time.Second,
			"initialize append append append finalize finalize status",
		},
		"an end that another upload's answer follows": {
			map[string][]platformtest.Response{finalizeCall: {{Body: `{"data":{"id":"72"}}`}, {Body: `{"data":{"id":"71"}}`}}},
			5 * time.Second,
			"initialize append append append finalize finalize",
		},
		"an upload that X deleted": {
			map[string][]platformtest.Response{appendCall: {{}, {Status: 503}, refusal(404), {}}},
			5 * time.Second,
			"initialize append append append initialize append append append finalize",
		},
		"an end that X refuses for good": {
			map[string][]platformtest.Response{
				finalizeCall: {{Status: 502}, refusal(400), {Body: `{"data":{"id":"71"}}`}},
				statusCall:   {{Body: `{"data":{"id":"71"}}`}},
			},
			5 * time.Second,
			"initialize append append append finalize finalize status initialize append append append finalize",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			u := setupUpload(t, test.responses, platformtest.Video(2*segment+5))
			kept := u.prepare(t, "")
			require.False(t, kept.Ready)
			require.Equal(t, test.wait, kept.Wait)
			require.True(t, u.prepare(t, kept.Handle).Ready)
			require.Equal(t, test.calls, u.calls())
		})
	}
}

func TestFailureWithoutProgressIsReported(t *testing.T) {
	t.Parallel()

	problems := func(status int, name string) platformtest.Response {
		return platformtest.Response{Status: status, Body: `{"type":"https://api.x.com/2/problems/` + name + `"}`}
	}
	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
	}{
		"down":           {platformtest.Response{Status: 503}, platform.ClassTransient},
		"a page":         {platformtest.Response{Body: "<html>"}, platform.ClassTransient},
		"a refused page": {platformtest.Response{Status: 403, Body: "<html>"}, platform.ClassTransient},
		"a hostile id":   {platformtest.Response{Body: `{"data":{"id":"../71"}}`}, platform.ClassTransient},
		"duplicate": {
			platformtest.Response{Status: 403, Body: `{"detail":"duplicate content"}`}, platform.ClassTransient,
		},
		"expired":          {refusal(401), platform.ClassRefresh},
		"limited":          {refusal(429), platform.ClassRateLimited},
		"capped":           {problems(403, "usage-capped"), platform.ClassOperator},
		"no right":         {problems(403, "not-authorized-for-resource"), platform.ClassReconnect},
		"too large":        {refusal(413), platform.ClassRejected},
		"invalid":          {problems(400, "invalid-request"), platform.ClassRejected},
		"not there at all": {refusal(404), platform.ClassRejected},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			u := setupUpload(t, map[string][]platformtest.Response{initializeCall: {test.response}}, platformtest.Picture(t, 1))
			_, err := u.connector.Prepare(t.Context(), u.account, u.content, "")
			failure := platformtest.Failure(t, err)
			require.Equal(t, test.class, failure.Class, "%v", err)
			require.NotEmpty(t, failure.Message)
			require.NotContains(t, err.Error(), "access-1")
		})
	}
}

func TestFailedFiles(t *testing.T) {
	t.Parallel()

	video := platformtest.Video(2*segment + 5)
	u := setupUpload(t, map[string][]platformtest.Response{appendCall: {{}, {Status: 503}, {}}}, video)
	kept := u.prepare(t, "")
	u.storage.Fail(&platform.Failure{Class: platform.ClassTransient, Code: "STORAGE_DOWN", Message: "down"})
	_, err := u.connector.Prepare(t.Context(), u.account, u.content, kept.Handle)
	require.Equal(t, "STORAGE_DOWN", platformtest.Failure(t, err).Code)
	u.storage.Fail(nil)

	other := platformtest.Video(3000)
	other.Asset.ID = video.Asset.ID
	u.content.Files = platformtest.Files(t, other)
	require.True(t, u.prepare(t, kept.Handle).Ready)
	require.Equal(t, "initialize append append initialize append finalize", u.calls(), "another copy starts anew")
	require.Contains(t, u.script.Requests()[3].Body, `"total_bytes":3000`)

	u.content.Files = nil
	_, err = u.connector.Prepare(t.Context(), u.account, u.content, "")
	require.Error(t, err)
	u.account.Credentials.AccessToken = ""
	_, err = u.connector.Prepare(t.Context(), u.account, u.content, "")
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
}

func TestUploadsExpire(t *testing.T) {
	t.Parallel()

	u := setupUpload(t, map[string][]platformtest.Response{
		initializeCall: {
			{Body: `{"data":{"id":"71","expires_after_secs":999999999}}`},
			{Body: `{"data":{"id":"71","expires_after_secs":7200}}`},
		},
	}, platformtest.Picture(t, 1))
	ready := u.prepare(t, "")
	u.clock.Advance(23*time.Hour - time.Second)
	require.Equal(t, ready, u.prepare(t, ready.Handle))
	u.clock.Advance(time.Second)
	again := u.prepare(t, ready.Handle)
	require.True(t, again.Ready)
	require.NotEqual(t, ready.Handle, again.Handle)
	require.Equal(t, "initialize append finalize initialize append finalize", u.calls())
	u.clock.Advance(90 * time.Minute)
	_, err := u.connector.Commit(t.Context(), u.account, u.content, again.Handle)
	require.NoError(t, err, "it lives on for half an hour")
	u.clock.Advance(30 * time.Minute)
	_, err = u.connector.Commit(t.Context(), u.account, u.content, again.Handle)
	require.Equal(t, platform.CodeMediaNotUploaded, platformtest.Failure(t, err).Code)
}

// TestForeignHandles checks that a handle that does not match the attachments is not continued.
func TestForeignHandles(t *testing.T) {
	t.Parallel()

	first, second := platformtest.Picture(t, 1), platformtest.Picture(t, 2)
	own := setupUpload(t, nil, first, second)
	handle := own.prepare(t, "").Handle
	for name, test := range map[string]struct {
		handle      platform.Handle
		attachments []platformtest.Attachment
	}{
		"nothing":       {"", []platformtest.Attachment{first, second}},
		"no JSON":       {"179000", []platformtest.Attachment{first, second}},
		"a list":        {"[]", []platformtest.Attachment{first, second}},
		"another order": {handle, []platformtest.Attachment{second, first}},
		"one less":      {handle, []platformtest.Attachment{first}},
		"another format": {
			platform.Handle(strings.Replace(string(handle), `"v":1`, `"v":2`, 1)), []platformtest.Attachment{first, second},
		},
		"a hostile id": {
			platform.Handle(strings.ReplaceAll(string(handle), `"71"`, `"../7"`)), []platformtest.Attachment{first, second},
		},
		"another stage": {
			platform.Handle(strings.ReplaceAll(string(handle), `"ready"`, `"done"`)), []platformtest.Attachment{first, second},
		},
		"too far": {
			platform.Handle(strings.ReplaceAll(string(handle), `"next":1`, `"next":9`)),
			[]platformtest.Attachment{first, second},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			u := setupUpload(t, nil, test.attachments...)
			_, err := u.connector.Commit(t.Context(), u.account, u.content, test.handle)
			require.Equal(t, platform.ClassTransient, platformtest.Failure(t, err).Class)
			require.Empty(t, u.script.Requests())
			require.True(t, u.prepare(t, test.handle).Ready)
			require.Len(t, u.script.Requests(), 3*len(test.attachments))
		})
	}
}

func TestReconcileWithMedia(t *testing.T) {
	t.Parallel()

	attached := func(keys string) string {
		return `,"attachments":{"media_keys":[` + keys +
			`]},"entities":{"urls":[{"url":"https://t.co/pic","expanded_url":"https://x.com/a/status/7/photo/1","media_key":"3_1"}]}`
	}
	const ours, others = `"3_71"`, `"3_99"`
	for name, test := range map[string]struct {
		text, handle string
		page         []string
		want         platform.Evidence
		id           string
	}{
		"text and upload": {
			"Hello", "", []string{listed("7", "Hello https://t.co/pic", 0, attached(ours))}, platform.EvidenceFound, "7",
		},
		"upload alone": {
			"", "", []string{listed("7", "https://t.co/pic", 0, attached(ours))}, platform.EvidenceFound, "7",
		},
		"upload, and a text X changed": {
			"Hello", "", []string{listed("7", "H*llo https://t.co/pic", 0, attached(ours))}, platform.EvidenceFound, "7",
		},
		"text and a key of another shape": {
			"Hello", "", []string{listed("7", "Hello https://t.co/pic", 0, attached(`"abc"`))}, platform.EvidenceFound, "7",
		},
		"the upload before the text": {
			"Hello", "",
			[]string{
				listed("8", "Hello https://t.co/pic", 0, attached(others)),
				listed("7", "Hello https://t.co/pic", time.Minute, attached(ours)),
			},
			platform.EvidenceFound, "7",
		},
		"handle unknown": {
			"Hello", "x", []string{listed("7", "Hello https://t.co/pic", 0, attached(others))}, platform.EvidenceFound, "7",
		},
		"text without a picture": {"Hello", "", []string{listed("7", "Hello", 0, "")}, platform.EvidenceUnclear, ""},
		"text with two pictures": {
			"Hello", "x",
			[]string{listed("7", "Hello https://t.co/pic", 0, attached(`"3_5","3_6"`))},
			platform.EvidenceUnclear, "",
		},
		"another picture, no text": {
			"", "", []string{listed("7", "https://t.co/pic", 0, attached(others))}, platform.EvidenceUnclear, "",
		},
		"another text and picture": {
			"Hello", "", []string{listed("7", "Bye https://t.co/pic", 0, attached(others))}, platform.EvidenceAbsent, "",
		},
		"a picture with text, no text": {
			"", "", []string{listed("7", "Bye https://t.co/pic", 0, attached(others))}, platform.EvidenceAbsent, "",
		},
		"nothing": {"Hello", "", nil, platform.EvidenceAbsent, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			u := setupUpload(t, map[string][]platformtest.Response{listCall: {page("", test.page...)}}, platformtest.Picture(t, 1))
			handle := platform.Handle(test.handle)
			if handle == "" {
				handle = u.prepare(t, "").Handle
			}
			evidence, publication, err := u.connector.Reconcile(t.Context(), u.account, u.content, platform.Sent{
				Handle: handle, Text: test.text, At: now(),
			})
			require.NoError(t, err)
			require.Equal(t, test.want, evidence)
			require.Equal(t, test.id, publication.ExternalID)
			if test.handle == "" {
				requests := u.script.Requests()
				require.Contains(t, requests[len(requests)-1].Query.Get("tweet.fields"), "attachments")
			}
		})
	}
}
