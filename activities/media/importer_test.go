package media_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	mediaactivity "fencepost.internal/activities/media"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/mediabox/mediaboxtest"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
)

func TestImport(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	content := jpegFile(t)
	i := b.request(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery != "token=secret" {
			w.WriteHeader(http.StatusForbidden)
		}
		serveFile("text/plain", content)(w, r) // the server's content type is ignored
	})
	out, err := b.importer.Import(t.Context(), inputOf(i))
	require.NoError(t, err)
	require.Equal(t, "Imported: image/jpeg.", out.Note)

	asset := b.reload(t, i.ID)
	sum := sha256.Sum256(content)
	require.Equal(t, media.Asset{
		ID: i.ID, WorkspaceID: i.WorkspaceID, Name: "cat.jpg", Type: media.Image, ContentType: "image/jpeg",
		Size:      int64(len(content)),
		CreatedAt: i.CreatedAt.Truncate(time.Microsecond), SourceURL: i.SourceURL,
		Files: media.Files{Original: media.Object{
			Key: asset.Files.Original.Key, ETag: asset.Files.Original.ETag, ContentType: "image/jpeg", Size: int64(len(content)),
			SHA256: sum[:],
		}},
	}, asset)
	require.Equal(t, content, b.read(t, asset.Files.Original.Key))
	require.Equal(t, int64(len(content)), b.storage(t))
	require.Equal(t, []string{"import", "media"}, postgrestest.Column(t, b.address, `SELECT kind FROM outbox ORDER BY id`),
		"the file is looked into next")
	b.sweep(t, asset)

	ended, err := b.imports.Get(t.Context(), b.owner.ID, i.ID)
	require.NoError(t, err)
	require.Equal(t, media.ImportDone, ended.State)
	require.Empty(t, ended.URL, "it may hold a secret")

	again, err := b.importer.Import(t.Context(), inputOf(i))
	require.NoError(t, err)
	require.Equal(t, "Ended: done.", again.Note)
	require.Equal(t, 1, b.requests)
}

