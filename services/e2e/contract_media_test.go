package e2e_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/ident"
)

// keepsFiles uses the documented operations on a file, from its upload or import to its deletion.
func keepsFiles(t *testing.T, s *harness.System) {
	t.Helper()
	data := harness.Picture(t, 7)
	sent := s.Upload("sent.html", "image/jpeg", data)
	require.Equal(t, "sent.html", sent.Name)
	require.EqualValues(t, len(data), sent.Size)
	again, err := s.API.Media.CompleteUpload(t.Context(), sent.ID)
	require.NoError(t, err)
	require.Equal(t, sent.ID, again.ID)

	var requested atomic.Int32
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requested.Add(1)
		_, _ = w.Write(data)
	}))
	t.Cleanup(source.Close)
	key := fencepost.IdempotencyKey(ident.New[ident.Event]().String())
	var header http.Header
	body := fencepost.ImportMediaRequest{URL: source.URL + "/brought.jpg"}
	brought, err := s.API.Media.Import(t.Context(), body, key, fencepost.ResponseHeader(&header))
	require.NoError(t, err)
	require.Equal(t, "/v1/media/"+brought.ID, header.Get("Location"))
	second, err := s.API.Media.Import(t.Context(), body, key, fencepost.ResponseHeader(&header))
	require.NoError(t, err)
	require.Equal(t, brought.ID, second.ID)
	require.Equal(t, "true", header.Get("Idempotent-Replayed"))
	require.EqualValues(t, 1, requested.Load(), "it was fetched once")

	images := url.Values{"type": {"IMAGE"}, "limit": {"1"}}
	for _, want := range []string{brought.ID, sent.ID} { // newest first
		var page struct {
			Data       []fencepost.Media
			NextCursor string
		}
		require.NoError(t, s.API.Request(t.Context(), http.MethodGet, "/v1/media", images, nil, &page))
		require.Len(t, page.Data, 1)
		require.Equal(t, want, page.Data[0].ID)
		images.Set("cursor", page.NextCursor)
	}

	for _, id := range []string{sent.ID, brought.ID} {
		require.NoError(t, s.API.Media.Delete(t.Context(), id))
		requireProblem(t, harness.Failure(s.API.Media.Get(t.Context(), id)), http.StatusNotFound, fencepost.ProblemCodeNotFound)
	}
	requireProblem(t, harness.Failure(s.API.Media.Import(t.Context(), body, key)),
		http.StatusNotFound, fencepost.ProblemCodeNotFound)
}

// refusesFiles checks the error responses for media.
func refusesFiles(t *testing.T, s *harness.System) {
	t.Helper()
	ctx := t.Context()
	requireProblem(t, harness.Failure(s.API.Media.StartUpload(ctx,
		fencepost.StartUploadRequest{FileName: "a.svg", ContentType: "image/svg+xml", SizeBytes: 5})), http.StatusUnprocessableEntity, fencepost.ProblemCodeValidationFailed)
	requireProblem(t, harness.Failure(s.API.Media.StartUpload(ctx,
		fencepost.StartUploadRequest{FileName: "a.mp4", ContentType: "video/mp4", SizeBytes: 1 << 50})), http.StatusForbidden, fencepost.ProblemCodeQuotaExceeded)

	page := []byte("<!doctype html><title>x</title>")
	u := s.StartUpload("a.jpg", "image/jpeg", len(page))
	requireProblem(t, harness.Failure(s.API.Media.CompleteUpload(ctx, u.MediaID)),
		http.StatusConflict, fencepost.ProblemCodeUploadNotReceived)
	s.Put(u, page, http.StatusOK)
	requireProblem(t, harness.Failure(s.API.Media.CompleteUpload(ctx, u.MediaID)),
		http.StatusUnprocessableEntity, fencepost.ProblemCodeUploadMismatch)

	source := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(source.Close)
	for _, address := range []string{
		"http://169.254.169.254/latest/meta-data/", source.URL + "/missing.jpg", "file:///etc/passwd",
	} {
		requireProblem(t, harness.Failure(s.API.Media.Import(ctx, fencepost.ImportMediaRequest{URL: address})),
			http.StatusUnprocessableEntity, fencepost.ProblemCodeImportFailed)
	}

	used := s.Upload("used.jpg", "image/jpeg", harness.Picture(t, 8))
	p := s.CreateWith(channel.Threads, fencepost.ContentTypePOST, "Has a picture", "draft", used.ID)
	problem := requireProblem(t, s.API.Media.Delete(ctx, used.ID), http.StatusConflict, fencepost.ProblemCodeMediaInUse)
	require.Len(t, problem.References, 1)
	require.True(t, strings.Contains(problem.Detail, p.ID) && problem.References[0].ID == p.ID)
}
