package telegram_test

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/telegram"
	"fencepost.internal/shared/platform/platformtest"
)

const (
	methods = "POST /bot" + token + "/"
	sent    = `{"ok":true,"result":{"message_id":7,"chat":{"id":-1001234}}}`
	album   = `{"ok":true,"result":[{"message_id":7,"chat":{"id":-1001234}},{"message_id":8,"chat":{"id":-1001234}}]}`
)

// carrying returns a post with these files, and a network that gives the same responses for every method.
func carrying(
	t *testing.T, attachments []platformtest.Attachment, responses ...platformtest.Response,
) (*bundle, *platformtest.Storage) {
	t.Helper()
	b := setup(t)
	script := make(map[string][]platformtest.Response)
	for _, method := range []string{"sendPhoto", "sendVideo", "sendAnimation", "sendDocument", "sendMediaGroup"} {
		script[methods+method] = responses
	}
	b.connect(t, platformtest.NewScript(t, script))
	storage := platformtest.Files(t, attachments...)
	b.content.Files = storage
	for _, a := range attachments {
		b.content.Media = append(b.content.Media, a.Asset)
	}
	return b, storage
}

// posted is a request's form.
type posted struct {
	method string
	fields map[string]string
	files  []upload
}

type upload struct{ field, name, contentType, content string }

func formOf(t *testing.T, r platformtest.Recorded) posted {
	t.Helper()
	p := posted{method: r.Path[strings.LastIndex(r.Path, "/")+1:], fields: make(map[string]string)}
	kind, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	require.NoError(t, err)
	require.Equal(t, "multipart/form-data", kind)
	form := multipart.NewReader(strings.NewReader(r.Body), parameters["boundary"])
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return p
		}
		require.NoError(t, err)
		content, err := io.ReadAll(part)
		require.NoError(t, err)
		if part.FileName() == "" {
			p.fields[part.FormName()] = string(content)
			continue
		}
		p.files = append(p.files, upload{part.FormName(), part.FileName(), part.Header.Get("Content-Type"), string(content)})
	}
}

// retyped returns the attachment with another content type.
func retyped(a platformtest.Attachment, contentType string) platformtest.Attachment {
	a.Asset.ContentType = contentType
	a.Asset.Type, _ = media.TypeOf(contentType)
	return a
}

func TestOneFile(t *testing.T) {
	t.Parallel()

	const text = "Hello <b>& welcome"
	short := platformtest.Video(9_000)
	short.Asset.Probe = media.Probe{Duration: 200 * time.Millisecond}
	long := platformtest.Video(9_000)
	long.Asset.Probe.Duration = 90*time.Second + 600*time.Millisecond
	unknown := platformtest.Video(9_000)
	unknown.Asset.Probe = media.Probe{}
	for name, test := range map[string]struct {
		file   platformtest.Attachment
		text   string
		method string
		fields map[string]string
	}{
		"photo": {platformtest.Picture(t, 1), text, "sendPhoto", map[string]string{"caption": text}},
		"PNG": {
			retyped(platformtest.Picture(t, 1), media.ContentTypePNG), text, "sendPhoto", map[string]string{"caption": text},
		},
		"WebP": {
			retyped(platformtest.Picture(t, 1), media.ContentTypeWebP), text, "sendPhoto", map[string]string{"caption": text},
		},
		"no text": {platformtest.Picture(t, 1), "", "sendPhoto", map[string]string{}},
		"video": {
			platformtest.Video(9_000), text, "sendVideo",
			map[string]string{"caption": text, "width": "720", "height": "1280", "duration": "12", "supports_streaming": "true"},
		},
		"short video": {short, "", "sendVideo", map[string]string{"duration": "1", "supports_streaming": "true"}},
		"long video": {
			long, "", "sendVideo",
			map[string]string{"width": "720", "height": "1280", "duration": "91", "supports_streaming": "true"},
		},
		"video of unknown size": {unknown, "", "sendVideo", map[string]string{"supports_streaming": "true"}},
		"video that is no MP4": {
			retyped(platformtest.Video(9_000), media.ContentTypeMOV), text, "sendDocument", map[string]string{"caption": text},
		},
		"animation": {
			platformtest.GIF(t), text, "sendAnimation",
			map[string]string{"caption": text, "width": "320", "height": "240", "duration": "2"},
		},
		"document": {platformtest.Document(), text, "sendDocument", map[string]string{"caption": text}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b, storage := carrying(t, []platformtest.Attachment{test.file}, platformtest.Response{Body: sent})
			b.content.Text = test.text
			publication, err := b.connector.Commit(t.Context(), b.account, b.content, "")
			require.NoError(t, err)
			require.Equal(t, platform.Publication{ExternalID: "7", URL: "https://t.me/c/1234/7"}, publication)
			require.Len(t, b.script.Requests(), 1)
			form := formOf(t, b.script.Requests()[0])
			require.Equal(t, test.method, form.method)
			test.fields["chat_id"] = "-1001234"
			require.Equal(t, test.fields, form.fields)
			field := strings.ToLower(strings.TrimPrefix(test.method, "send"))
			require.Equal(t, []upload{{field, test.file.Asset.Name, test.file.Asset.ContentType, string(test.file.Bytes)}},
				form.files)
			require.Zero(t, storage.Unclosed())
		})
	}
}