// TestImportWithoutLength uploads more than one part.
func TestImportWithoutLength(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	content := video(20 << 20)
	i := b.request(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="../../holiday.mp4"`)
		if http.NewResponseController(w).Flush() == nil {
			_, _ = w.Write(content)
		}
	})
	_, err := b.importer.Import(t.Context(), inputOf(i))
	require.NoError(t, err)
	asset := b.reload(t, i.ID)
	require.Equal(t, media.Video, asset.Type)
	require.Equal(t, "holiday.mp4", asset.Name)
	require.Equal(t, int64(len(content)), asset.Size)
	require.True(t, bytes.Equal(content, b.read(t, asset.Files.Original.Key)))
	b.sweep(t, asset)
}

// TestImportOfOfficeDocument checks that a type is found whose signature is at the end of the file.
func TestImportOfOfficeDocument(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	for contentType, content := range mediaboxtest.Office(t) {
		i := b.request(t, serveFile("application/octet-stream", content))
		_, err := b.importer.Import(t.Context(), inputOf(i))
		require.NoError(t, err)
		asset := b.reload(t, i.ID)
		require.Equal(t, media.Document, asset.Type)
		require.Equal(t, contentType, asset.ContentType)
		require.True(t, bytes.Equal(content, b.read(t, asset.Files.Original.Key)))
		_, err = b.processor.Process(t.Context(), inputOf(i))
		require.NoError(t, err)
		asset = b.reload(t, i.ID)
		require.True(t, asset.Processed())
		require.Empty(t, asset.Problem)
		require.Equal(t, asset.Files.Original.Key, asset.Files.Published.Key)
	}
}

func TestNameOfImport(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	b.handle = serveFile("", jpegFile(t))
	now := time.Now().UTC()
	for _, test := range []struct{ given, path, name string }{
		{"Our cat", "/a.jpg", "Our cat"},
		{"Grüße 🌷.HTML", "/a.jpg", "Grüße 🌷.HTML"},
		{"", "/a.jpg", "a.jpg"},
		{"", "/page.html", "page.jpg"},
		{"", "/", "photo.jpg"},
	} {
		i := media.Import{
			ID: ident.New[ident.Media](), WorkspaceID: b.owner.ID, URL: b.server.URL + test.path, Name: test.given,
			CreatedAt: now, Deadline: now.Add(time.Minute),
		}
		b.insert(t, i)
		_, err := b.importer.Import(t.Context(), inputOf(i))
		require.NoError(t, err)
		require.Equal(t, test.name, b.reload(t, i.ID).Name)
	}
}

// sparse responds with a file header followed by zeros, up to a size.
func sparse(size int64, announced bool) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if announced {
			w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
		}
		head := video(0)
		_, _ = w.Write(head)
		zeros := make([]byte, 64<<10)
		for remaining := size - int64(len(head)); remaining > 0; remaining -= int64(len(zeros)) {
			if _, err := w.Write(zeros[:min(remaining, int64(len(zeros)))]); err != nil {
				return
			}
		}
	}
}

func TestRefusedImports(t *testing.T) {
	t.Parallel()
	const free = 50 << 20
	tests := map[string]struct {
		handle http.HandlerFunc
		before func(t *testing.T, b *bundle)
		code   apperr.Code
		text   string
	}{
		"not found": {
			handle: http.NotFound, code: apperr.ImportFailed,
			text: "The file cannot be fetched: unexpected_status: the server responded with status 404",
		},
		"empty": {
			handle: serveFile("image/jpeg", nil), code: apperr.ImportFailed, text: "The URL returned an empty file.",
		},
		"page": {
			handle: serveFile("image/jpeg", []byte("<!DOCTYPE html><html>")), code: apperr.ImportFailed,
			text: "This is a web page of 127.0.0.1, not a file. Give the address of the file itself.",
		},
		"text": {
			handle: serveFile("text/plain", []byte("This is no page.")), code: apperr.ImportFailed,
			text: "of an unsupported type. The supported types are JPEG",
		},
		"drawing": {
			handle: serveFile("image/png", []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`)), code: apperr.ImportFailed,
			text: "of an unsupported type",
		},
		"page in a picture": {
			handle: serveFile("image/jpeg", append([]byte("\xFF\xD8\xFF\xFE\x00\x20<script>"), jpegFile(t)...)),
			code:   apperr.ImportFailed, text: "of an unsupported type",
		},
		"compressed": {handle: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(jpegFile(t))
		}, code: apperr.ImportFailed, text: "said to be gzip, but is not"},
		"compressed otherwise": {handle: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			_, _ = w.Write(jpegFile(t))
		}, code: apperr.ImportFailed, text: "compressed"},
		"cut": {handle: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100000")
			_, _ = w.Write(jpegFile(t))
			abort(w)
		}, code: apperr.ImportFailed, text: " before "},
		"cut in the first bytes": {handle: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100000")
			_, _ = w.Write(jpegFile(t)[:100])
			abort(w)
		}, code: apperr.ImportFailed, text: " before "},
		"cut without a length": {handle: func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(video(9 << 20))
			abort(w)
		}, code: apperr.ImportFailed, text: " before "},
		"redirect to metadata": {handle: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://169.254.169.254/latest/meta-data/")
			w.WriteHeader(http.StatusFound)
		}, code: apperr.ImportFailed, text: "it redirects to a rejected URL: the address is not public"},
		"too large, as announced": {
			handle: sparse(free+1, true), code: apperr.QuotaExceeded,
			text: "The file is larger than the 50 MiB that the plan allows for one file.",
		},
		"too large": {
			handle: sparse(free+1, false), code: apperr.QuotaExceeded,
			text: "The file is larger than the 50 MiB that the plan allows for one file.",
		},
		"little room": {
			handle: sparse(2<<20, false), before: func(t *testing.T, b *bundle) {
				t.Helper()
				b.fill(t, 1<<20)
			}, code: apperr.QuotaExceeded, text: "1 MiB are left of the plan's storage",
		},
		"no room": {
			handle: sparse(2<<20, false), before: func(t *testing.T, b *bundle) {
				t.Helper()
				b.fill(t, 0)
			}, code: apperr.QuotaExceeded, text: "The workspace uses 1 GiB of the 1 GiB",
		},
		"no uploads left": {
			handle: sparse(2<<20, false), before: func(t *testing.T, b *bundle) {
				t.Helper()
				for range 100 {
					require.NoError(t, b.usage.Reserve(t.Context(), b.owner.ID, 0, b.owner.Plan.Limits()))
				}
			}, code: apperr.QuotaExceeded, text: "uploads of this month",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, workspace.Free)
			if test.before != nil {
				test.before(t, b)
			}
			used := b.storage(t)
			i := b.request(t, test.handle)
			_, err := b.importer.Import(t.Context(), inputOf(i))
			require.NoError(t, err, "an outcome")

			b.requireFailed(t, i, test.code, test.text)
			require.Empty(t, b.keys(t), "at once, not only after the sweep")
			b.sweep(t)
			require.Equal(t, used, b.storage(t))
			require.NotContains(t, b.log.String(), "secret")
		})
	}
}

