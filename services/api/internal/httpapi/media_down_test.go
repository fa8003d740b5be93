package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/objectstore/objectstoretest"
)

// impatience is the server's timeout for a store that does not respond.
const impatience = 2 * time.Second

// TestCompletionWhileStoreIsDown checks that the error asks the client to retry, that there is no partial result,
// and that a later retry succeeds.
func TestCompletionWhileStoreIsDown(t *testing.T) {
	t.Parallel()
	b, proxy, _ := behindProxy(t)
	data := picture(t, 1)
	u := b.startUpload(t, b.ours, data)
	require.Equal(t, http.StatusOK, b.send(t, u, data, nil))
	proxy.Stall()
	for range 2 {
		refused := b.complete(t, u.MediaID)
		p := requireProblem(t, refused, http.StatusServiceUnavailable, "UNAVAILABLE")
		require.Equal(t, "5", refused.header.Get("Retry-After"))
		require.Contains(t, p["detail"], "nothing was changed")
		require.NotContains(t, refused.body, proxy.Endpoint())
	}
	require.Equal(t, 1, b.count(t, `media_upload WHERE id = $1`, u.MediaID))
	require.Zero(t, b.count(t, `media WHERE id = $1`, u.MediaID))
	require.Equal(t, [2]int{len(data), 1}, b.used(t, b.ours))
	proxy.Resume()
	done := b.complete(t, u.MediaID)
	require.Equal(t, http.StatusOK, done.status, done.body)
	res := download(t, text(t, done.object(t), "url"))
	require.Equal(t, string(data), res.body)
	for _, key := range b.stored(t) { // including the object of a copy that completed too late
		require.Equal(t, 1,
			b.count(t, `(SELECT key FROM loose_object UNION SELECT object_key FROM media) AS known(key) WHERE key = $1`, key))
	}
}

// TestStoreFailsDuringCompletion checks that the response is 503 or the asset, wherever the connection breaks, and that a
// retry returns the asset.
func TestStoreFailsDuringCompletion(t *testing.T) {
	t.Parallel()
	b, proxy, _ := behindProxy(t)
	data := picture(t, 1)
	for i := range 8 {
		u := b.startUpload(t, b.ours, data)
		require.Equal(t, http.StatusOK, b.send(t, u, data, nil))
		responded := later(func() response { return b.complete(t, u.MediaID) })
		cut := time.NewTicker(time.Duration(1+i) * time.Millisecond)
		first := response{}
		for first.status == 0 {
			select {
			case first = <-responded:
			case <-cut.C:
				proxy.Cut()
			}
		}
		cut.Stop()
		if first.status != http.StatusOK {
			requireProblem(t, first, http.StatusServiceUnavailable, "UNAVAILABLE")
			require.NotEmpty(t, first.header.Get("Retry-After"))
		}
		done := b.complete(t, u.MediaID)
		require.Equal(t, http.StatusOK, done.status, done.body)
		res := download(t, text(t, done.object(t), "url"))
		require.Equal(t, string(data), res.body)
	}
	require.Equal(t, 8*len(data), b.used(t, b.ours)[0])
}

// TestOperationsWithoutStore covers operations that work while the store is down: signing URLs needs no request to the store.
func TestOperationsWithoutStore(t *testing.T) {
	t.Parallel()
	b, proxy, _ := behindProxy(t)
	asset := b.uploaded(t, "spring.png", media.ContentTypePNG, picture(t, 1))
	id := text(t, asset, "id")
	proxy.Stall()
	require.Equal(t, http.StatusOK, b.get(t, "/v1/media/"+id).status)
	require.Equal(t, http.StatusOK, b.get(t, "/v1/media").status)
	require.Equal(t, http.StatusOK, b.complete(t, id).status, "it is complete already")
	b.startUpload(t, b.ours, picture(t, 2))
	created := b.post(t, "/v1/posts", `{"channelIds":["`+b.ours.channel.String()+`"],"content":"x","mediaIds":["`+id+`"]}`)
	require.Equal(t, http.StatusCreated, created.status, created.body)
}

// TestCompletionWithWrongCredentials checks that an operator's mistake does not end a client's upload.
func TestCompletionWithWrongCredentials(t *testing.T) {
	t.Parallel()
	config := objectstoretest.Config(t)
	b := withStore(t, objectstoretest.New(t, config))
	data := picture(t, 1)
	u := b.startUpload(t, b.ours, data)
	require.Equal(t, http.StatusOK, b.send(t, u, data, nil))
	sound := b.files
	config.SecretKey = "rotated-secret-canary"
	b.files = objectstoretest.New(t, config)
	refused := b.twin(t).complete(t, u.MediaID)
	requireProblem(t, refused, http.StatusServiceUnavailable, "UNAVAILABLE")
	require.NotEmpty(t, refused.header.Get("Retry-After"))
	require.NotContains(t, refused.body, config.Bucket)
	b.files = sound
	require.Equal(t, http.StatusOK, b.complete(t, u.MediaID).status)
}