func TestAlbum(t *testing.T) {
	t.Parallel()

	picture, video, paper, still := platformtest.Picture(t,
		1), platformtest.Video(9_000), platformtest.Document(), platformtest.Picture(t, 2)
	mov := retyped(video, media.ContentTypeMOV)
	for name, test := range map[string]struct {
		files []platformtest.Attachment
		media string
	}{
		"photos": {
			[]platformtest.Attachment{picture, still},
			`[{"type":"photo","media":"attach://file0","caption":"Hello <b>& welcome"},{"type":"photo","media":"attach://file1"}]`,
		},
		"mixed": {[]platformtest.Attachment{video, picture}, `[
			{"type":"video","media":"attach://file0","caption":"Hello <b>& welcome","width":720,"height":1280,"duration":12,"supports_streaming":true},
			{"type":"photo","media":"attach://file1"}]`},
		"files": {
			[]platformtest.Attachment{paper, paper},
			`[{"type":"document","media":"attach://file0","caption":"Hello <b>& welcome"},{"type":"document","media":"attach://file1"}]`,
		},
		"one that is neither photo nor video": {
			[]platformtest.Attachment{picture, mov},
			`[{"type":"document","media":"attach://file0","caption":"Hello <b>& welcome"},{"type":"document","media":"attach://file1"}]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b, storage := carrying(t, test.files, platformtest.Response{Body: album})
			publication, err := b.connector.Commit(t.Context(), b.account, b.content, "")
			require.NoError(t, err)
			require.Equal(t, platform.Publication{
				ExternalID: "7", URL: "https://t.me/c/1234/7", Parts: []string{"7", "8"},
			}, publication, "the first message represents all")
			form := formOf(t, b.script.Requests()[0])
			require.Equal(t, "sendMediaGroup", form.method)
			require.JSONEq(t, test.media, form.fields["media"])
			require.True(t, json.Valid([]byte(form.fields["media"])))
			require.Equal(t, "-1001234", form.fields["chat_id"])
			require.Len(t, form.files, 2)
			require.Equal(t, "file0", form.files[0].field)
			require.Equal(t, string(test.files[1].Bytes), form.files[1].content)
			require.Zero(t, storage.Unclosed())
		})
	}
}

func TestMigratedGroupGetsFilesAgain(t *testing.T) {
	t.Parallel()

	picture := platformtest.Picture(t, 1)
	b, storage := carrying(t, []platformtest.Attachment{picture},
		platformtest.Response{
			Status: 400,
			Body:   `{"ok":false,"error_code":400,"description":"Bad Request: group chat was upgraded to a supergroup chat","parameters":{"migrate_to_chat_id":-100777}}`,
		},
		platformtest.Response{Body: sent})
	_, err := b.connector.Commit(t.Context(), b.account, b.content, "")
	require.NoError(t, err)
	require.Len(t, b.script.Requests(), 2)
	again := formOf(t, b.script.Requests()[1])
	require.Equal(t, "-100777", again.fields["chat_id"])
	require.Equal(t, string(picture.Bytes), again.files[0].content)
	require.Zero(t, storage.Unclosed())
}

func TestRefusedFiles(t *testing.T) {
	t.Parallel()

	refused := func(description string) platformtest.Response {
		return platformtest.Response{
			Status: 400, Body: `{"ok":false,"error_code":400,"description":"Bad Request: ` + description + `"}`,
		}
	}
	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
		code     string
	}{
		"dimensions": {refused("PHOTO_INVALID_DIMENSIONS"), platform.ClassRejected, platform.CodeMediaRefused},
		"unreadable": {refused("IMAGE_PROCESS_FAILED"), platform.ClassRejected, platform.CodeMediaRefused},
		"too big":    {refused("file is too big"), platform.ClassRejected, platform.CodeMediaRefused},
		"mixed": {
			refused("Document can't be mixed with other media types"), platform.ClassRejected, platform.CodeMediaRefused,
		},
		"caption":          {refused("message caption is too long"), platform.ClassRejected, telegram.CodeRefused},
		"caption, in code": {refused("MEDIA_CAPTION_TOO_LONG"), platform.ClassRejected, telegram.CodeRefused},
		"no right": {
			refused("not enough rights to send photos to the chat"), platform.ClassReconnect, "CHANNEL_NEEDS_RECONNECT",
		},
		"413": {
			platformtest.Response{Status: 413, Body: `{"ok":false,"error_code":413,"description":"Request Entity Too Large"}`},
			platform.ClassRejected, platform.CodeMediaRefused,
		},
		"413 as a page": {
			platformtest.Response{Status: 413, Body: "<html>"}, platform.ClassRejected, platform.CodeMediaRefused,
		},
		"400 as a page": {platformtest.Response{Status: 400, Body: "<html>"}, platform.ClassUnknown, "OUTCOME_UNKNOWN"},
		"no messages":   {platformtest.Response{Body: `{"ok":true,"result":[]}`}, platform.ClassUnknown, "OUTCOME_UNKNOWN"},
		"null": {
			platformtest.Response{Body: `{"ok":true,"result":null}`}, platform.ClassUnknown, "OUTCOME_UNKNOWN",
		},
		"true": {
			platformtest.Response{Body: `{"ok":true,"result":true}`}, platform.ClassUnknown, "OUTCOME_UNKNOWN",
		},
		"no first id": {
			platformtest.Response{Body: `{"ok":true,"result":[{},{"message_id":8}]}`}, platform.ClassUnknown, "OUTCOME_UNKNOWN",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b, _ := carrying(t, platformtest.Pictures(t, 1), test.response)
			_, err := b.connector.Commit(t.Context(), b.account, b.content, "")
			failure := platformtest.Failure(t, err)
			require.Equal(t, test.class, failure.Class, "%v", err)
			require.Equal(t, test.code, failure.Code)
		})
	}
}

// TestMissingFiles checks that Prepare detects missing files, and that nothing was sent if they are missing
// only in Commit.
func TestMissingFiles(t *testing.T) {
	t.Parallel()

	gone := &platform.Failure{Class: platform.ClassRejected, Code: "MEDIA_GONE", Message: "A file is gone."}
	blind := &platform.Failure{Class: platform.ClassUnknown, Code: "BLIND", Message: "?"}
	for name, test := range map[string]struct {
		failure *platform.Failure
		class   platform.Class
		code    string
	}{
		"gone":            {gone, platform.ClassRejected, "MEDIA_GONE"},
		"of unknown kind": {blind, platform.ClassTransient, platform.CodeMediaUnreadable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b, storage := carrying(t, platformtest.Pictures(t, 2))
			preparation, err := b.connector.Prepare(t.Context(), b.account, b.content, "")
			require.NoError(t, err)
			require.Equal(t, platform.Preparation{Ready: true}, preparation)
			require.Zero(t, storage.Unclosed())

			storage.Fail(test.failure)
			_, err = b.connector.Prepare(t.Context(), b.account, b.content, "")
			require.Equal(t, test.class, platformtest.Failure(t, err).Class)
			_, err = b.connector.Commit(t.Context(), b.account, b.content, "")
			require.Equal(t, test.class, platformtest.Failure(t, err).Class)
			require.Equal(t, test.code, platformtest.Failure(t, err).Code)
			require.Empty(t, b.script.Requests())
			require.Zero(t, storage.Unclosed())
		})
	}

	b, _ := carrying(t, platformtest.Pictures(t, 1))
	b.content.Files = nil
	_, err := b.connector.Prepare(t.Context(), b.account, b.content, "")
	require.Equal(t, platform.ClassTransient, platformtest.Failure(t, err).Class)
}
