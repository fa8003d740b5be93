package e2e_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"socialpub.internal/services/e2e/apiclient"
	"socialpub.internal/services/e2e/harness"
	"socialpub.internal/shared/ident"
)

// mediaCrashPoints are every step of imports and of looking into files.
func mediaCrashPoints() []string {
	return []string{
		"import.before_store=kill#1", "import.after_store=kill#2", "import.after_record=kill#3",
		"process.after_open=kill#2", "process.before_record=kill#4", "process.after_record=kill#1",
	}
}

// TestNoCrashLosesAFile uploads and imports while workers and the API die, and then holds rows and objects against each other.
func TestNoCrashLosesAFile(t *testing.T) {
	armed, fired := filepath.Join(t.TempDir(), "failpoints"), filepath.Join(t.TempDir(), "fired")
	require.NoError(t, os.WriteFile(armed, []byte(strings.Join(mediaCrashPoints(), ";")), 0o600))
	s := harness.New(t, harness.Options{Env: append(hurried(), "FAILPOINTS_LOG="+fired)})
	api := s.Start("api", "").Ready()
	s.Start("worker", "", "FAILPOINTS_FILE="+armed).Ready()
	s.Start("worker", "", "FAILPOINTS_FILE="+armed).Ready()
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(picture(t, 7)) }))
	t.Cleanup(source.Close)

	const files = 6
	ids := make(chan string, 2*files)
	var group sync.WaitGroup
	for range files {
		group.Go(func() { ids <- importThrough(t, s, source.URL+"/picture.jpg") })
	}
	for i := range files {
		data := picture(t, i)
		started := s.StartUpload(fmt.Sprintf("%d.jpg", i), "image/jpeg", len(data))
		s.Put(started, data, http.StatusOK)
		if i == files/2 {
			api.Kill()
		}
		ids <- completeThrough(t, s, started.MediaID)
	}
	group.Wait()
	close(ids)
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Empty(c, s.Unprocessed()) }, 3*time.Minute, 200*time.Millisecond)
	seen := make(map[string]bool)
	for id := range ids {
		require.False(t, s.Media(id).ThumbnailURL.IsNull(), "a whole picture has a thumbnail")
		seen[id] = true
	}
	require.Len(t, seen, 2*files)
	list, err := s.API.ListMediaWithResponse(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, harness.Answer(t, list.JSON200, list.Body).Data, 2*files, "a file came twice")
	s.RequireFilesAgree()
	log, err := os.ReadFile(fired)
	require.NoError(t, err)
	for _, point := range mediaCrashPoints() {
		name, _, _ := strings.Cut(point, "=")
		require.Contains(t, string(log), name, "this crash point was never reached")
	}
}

// importThrough imports as a careful client does: it asks again with the same key until it has an answer.
func importThrough(t *testing.T, s *harness.System, address string) (id string) {
	t.Helper()
	params := &apiclient.ImportMediaParams{IdempotencyKey: new(ident.New[ident.Event]().String())}
	deadline := time.Now().Add(3 * time.Minute)
	for time.Now().Before(deadline) {
		got, err := s.API.ImportMediaWithResponse(t.Context(), params, apiclient.ImportMedia{URL: address})
		if err == nil && got.JSON201 != nil {
			return got.JSON201.ID
		}
		<-time.After(500 * time.Millisecond)
	}
	t.Error("the import got no answer")
	return ""
}

// completeThrough completes an upload likewise; asking twice makes one asset.
func completeThrough(t *testing.T, s *harness.System, id string) string {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		got, err := s.API.CompleteUploadWithResponse(t.Context(), id)
		require.NoError(c, err)
		require.NotNil(c, got.JSON200, "%s", got.Body)
	}, time.Minute, 200*time.Millisecond)
	return id
}
