package faults_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/faults/infra"
	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/objectstore"
)

// withPicture creates a post with an attachment.
func withPicture(t *testing.T, l *lab.Lab, typ channel.Type, media string, at time.Time) lab.Accepted {
	t.Helper()
	return acceptText(t, l, l.Channels[typ], l.Text(), at, media)
}

// seen waits until every file is processed.
func seen(t *testing.T, l *lab.Lab) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Empty(c, l.Unprocessed()) }, time.Minute,
		100*time.Millisecond)
}

// complete sends a request to complete an upload.
func complete(t *testing.T, l *lab.Lab, id string) error {
	t.Helper()
	return harness.Failure(l.API.Media.CompleteUpload(t.Context(), id))
}

// requireUnavailable checks that a response has the status 503 and demands a wait.
func requireUnavailable(t *testing.T, err error) fencepost.Error {
	t.Helper()
	var failed *fencepost.Error
	require.ErrorAs(t, err, &failed)
	require.Equal(t, http.StatusServiceUnavailable, failed.Status, "%v", err)
	require.Positive(t, failed.RetryAfter)
	return *failed
}

// TestF25TheObjectStoreIsDown stops the object store while posts with and without attachments are due.
func TestF25TheObjectStoreIsDown(t *testing.T) {
	l := lab.Alone(t, lab.Fault{
		ID: "F25", Title: "the object store is killed and away for a while",
		Expect: "I2 I9: posts with attachments wait, others are on time; uploads return 503; thumbnails catch " +
			"up",
	})
	l.Run(1)
	up := func() { harness.Infrastructure(t, "minio/start") }
	t.Cleanup(up)
	carried, late := l.Upload("carried.jpg", "image/jpeg", harness.Picture(t, 1)), harness.Picture(t, 2)
	seen(t, l)
	arrived, pending := l.StartUpload("arrived.jpg", "image/jpeg", len(late)), l.StartUpload("pending.jpg", "image/jpeg",
		len(late))
	l.Put(arrived, late, http.StatusOK)
	due := time.Now().Add(2 * time.Second)
	var waiting []lab.Accepted
	for _, typ := range []channel.Type{channel.Twitter, channel.TelegramChannel, channel.InstagramProfessional} {
		waiting = append(waiting, withPicture(t, l, typ, carried.ID, due))
	}
	texts := l.Accept(6, due, 100*time.Millisecond)

	harness.Infrastructure(t, "minio/kill")
	l.Injected("MinIO killed")
	l.Put(pending, late, http.StatusServiceUnavailable)
	requireUnavailable(t, complete(t, l, arrived.MediaID))
	for _, p := range texts {
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			require.Equal(c, fencepost.PostStatusPublished, l.Get(p.ID).Status)
		}, 20*time.Second, 100*time.Millisecond, "text is not affected")
	}
	for _, p := range waiting {
		require.Equal(t, fencepost.PostStatusScheduled, l.Get(p.ID).Status, "it waits")
	}
	up()
	l.Healed()
	for _, u := range []fencepost.MediaUpload{pending, arrived} {
		if u.MediaID == pending.MediaID {
			l.Put(u, late, http.StatusOK)
		}
		require.NoError(t, complete(t, l, u.MediaID))
	}
	l.Settle(90 * time.Second)
	seen(t, l)
	require.NotNil(t, l.Media(arrived.MediaID).ThumbnailURL, "thumbnails catch up")
	for _, p := range waiting {
		require.Equal(t, fencepost.PostStatusPublished, l.Get(p.ID).Status)
	}
	requireAlive(t, l)
	l.Check()
}

