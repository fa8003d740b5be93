package httpapi_test

import (
	"bytes"
	"maps"
	"math"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
	"fencepost.internal/shared/infra/objectstore"
)

func TestUploadInThreeSteps(t *testing.T) {
	t.Parallel()
	b := withFiles(t)
	data := picture(t, 1)
	started := b.post(t, "/v1/media/uploads", uploadBody(t, "spring.png", media.ContentTypePNG, len(data)))
	require.Equal(t, http.StatusCreated, started.status, started.body)
	require.ElementsMatch(t, []string{"mediaId", "uploadUrl", "method", "headers", "expiresInSeconds"},
		slices.Collect(maps.Keys(started.object(t))))
	var u begun
	started.into(t, &u)
	require.Equal(t, "PUT", u.Method)
	require.Equal(t, map[string]string{"Content-Type": "image/png"}, u.Headers)
	require.Equal(t, 3600, u.ExpiresInSeconds)
	require.Equal(t, [2]int{len(data), 1}, b.used(t, b.ours), "the declared size is reserved")
	requireProblem(t, b.get(t, "/v1/media/"+u.MediaID), http.StatusNotFound, "NOT_FOUND")

	refused := b.complete(t, u.MediaID)
	requireProblem(t, refused, http.StatusConflict, "UPLOAD_NOT_RECEIVED")
	require.Equal(t, http.StatusOK, b.send(t, u, data, nil))
	done := b.complete(t, u.MediaID)
	require.Equal(t, http.StatusOK, done.status, done.body)
	asset := done.object(t)
	require.ElementsMatch(t, []string{"id", "name", "type", "url", "thumbnailUrl", "size", "createdAt", "altText"},
		slices.Collect(maps.Keys(asset)))
	require.Equal(t, []any{u.MediaID, "spring.png", "IMAGE", nil, float64(len(data))},
		[]any{asset["id"], asset["name"], asset["type"], asset["thumbnailUrl"], asset["size"]})
	require.Regexp(t, `^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$`, asset["createdAt"])

	again := b.complete(t, u.MediaID)
	require.Equal(t, http.StatusOK, again.status, again.body)
	require.Equal(t, u.MediaID, again.object(t)["id"])
	require.Equal(t, [2]int{len(data), 1}, b.used(t, b.ours), "nothing is counted twice")
	require.Len(t, b.stored(t), 2, "the asset's object, and the upload's until it is swept")
}

func TestEverySupportedTypeIsAccepted(t *testing.T) {
	t.Parallel()
	b := withFiles(t)
	kinds := make(map[string]bool)
	for _, f := range mediaboxtest.Good(t) {
		asset := b.uploaded(t, f.Name, f.ContentType, f.Data)
		kind, ok := media.TypeOf(f.ContentType)
		require.True(t, ok)
		require.Equal(t, string(kind), asset["type"], f.Name)
		kinds[f.ContentType] = true
		res := download(t, text(t, asset, "url"))
		require.Equal(t, http.StatusOK, res.status)
		require.Equal(t, f.ContentType, res.header.Get("Content-Type"), f.Name)
		require.True(t, bytes.Equal(f.Data, []byte(res.body)), f.Name)
	}
	for contentType, data := range mediaboxtest.Office(t) {
		asset := b.uploaded(t, "report", contentType, data)
		require.Equal(t, "DOCUMENT", asset["type"], contentType)
		kinds[contentType] = true
		res := download(t, text(t, asset, "url"))
		require.Equal(t, contentType, res.header.Get("Content-Type"))
		require.Contains(t, res.header.Get("Content-Disposition"), "attachment", contentType)
		require.True(t, bytes.Equal(data, []byte(res.body)), contentType)
	}
	require.Len(t, kinds, len(media.ContentTypes()))
}

// TestUploadURLIsLimitedToDeclaredFile checks that the URL is valid for one type and one size.
func TestUploadURLIsLimitedToDeclaredFile(t *testing.T) {
	t.Parallel()
	b := withFiles(t)
	data := picture(t, 1)
	u := b.startUpload(t, b.ours, data)
	other, err := url.Parse(u.UploadURL)
	require.NoError(t, err)
	other.Path = strings.Replace(other.Path, "uploads/", "media/", 1)
	misdirected, longer := u, u
	misdirected.UploadURL = other.String()
	longer.UploadURL = strings.Replace(u.UploadURL, "X-Amz-Expires=3600", "X-Amz-Expires=86400", 1)
	require.NotEqual(t, u.UploadURL, longer.UploadURL)
	for name, status := range map[string]int{
		"other type": b.send(t, u, data, func(r *http.Request) { r.Header.Set("Content-Type", "text/html") }),
		"no type":    b.send(t, u, data, func(r *http.Request) { r.Header.Del("Content-Type") }),
		"shorter":    b.send(t, u, data[1:], nil),
		"longer":     b.send(t, u, append(slices.Clone(data), 0), nil),
		"other key":  b.send(t, misdirected, data, nil),
		"more time":  b.send(t, longer, data, nil),
		"read": b.send(t, u, data,
			func(r *http.Request) { r.Method, r.Body, r.ContentLength = http.MethodGet, http.NoBody, 0 }),
	} {
		require.Equal(t, 4, status/100, "%s: %d", name, status)
	}
	requireProblem(t, b.complete(t, u.MediaID), http.StatusConflict, "UPLOAD_NOT_RECEIVED")
	require.Empty(t, b.stored(t))
	require.Equal(t, http.StatusOK, b.send(t, u, data, nil))
	require.Equal(t, http.StatusOK, b.complete(t, u.MediaID).status)
}