// fill uses the plan's storage up to a rest of left bytes.
func (b *bundle) fill(t *testing.T, remaining int64) {
	t.Helper()
	limits := b.owner.Plan.Limits()
	size := limits.Storage - remaining
	limits.FileSize = size
	require.NoError(t, b.usage.Reserve(t.Context(), b.owner.ID, size, limits))
}

func (b *bundle) requireFailed(t *testing.T, i media.Import, code apperr.Code, text string) {
	t.Helper()
	ended, err := b.imports.Get(t.Context(), b.owner.ID, i.ID)
	require.NoError(t, err)
	require.Equal(t, media.ImportFailed, ended.State)
	require.Equal(t, string(code), ended.ErrorCode)
	require.Contains(t, ended.ErrorText, text)
	require.NotContains(t, ended.ErrorText, "secret")
	_, err = b.media.Get(t.Context(), b.owner.ID, i.ID)
	require.True(t, apperr.Is(err, apperr.NotFound))
}

func TestImportFromForbiddenAddress(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	now := time.Now().UTC()
	i := media.Import{
		ID: ident.New[ident.Media](), WorkspaceID: b.owner.ID, URL: "http://10.0.0.1/a.jpg", CreatedAt: now,
		Deadline: now.Add(time.Minute),
	}
	b.insert(t, i)
	_, err := b.importer.Import(t.Context(), inputOf(i))
	require.NoError(t, err)
	b.requireFailed(t, i, apperr.ImportFailed, "blocked_address: the address is not public")
}

// TestQuotaIsCheckedAtEndOfImport checks that the space at the end of the import decides.
func TestQuotaIsCheckedAtEndOfImport(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	content := jpegFile(t)
	requested, filled := make(chan struct{}), make(chan struct{})
	i := b.request(t, func(w http.ResponseWriter, r *http.Request) {
		close(requested)
		<-filled
		serveFile("", content)(w, r)
	})
	var group sync.WaitGroup
	group.Go(func() {
		defer close(filled)
		<-requested
		b.fill(t, int64(len(content))-1)
	})
	defer group.Wait()
	_, err := b.importer.Import(t.Context(), inputOf(i))
	require.NoError(t, err)
	b.requireFailed(t, i, apperr.QuotaExceeded, "exceed the limit")
	require.Empty(t, b.keys(t))
	require.Equal(t, b.owner.Plan.Limits().Storage-int64(len(content))+1, b.storage(t))
}