// TestF26TheObjectStoresDiskIsFull fills the object store's disk completely.
func TestF26TheObjectStoresDiskIsFull(t *testing.T) {
	store := infra.StartStore(t, 96)
	l := lab.Alone(t, lab.Fault{
		ID: "F26", Title: "the object store's disk is full",
		Expect: "I9: uploads and imports fail with a clear error, use no quota, leave no row without object; posts with " +
			"attachments are published",
	})
	l.Run(1)
	data := harness.Picture(t, 1)
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(data) }))
	t.Cleanup(source.Close)
	kept := l.Upload("kept.jpg", "image/jpeg", data)
	seen(t, l)
	arrived, pending := l.StartUpload("arrived.jpg", "image/jpeg", len(data)), l.StartUpload("pending.jpg", "image/jpeg",
		len(data))
	l.Put(arrived, data, http.StatusOK)
	size := used(t, l) // including the space reserved for the two uploads
	store.Fill()
	l.Injected("no space left on the disk of the object store")
	l.Put(pending, data, http.StatusServiceUnavailable)
	requireUnavailable(t, complete(t, l, arrived.MediaID))
	l.HTTP.Timeout = 2 * time.Minute // an import responds only when it is done
	l.API = l.Client(l.Key)
	imported := make(chan int, 1)
	go func() {
		_, err := l.API.Media.Import(t.Context(), fencepost.ImportMediaRequest{URL: source.URL + "/a.jpg"})
		imported <- harness.Status(err, http.StatusCreated)
	}()
	p := withPicture(t, l, channel.Twitter, kept.ID, time.Now().Add(time.Second))
	l.Accept(3, time.Now().Add(time.Second), 0)
	l.Settle(30 * time.Second)
	require.Equal(t, fencepost.PostStatusPublished, l.Get(p.ID).Status, "stored files can be sent")
	require.Equal(t, size, used(t, l), "rejected files use no quota")
	store.Free()
	l.Healed()
	require.Contains(t, []int{http.StatusCreated, http.StatusServiceUnavailable}, <-imported,
		"it waited or failed with a clear error")
	l.Put(pending, data, http.StatusOK)
	for _, u := range []fencepost.MediaUpload{pending, arrived} {
		require.NoError(t, complete(t, l, u.MediaID))
	}
	l.Settle(30 * time.Second)
	seen(t, l)
	require.Equal(t, l.Query(t, `SELECT sum(size) FROM media`), used(t, l), "the usage equals the stored files")
	requireAlive(t, l)
	l.Check()
}

// used returns the number of bytes that count against the workspace's storage.
func used(t *testing.T, l *lab.Lab) []string {
	t.Helper()
	return l.Query(t, `SELECT storage_bytes FROM workspace_usage WHERE workspace_id = $1`, l.Workspace.String())
}

// TestF27TransfersAreCut interrupts uploads by clients, imports at their source, and writes to the object store, in the
// middle.
func TestF27TransfersAreCut(t *testing.T) {
	behavior := infra.NewProxy(t, "")
	store, err := url.Parse(endpoint(t))
	require.NoError(t, err)
	behavior.To(store.Host)
	l := lab.Begin(t, lab.Fault{
		ID: "F27", Title: "an upload, an import and a write to the object store are interrupted",
		Expect: "I9: an error, never a partial asset; the same upload succeeds on retry",
	}, "S3_ENDPOINT=http://"+behavior.Address())
	l.Run(1)
	data := harness.Picture(t, 3)

	u := l.StartUpload("half.jpg", "image/jpeg", len(data))
	cutPut(t, u, data)
	l.Injected("an upload cut by its client")
	err = complete(t, l, u.MediaID)
	require.Equal(t, http.StatusConflict, harness.Status(err, http.StatusOK), "%v", err)
	l.Put(u, data, http.StatusOK)
	require.NoError(t, complete(t, l, u.MediaID))

	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		_, _ = w.Write(data[:len(data)/2])
	}))
	t.Cleanup(source.Close)
	_, err = l.API.Media.Import(t.Context(), fencepost.ImportMediaRequest{URL: source.URL + "/half.jpg"})
	require.Equal(t, http.StatusUnprocessableEntity, harness.Status(err, http.StatusCreated), "%v", err)
	l.Injected("an import cut by its source")

	u = l.StartUpload("store.jpg", "image/jpeg", len(data))
	behavior.Break(infra.Fault{CutAfter: int64(len(data) / 2), Times: 1})
	put(t, u, data) // must not succeed
	require.Equal(t, 1, behavior.Befallen())
	behavior.Heal()
	l.Injected("a write to the object store cut")
	l.Healed()
	err = complete(t, l, u.MediaID)
	require.Equal(t, http.StatusConflict, harness.Status(err, http.StatusOK), "%v", err)
	l.Put(u, data, http.StatusOK)
	require.NoError(t, complete(t, l, u.MediaID))
	seen(t, l)
	p := withPicture(t, l, channel.Twitter, u.MediaID, time.Now().Add(500*time.Millisecond))
	l.Settle(30 * time.Second)
	require.Equal(t, hashOf(data), hashOf(l.Sandbox.Bytes(l.Sandbox.Accepted(p.Text)[0].Media[0])))
	l.Check()
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// cutPut sends half of an upload and closes the connection.
func cutPut(t *testing.T, u fencepost.MediaUpload, data []byte) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	half, sent := io.Pipe()
	go func() {
		_, _ = sent.Write(data[:len(data)/2])
		cancel()
	}()
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, u.UploadURL, half)
	require.NoError(t, err)
	request.ContentLength = int64(len(data))
	for name, value := range u.Headers {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request) //nolint:forbidigo // a client on this machine
	if err == nil {
		_ = response.Body.Close()
	}
	require.ErrorIs(t, err, context.Canceled)
}

