package e2e_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/apiclient"
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
	again, err := s.API.CompleteUploadWithResponse(t.Context(), sent.ID, nil)
	require.NoError(t, err)
	require.Equal(t, sent.ID, harness.Response(t, again.JSON200, again.Body).ID)

	var requested atomic.Int32
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requested.Add(1)
		_, _ = w.Write(data)
	}))
	t.Cleanup(source.Close)
	params := &apiclient.ImportMediaParams{IdempotencyKey: new(ident.New[ident.Event]().String())}
	body := apiclient.ImportMediaRequest{URL: source.URL + "/brought.jpg"}
	first, err := s.API.ImportMediaWithResponse(t.Context(), params, body)
	require.NoError(t, err)
	brought := harness.Response(t, first.JSON201, first.Body)
	require.Equal(t, "/v1/media/"+brought.ID, first.HTTPResponse.Header.Get("Location"))
	second, err := s.API.ImportMediaWithResponse(t.Context(), params, body)
	require.NoError(t, err)
	require.Equal(t, brought.ID, harness.Response(t, second.JSON201, second.Body).ID)
	require.Equal(t, "true", second.HTTPResponse.Header.Get("Idempotent-Replayed"))
	require.EqualValues(t, 1, requested.Load(), "it was fetched once")

	page, err := s.API.ListMediaWithResponse(t.Context(),
		&apiclient.ListMediaParams{Type: new(apiclient.MediaTypeInputIMAGE), Limit: new(int64(1))})
	require.NoError(t, err)
	newest := harness.Response(t, page.JSON200, page.Body)
	require.Len(t, newest.Data, 1)
	require.Equal(t, brought.ID, newest.Data[0].ID)
	cursor := newest.NextCursor.MustGet()
	page, err = s.API.ListMediaWithResponse(t.Context(),
		&apiclient.ListMediaParams{Type: new(apiclient.MediaTypeInputIMAGE), Limit: new(int64(1)), Cursor: &cursor})
	require.NoError(t, err)
	require.Equal(t, sent.ID, harness.Response(t, page.JSON200, page.Body).Data[0].ID)

	for _, id := range []string{sent.ID, brought.ID} {
		deleted, err := s.API.DeleteMediaWithResponse(t.Context(), id, nil)
		require.NoError(t, err)
		require.Equal(t, http.StatusNoContent, deleted.StatusCode(), "%s", deleted.Body)
		gone, err := s.API.GetMediaWithResponse(t.Context(), id)
		require.NoError(t, err)
		requireProblem(t, gone.ApplicationProblemJSON404, gone.Body, apiclient.ProblemCodeNOTFOUND)
	}
	late, err := s.API.ImportMediaWithResponse(t.Context(), params, body)
	require.NoError(t, err)
	requireProblem(t, late.ApplicationProblemJSON404, late.Body, apiclient.ProblemCodeNOTFOUND)
}

// refusesFiles checks the error responses for media.
func refusesFiles(t *testing.T, s *harness.System) {
	t.Helper()
	ctx := t.Context()
	unknown, err := s.API.StartUploadWithResponse(ctx, nil,
		apiclient.StartUploadRequest{FileName: "a.svg", ContentType: "image/svg+xml", SizeBytes: 5})
	require.NoError(t, err)
	requireProblem(t, unknown.ApplicationProblemJSON422, unknown.Body, apiclient.ProblemCodeVALIDATIONFAILED)
	large, err := s.API.StartUploadWithResponse(ctx, nil,
		apiclient.StartUploadRequest{FileName: "a.mp4", ContentType: "video/mp4", SizeBytes: 1 << 50})
	require.NoError(t, err)
	requireProblem(t, large.ApplicationProblemJSON403, large.Body, apiclient.ProblemCodeQUOTAEXCEEDED)

	page := []byte("<!doctype html><title>x</title>")
	u := s.StartUpload("a.jpg", "image/jpeg", len(page))
	early, err := s.API.CompleteUploadWithResponse(ctx, u.MediaID, nil)
	require.NoError(t, err)
	requireProblem(t, early.ApplicationProblemJSON409, early.Body, apiclient.ProblemCodeUPLOADNOTRECEIVED)
	s.Put(u, page, http.StatusOK)
	other, err := s.API.CompleteUploadWithResponse(ctx, u.MediaID, nil)
	require.NoError(t, err)
	requireProblem(t, other.ApplicationProblemJSON422, other.Body, apiclient.ProblemCodeUPLOADMISMATCH)

	source := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(source.Close)
	for _, address := range []string{
		"http://169.254.169.254/latest/meta-data/", source.URL + "/missing.jpg", "file:///etc/passwd",
	} {
		refused, err := s.API.ImportMediaWithResponse(ctx, nil, apiclient.ImportMediaRequest{URL: address})
		require.NoError(t, err)
		requireProblem(t, refused.ApplicationProblemJSON422, refused.Body, apiclient.ProblemCodeIMPORTFAILED)
	}

	used := s.Upload("used.jpg", "image/jpeg", harness.Picture(t, 8))
	p := s.CreateWith(channel.Threads, apiclient.ContentTypeInputPOST, "Has a picture", "draft", used.ID)
	kept, err := s.API.DeleteMediaWithResponse(ctx, used.ID, nil)
	require.NoError(t, err)
	problem := requireProblem(t, kept.ApplicationProblemJSON409, kept.Body, apiclient.ProblemCodeMEDIAINUSE)
	require.Len(t, *problem.References, 1)
	require.True(t, strings.Contains(problem.Detail, p.ID) && (*problem.References)[0].ID == p.ID)
}
