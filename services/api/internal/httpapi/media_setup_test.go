package httpapi_test

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/objectstore/objectstoretest"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// withFiles returns a bundle with a real object store.
func withFiles(t testing.TB) *bundle {
	t.Helper()
	return withStore(t, objectstoretest.Open(t))
}

func withStore(t testing.TB, store *objectstore.Store) *bundle {
	t.Helper()
	b := world(t)
	b.files, b.real = store, true
	b.build(t)
	b.serve(t)
	return b
}

// picture returns a PNG file. Each number up to 255 gives a different file of the same size.
func picture(t testing.TB, n int) []byte {
	t.Helper()
	drawn := image.NewGray(image.Rect(0, 0, 8, 8))
	drawn.Set(0, 0, color.Gray{Y: uint8(n)}) //nolint:gosec // a color
	var out bytes.Buffer
	require.NoError(t, (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(&out, drawn))
	return out.Bytes()
}

// begun is the response of start-upload.
type begun struct {
	MediaID          string            `json:"mediaId"`
	UploadURL        string            `json:"uploadUrl"`
	Method           string            `json:"method"`
	Headers          map[string]string `json:"headers"`
	ExpiresInSeconds int               `json:"expiresInSeconds"`
	Parts            []struct {
		Number            int
		Offset, SizeBytes int64
		URL               string
	}
}

func uploadBody(t testing.TB, name, contentType string, size int) string {
	t.Helper()
	return encode(t, map[string]any{"fileName": name, "contentType": contentType, "sizeBytes": size})
}

func (b *bundle) beginUpload(t testing.TB, of tenant, body string) begun {
	t.Helper()
	created := b.do(t, request{
		method: http.MethodPost, path: "/v1/media/uploads", key: of.key, contentType: "application/json", body: body,
	})
	require.Equal(t, http.StatusCreated, created.status, created.body)
	var u begun
	created.into(t, &u)
	return u
}

// startUpload starts the upload of a PNG file.
func (b *bundle) startUpload(t testing.TB, of tenant, data []byte) begun {
	t.Helper()
	return b.beginUpload(t, of, uploadBody(t, "spring.png", media.ContentTypePNG, len(data)))
}

// send sends the bytes with the request of the response, modified by change, and returns the store's status.
func (b *bundle) send(t testing.TB, u begun, data []byte, change func(r *http.Request)) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), u.Method, u.UploadURL, bytes.NewReader(data))
	require.NoError(t, err)
	for name, value := range u.Headers {
		r.Header.Set(name, value)
	}
	if change != nil {
		change(r)
	}
	res, err := (&http.Client{Transport: objectstoretest.Transport(t)}).Do(r)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	return res.StatusCode
}

func (b *bundle) complete(t testing.TB, id string) response {
	t.Helper()
	return b.post(t, "/v1/media/uploads/"+id+"/complete", "")
}

// uploaded uploads a file and returns the asset of the response.
func (b *bundle) uploaded(t testing.TB, name, contentType string, data []byte) map[string]any {
	t.Helper()
	u := b.beginUpload(t, b.ours, uploadBody(t, name, contentType, len(data)))
	require.Equal(t, http.StatusOK, b.send(t, u, data, nil))
	done := b.complete(t, u.MediaID)
	require.Equal(t, http.StatusOK, done.status, done.body)
	return done.object(t)
}

// download reads a signed URL like a browser.
func download(t testing.TB, address string) response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	require.NoError(t, err)
	res, err := (&http.Client{Transport: objectstoretest.Transport(t)}).Do(r)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return response{status: res.StatusCode, header: res.Header, body: string(body)}
}

// stored returns the keys of all objects.
func (b *bundle) stored(t testing.TB) []string {
	t.Helper()
	var keys []string
	for object, err := range b.files.List(t.Context(), "", time.Time{}) {
		require.NoError(t, err)
		keys = append(keys, object.Key)
	}
	return keys
}

// used returns the workspace's usage: bytes, and uploads of the month.
func (b *bundle) used(t testing.TB, of tenant) [2]int {
	t.Helper()
	rows := b.column(t, `SELECT storage_bytes || ' ' || uploads FROM workspace_usage WHERE workspace_id = $1`,
		of.id.String())
	if len(rows) == 0 {
		return [2]int{}
	}
	size, count, _ := strings.Cut(rows[0], " ")
	bytes, err := strconv.Atoi(size)
	require.NoError(t, err)
	uploads, err := strconv.Atoi(count)
	require.NoError(t, err)
	return [2]int{bytes, uploads}
}

// importer replaces the worker: it calls end for each running import.
func (b *bundle) importer(t testing.TB, end func(t testing.TB, i media.Import)) (poked func()) {
	t.Helper()
	imports := postgres.NewImports(b.db, b.keyring)
	return func() {
		for _, row := range b.column(t, `SELECT id || ' ' || workspace_id FROM media_import WHERE state = 'RUNNING'`) {
			id, of, _ := strings.Cut(row, " ")
			asset, err := ident.Parse[ident.Media](id)
			require.NoError(t, err)
			owner, err := ident.Parse[ident.Workspace](of)
			require.NoError(t, err)
			i, err := imports.Get(t.Context(), owner, asset)
			require.NoError(t, err)
			end(t, i)
		}
	}
}

// imported completes an import like the worker. An import that has already ended is not an error, because several
// requests may run at once.
func (b *bundle) imported(t testing.TB, i media.Import) {
	t.Helper()
	data := picture(t, 1)
	object := media.Object{
		Key: media.NewKey(), ETag: "etag", ContentType: media.ContentTypePNG, Size: int64(len(data)),
		SHA256: make([]byte, 32),
	}
	require.NoError(t, postgres.NewLoose(b.db).Register(t.Context(), object.Key, time.Hour))
	if b.real {
		_, err := b.files.Put(t.Context(), objectstore.PutRequest{
			Key: object.Key, Body: bytes.NewReader(data), Size: object.Size, ContentType: object.ContentType,
		})
		require.NoError(t, err)
	}
	err := postgres.NewImports(b.db, b.keyring).Finish(t.Context(), media.Asset{
		ID: i.ID, WorkspaceID: i.WorkspaceID, Name: cmp.Or(i.Name, "spring.png"), Type: media.Image,
		ContentType: object.ContentType,
		Size:        object.Size, CreatedAt: i.CreatedAt, SourceURL: i.SourceURL, Files: media.Files{Original: object},
	}, workspace.Growth.Limits())
	if err != nil {
		require.ErrorIs(t, err, postgres.ErrStale)
	}
}

// refused fails an import with a reason.
func (b *bundle) refused(code apperr.Code, text string) func(t testing.TB, i media.Import) {
	return func(t testing.TB, i media.Import) {
		t.Helper()
		require.NoError(t, postgres.NewImports(b.db, b.keyring).Fail(t.Context(), i.WorkspaceID, i.ID, code, text))
	}
}