// put sends an upload that must fail: either the connection is cut or the status is not 200.
func put(t *testing.T, u fencepost.MediaUpload, data []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, u.UploadURL, bytes.NewReader(data))
	require.NoError(t, err)
	for name, value := range u.Headers {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request) //nolint:forbidigo // a client on this machine
	if err != nil {
		return // the connection was cut
	}
	require.NotEqual(t, http.StatusOK, response.StatusCode)
	require.NoError(t, response.Body.Close())
}

// TestF28FilesChangeBehindOurBack deletes some objects and flips a byte of others that posts are about to use.
func TestF28FilesChangeBehindOurBack(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F28", Title: "objects are deleted or changed by one byte in the store",
		Expect: "I4 I9: the posts fail with MEDIA_GONE or MEDIA_DAMAGED; no other image is published",
	})
	l.Run(1)
	spoiled := map[string]func(key string){
		"MEDIA_GONE":    func(key string) { require.NoError(t, l.Objects.Delete(t.Context(), key)) },
		"MEDIA_DAMAGED": func(key string) { flip(t, l, key) },
	}
	types := []channel.Type{channel.Twitter, channel.TelegramChannel, channel.InstagramProfessional, channel.Threads}
	posts := make(map[string][]lab.Accepted)
	var n int
	due := time.Now().Add(12 * time.Second)
	for code, spoil := range spoiled {
		for _, typ := range types {
			n++
			asset := l.Upload("a.jpg", "image/jpeg", harness.Picture(t, n))
			seen(t, l)
			posts[code] = append(posts[code], withPicture(t, l, typ, asset.ID, due))
			spoil(l.Query(t, `SELECT COALESCE(published_key, object_key) FROM media WHERE id = $1`, asset.ID)[0])
			l.Injected("%s before %s", code, typ)
		}
	}
	require.Less(t, time.Now(), due, "every object was damaged in time")
	l.Settle(90 * time.Second)
	for code, spoiled := range posts {
		for _, p := range spoiled {
			got := l.Get(p.ID)
			require.Zero(t, l.Sandbox.Count(p.Text), "%s: %s shows another image", code, p.Type)
			require.Equal(t, fencepost.PostStatusFailed, got.Status, "%s: %s", code, p.Type)
			require.Equal(t, code, got.Error.Code, "%s", p.Type)
		}
	}
	l.Check(lab.Without("I9")) // the scenario itself deleted objects
}

// flip changes one byte of an object and keeps its size and type.
func flip(t *testing.T, l *lab.Lab, key string) {
	t.Helper()
	reader, err := l.Objects.Open(t.Context(), key, objectstore.Range{})
	require.NoError(t, err)
	data, err := io.ReadAll(reader)
	require.NoError(t, err)
	require.NoError(t, reader.Close())
	data[len(data)/2] ^= 1
	_, err = l.Objects.Put(t.Context(), objectstore.PutRequest{
		Key: key, Body: bytes.NewReader(data), Size: int64(len(data)), ContentType: "image/jpeg",
	})
	require.NoError(t, err)
}