// TestBytesSentAfterCompletionChangeNothing checks that the URL still works, but that the asset does not change.
func TestBytesSentAfterCompletionChangeNothing(t *testing.T) {
	t.Parallel()
	b := withFiles(t)
	data := picture(t, 1)
	u := b.startUpload(t, b.ours, data)
	require.Equal(t, http.StatusOK, b.send(t, u, data, nil))
	first := b.complete(t, u.MediaID).object(t)
	require.Equal(t, http.StatusOK, b.send(t, u, picture(t, 2), nil))
	for _, asset := range []map[string]any{
		first, b.get(t, "/v1/media/"+u.MediaID).object(t), b.complete(t, u.MediaID).object(t),
	} {
		res := download(t, text(t, asset, "url"))
		require.Equal(t, string(data), res.body)
	}
}

// TestUndeclaredContentEndsUpload checks that such bytes end the upload. The storage is released, the monthly count
// is not.
func TestUndeclaredContentEndsUpload(t *testing.T) {
	t.Parallel()
	b := withFiles(t)
	for i, c := range []struct {
		name, declared string
		data           []byte
		says           string
	}{
		{"another picture", media.ContentTypeJPEG, picture(t, 1), "The bytes are image/png, and image/jpeg was declared"},
		{"a page", media.ContentTypePNG, []byte("<!doctype html><script>alert(1)</script>"), "not of a supported type"},
		{
			"a drawing that is a program", media.ContentTypePNG,
			[]byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`), "not of a supported type",
		},
		{
			"a picture with a page in its head", media.ContentTypeGIF,
			[]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00,<script>alert(1)</script>"), "not of a supported type",
		},
		{"one byte", media.ContentTypeMP4, []byte{0}, "not of a supported type"},
	} {
		u := b.beginUpload(t, b.ours, uploadBody(t, "spring.png", c.declared, len(c.data)))
		require.Equal(t, http.StatusOK, b.send(t, u, c.data, nil), c.name)
		p := requireProblem(t, b.complete(t, u.MediaID), http.StatusUnprocessableEntity, "UPLOAD_MISMATCH")
		require.Contains(t, p["detail"], c.says, c.name)
		requireProblem(t, b.complete(t, u.MediaID), http.StatusNotFound, "NOT_FOUND")
		requireProblem(t, b.get(t, "/v1/media/"+u.MediaID), http.StatusNotFound, "NOT_FOUND")
		require.Equal(t, [2]int{0, i + 1}, b.used(t, b.ours), c.name)
	}
	for _, key := range b.stored(t) {
		require.True(t, strings.HasPrefix(key, "uploads/"), "the copy %s was left behind", key)
		require.Equal(t, 1, b.count(t, `loose_object WHERE key = $1`, key), "the clean-up knows it")
	}
}

// TestSizeMismatchIsRefused checks that the URL rejects another size, and that the service detects it if a store
// accepts it.
func TestSizeMismatchIsRefused(t *testing.T) {
	t.Parallel()
	b := withFiles(t)
	data := picture(t, 1)
	for _, sent := range [][]byte{data[:len(data)-1], append(slices.Clone(data), 0), {}} {
		u := b.startUpload(t, b.ours, data)
		key := b.column(t, `SELECT object_key FROM media_upload WHERE id = $1`, u.MediaID)[0]
		_, err := b.files.Put(t.Context(), objectstore.PutRequest{
			Key: key, Body: bytes.NewReader(sent), Size: int64(len(sent)), ContentType: media.ContentTypePNG,
		})
		require.NoError(t, err)
		p := requireProblem(t, b.complete(t, u.MediaID), http.StatusUnprocessableEntity, "UPLOAD_MISMATCH")
		require.Contains(t, p["detail"], strconv.Itoa(len(sent))+" bytes, and "+strconv.Itoa(len(data))+" were declared")
		require.Zero(t, b.used(t, b.ours)[0])
	}
}

func TestConcurrentCompletionsCreateOneAsset(t *testing.T) {
	t.Parallel()
	b := withFiles(t)
	other := b.twin(t)
	data := picture(t, 1)
	u := b.startUpload(t, b.ours, data)
	require.Equal(t, http.StatusOK, b.send(t, u, data, nil))
	for _, a := range atOnce(20, func(i int) response { return []*bundle{b, other}[i%2].complete(t, u.MediaID) }) {
		require.Equal(t, http.StatusOK, a.status, a.body)
		require.Equal(t, u.MediaID, a.object(t)["id"])
	}
	require.Equal(t, 1, b.count(t, `media WHERE id = $1`, u.MediaID))
	require.Equal(t, 1, b.count(t, `outbox WHERE subject = $1`, u.MediaID), "it is looked into once")
	require.Equal(t, [2]int{len(data), 1}, b.used(t, b.ours))
	require.Len(t, b.stored(t), 2, "copies of those that were late are gone")
	require.Equal(t, 1, b.count(t, `loose_object WHERE key IN (SELECT object_key FROM media) OR key LIKE 'uploads/%'`))
	res := download(t, text(t, b.get(t, "/v1/media/"+u.MediaID).object(t), "url"))
	require.Equal(t, string(data), res.body)
}

// TestExpiredUpload checks that the URL is valid for an hour, and that the upload can be completed within another
// hour.
func TestExpiredUpload(t *testing.T) {
	t.Parallel()
	b := withFiles(t)
	data := picture(t, 1)
	u := b.startUpload(t, b.ours, data)
	require.Equal(t, http.StatusOK, b.send(t, u, data, nil))
	b.exec(t, `UPDATE media_upload SET expires_at = now() - interval '59 minutes'`)
	require.Equal(t, http.StatusOK, b.complete(t, u.MediaID).status)
	gone := b.startUpload(t, b.ours, data)
	b.exec(t, `DELETE FROM media_upload`) // simulates the clean-up
	requireProblem(t, b.complete(t, gone.MediaID), http.StatusNotFound, "NOT_FOUND")
}

func TestForeignUploadsAreNotFound(t *testing.T) {
	t.Parallel()
	b := withFiles(t)
	data := picture(t, 1)
	u := b.startUpload(t, b.theirs, data)
	require.Equal(t, http.StatusOK, b.send(t, u, data, nil))
	requireProblem(t, b.complete(t, u.MediaID), http.StatusNotFound, "NOT_FOUND")
	b.ours, b.theirs = b.theirs, b.ours
	require.Equal(t, http.StatusOK, b.complete(t, u.MediaID).status)
	b.ours, b.theirs = b.theirs, b.ours
	requireProblem(t, b.complete(t, u.MediaID), http.StatusNotFound, "NOT_FOUND")
	requireProblem(t, b.get(t, "/v1/media/"+u.MediaID), http.StatusNotFound, "NOT_FOUND")
}

func TestInvalidUploadDeclarations(t *testing.T) {
	t.Parallel()
	b := setup(t)
	with := func(member string, value any) string {
		body := map[string]any{"fileName": "a.png", "contentType": "image/png", "sizeBytes": 5}
		body[member] = value
		return encode(t, body)
	}
	for body, pointer := range map[string]string{
		with("contentType", "text/html"): "/contentType", with("contentType", "image/svg+xml"): "/contentType",
		with("contentType", "image"):                    "/contentType",
		with("contentType", "image/png; charset=utf-8"): "/contentType",
		with("contentType", "image/png\r\nX: y"):        "/contentType",
		with("contentType", "application/octet-stream"): "/contentType", with("contentType", ""): "/contentType",
		with("contentType", " "): "/contentType",
		with("sizeBytes", 0):     "/sizeBytes", with("sizeBytes", -1): "/sizeBytes", with("sizeBytes", 1.5): "/sizeBytes",
		with("sizeBytes", "5"):  "/sizeBytes",
		with("sizeBytes", 1e30): "/sizeBytes", with("fileName", ""): "/fileName",
		with("fileName", strings.Repeat("x", 10<<10)): "/fileName",
	} {
		p := requireProblem(t, b.post(t, "/v1/media/uploads", body), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.Equal(t, []string{pointer}, pointers(t, p), body)
	}
	for _, size := range []int64{1<<30 + 1, 6 << 40, math.MaxInt64} {
		p := requireProblem(t, b.post(t, "/v1/media/uploads", with("sizeBytes", size)), http.StatusForbidden,
			"QUOTA_EXCEEDED")
		require.Contains(t, p["detail"], "1 GiB")
	}
	require.Zero(t, b.used(t, b.ours))
	b.beginUpload(t, b.ours, with("sizeBytes", 1<<30))
	require.Equal(t, "image/png", b.beginUpload(t, b.ours, with("contentType", "IMAGE/PNG")).Headers["Content-Type"])
	require.Equal(t, "image/heic", b.beginUpload(t, b.ours, with("contentType", "image/heif")).Headers["Content-Type"])
}

// TestNamesAreReturnedUnchanged checks that names are returned unchanged, and that file names of downloads are safe.
func TestNamesAreReturnedUnchanged(t *testing.T) {
	t.Parallel()
	b := withFiles(t)
	for name, saved := range map[string]string{
		"page.html": "page.png", "shell.php.png": "shell.php.png", ".htaccess": "htaccess.png",
		"Frühling 🌷": "Frühling 🌷.png", " a  b.PNG ": "a b.PNG",
		`"; filename="evil.exe`: "_; filename=_evil.png", strings.Repeat("ü", 255): strings.Repeat("ü", 88) + ".png",
		"\u200Eعربي\u200F.png": "عربي.png",
	} {
		asset := b.uploaded(t, name, media.ContentTypePNG, picture(t, 1))
		require.Equal(t, name, asset["name"])
		require.Equal(t, name, b.get(t, "/v1/media/"+text(t, asset, "id")).object(t)["name"])
		res := download(t, text(t, asset, "url"))
		require.Equal(t, http.StatusOK, res.status)
		require.Equal(t, media.ContentTypePNG, res.header.Get("Content-Type"))
		shown, parameters, err := mime.ParseMediaType(res.header.Get("Content-Disposition"))
		require.NoError(t, err)
		require.Equal(t, []string{"inline", saved}, []string{shown, parameters["filename"]})
	}
}

// TestMisleadingNamesAreRefused checks that misleading names are rejected and not changed.
func TestMisleadingNamesAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, message := range map[string]string{
		"../../x.png": "not a path", `..\..\windows\x.png`: "not a path", "a/b": "not a path", "   ": "visible character",
		"\u200B":                           "visible character",
		"a\r\nSet-Cookie: x=1\r\n\r\n.png": "control characters", "a\tb.png": "control characters",
		"exe\u202Egnp.jpg": "direction of writing", "\u2066a\u2069.png": "direction of writing",
		"a\u2028b.png": "line breaks",
	} {
		for path, body := range map[string]map[string]any{
			"/v1/media/uploads": {"fileName": name, "contentType": "image/png", "sizeBytes": 5},
			"/v1/media":         {"name": name, "url": "https://cdn.example.com/a.png"},
		} {
			p := requireProblem(t, b.post(t, path, encode(t, body)), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
			require.Len(t, pointers(t, p), 1)
			require.Contains(t, []string{"/fileName", "/name"}, pointers(t, p)[0])
			require.Contains(t, p["detail"], message, "%q", name)
		}
	}
	requireProblem(t, b.post(t, "/v1/media/uploads", uploadBody(t, "x\u0000", media.ContentTypePNG, 70)),
		http.StatusBadRequest, "MALFORMED_REQUEST")
	require.Zero(t, b.count(t, `media_upload`)+b.count(t, `media_import`))
}

// TestUploadsAtLimitOfPlan checks that of 20 concurrent uploads exactly the remaining number of the month starts.
func TestUploadsAtLimitOfPlan(t *testing.T) {
	t.Parallel()
	b := setup(t)
	free := tenant{id: b.emptyWorkspace(t)}
	free.key = b.key(t, free.id, credential.MediaWrite)
	limits := workspace.Free.Limits()
	b.exec(t, `INSERT INTO workspace_usage (workspace_id, uploads) VALUES ($1, $2)`, free.id.String(),
		limits.MonthlyUploads-5)
	begin := func(size int64) response {
		return b.do(t, request{
			method: http.MethodPost, path: "/v1/media/uploads", key: free.key, contentType: "application/json",
			body: uploadBody(t, "a.png", media.ContentTypePNG, int(size)),
		})
	}
	began := 0
	for _, a := range atOnce(20, func(int) response { return begin(10) }) {
		if a.status == http.StatusCreated {
			began++
			continue
		}
		require.Contains(t, requireProblem(t, a, http.StatusForbidden, "QUOTA_EXCEEDED")["detail"],
			"100 uploads of this month")
	}
	require.Equal(t, 5, began)
	require.Equal(t, [2]int{50, int(limits.MonthlyUploads)}, b.used(t, free))

	b.exec(t, `UPDATE workspace_usage SET uploads = 0, storage_bytes = $1`, limits.Storage-10)
	require.Contains(t, requireProblem(t, begin(11), http.StatusForbidden, "QUOTA_EXCEEDED")["detail"], "1 GiB")
	require.Equal(t, http.StatusCreated, begin(10).status)
	require.Contains(t, requireProblem(t, begin(limits.FileSize+1), http.StatusForbidden, "QUOTA_EXCEEDED")["detail"],
		"50 MiB")
}