func TestImportAfterItsDeadline(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	b.handle = serveFile("", jpegFile(t))
	now := time.Now().UTC()
	late := media.Import{
		ID: ident.New[ident.Media](), WorkspaceID: b.owner.ID, URL: b.server.URL, CreatedAt: now.Add(-time.Hour),
		Deadline: now.Add(-time.Second),
	}
	b.insert(t, late)
	_, err := b.importer.Import(t.Context(), inputOf(late))
	require.NoError(t, err)
	b.requireFailed(t, late, apperr.Unavailable, "not complete in time")
	require.Zero(t, b.requests)

	released := make(chan struct{})
	defer close(released)
	b.handle = func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(video(1 << 20))
		<-released
	}
	slow := media.Import{
		ID: ident.New[ident.Media](), WorkspaceID: b.owner.ID, URL: b.server.URL, CreatedAt: now,
		Deadline: time.Now().Add(3 * time.Second),
	}
	b.insert(t, slow)
	_, err = b.importer.Import(t.Context(), inputOf(slow))
	require.NoError(t, err)
	b.requireFailed(t, slow, apperr.ImportFailed, "timeout: no complete response arrived in time")
	require.Empty(t, b.keys(t))
}

func TestUnknownImports(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	for _, activity := range []func(context.Context, flow.MediaInput) (flow.MediaOutcome, error){
		b.importer.Import, b.importer.FailImport,
	} {
		out, err := activity(t.Context(), flow.MediaInput{MediaID: ident.New[ident.Media](), WorkspaceID: b.owner.ID})
		require.NoError(t, err)
		require.Equal(t, "The import was deleted.", out.Note)
	}
}

// TestConcurrentImports runs an import concurrently with its retry, as after a false timeout.
func TestConcurrentImports(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	content := jpegFile(t)
	i := b.request(t, serveFile("", content))
	var group sync.WaitGroup
	faults := make([]error, 4)
	for n := range faults {
		group.Go(func() { _, faults[n] = b.importer.Import(t.Context(), inputOf(i)) })
	}
	group.Wait()
	require.NoError(t, errors.Join(faults...))
	require.Equal(t, int64(len(content)), b.storage(t))
	b.sweep(t, b.reload(t, i.ID))
}

func TestFailImport(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	failed := b.request(t, serveFile("", jpegFile(t)))
	_, err := b.importer.FailImport(t.Context(), inputOf(failed))
	require.NoError(t, err)
	b.requireFailed(t, failed, apperr.Unavailable, "file storage did not respond. Nothing was imported")

	done := b.request(t, serveFile("", jpegFile(t)))
	_, err = b.importer.Import(t.Context(), inputOf(done))
	require.NoError(t, err)
	out, err := b.importer.FailImport(t.Context(), inputOf(done))
	require.NoError(t, err)
	require.Equal(t, "Ended: done.", out.Note)
	b.reload(t, done.ID)
}

// TestWorkerStopsDuringImport checks that nothing is recorded and that another worker repeats the import.
func TestWorkerStopsDuringImport(t *testing.T) {
	t.Parallel()
	b := setup(t, workspace.Free)
	ctx, cancel := context.WithCancel(t.Context())
	i := b.request(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(video(1 << 20))
		cancel()
		<-r.Context().Done()
	})
	_, err := b.importer.Import(ctx, inputOf(i))
	require.ErrorIs(t, err, context.Canceled)

	b.handle = serveFile("", video(1<<20))
	_, err = b.importer.Import(t.Context(), inputOf(i))
	require.NoError(t, err)
	b.sweep(t, b.reload(t, i.ID))
}

func TestConstructorsRequireDependencies(t *testing.T) {
	t.Parallel()
	_, err := mediaactivity.NewImporter(mediaactivity.ImporterConfig{Clock: clock.System()})
	require.Error(t, err)
	_, err = mediaactivity.NewProcessor(mediaactivity.ProcessorConfig{Clock: clock.System()})
	require.Error(t, err)
	_, err = mediaactivity.NewFiles(mediaactivity.FilesConfig{})
	require.Error(t, err)
}
