package gateway_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/files/internal/gateway"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/objectstore/objectstoretest"
	"fencepost.internal/shared/kernel/proctest"
)

const stall = 300 * time.Millisecond

func TestStoreIsDown(t *testing.T) {
	t.Parallel()
	address, err := proctest.NewPorts().Address(t.Context())
	require.NoError(t, err)
	d := openDoor(t, gateway.Config{Endpoint: "http://" + address, Bucket: "media"})
	store := signer(t, d.url)
	for _, got := range []httpResponse{
		send(t, http.MethodGet, signGet(t, store, "a"), "", nil), upload(t, signPut(t, store, "a", 10), picture, nil),
	} {
		requireRefused(t, got, http.StatusServiceUnavailable, "UNAVAILABLE")
		require.Equal(t, "5", got.header.Get("Retry-After"))
		require.NotContains(t, got.body, "refused")
	}
}

func TestStoreIsSilent(t *testing.T) {
	t.Parallel()
	d, store, proxy := openProxied(t, func(c *gateway.Config) {
		impatient := transport(t)
		impatient.ResponseHeaderTimeout = stall
		c.Transport = impatient
	})
	put(t, store, "media/a", png, picture)
	proxy.Stall()
	requireRefused(t, send(t, http.MethodGet, signGet(t, store, "media/a"), "", nil), http.StatusServiceUnavailable,
		"UNAVAILABLE")
	requireRefused(t, upload(t, signPut(t, store, "up/a", 10), picture, nil), http.StatusServiceUnavailable, "UNAVAILABLE")
	large := strings.Repeat("0123456789abcdef", 1<<20)
	requireRefused(t, upload(t, signPut(t, store, "up/b", 16<<20), large, nil), http.StatusServiceUnavailable,
		"UNAVAILABLE")
	proxy.Resume()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Equal(c, http.StatusOK, send(t, http.MethodGet, signGet(t, store, "media/a"), "", nil).status)
	}, 10*time.Second, 50*time.Millisecond)
	d.requireMetric(t, 0, "files_requests_open", nil)
}

// openProxied is openBucket with a proxy between the gateway and the store that can be made to fail.
func openProxied(t *testing.T, change ...func(*gateway.Config)) (*door, *objectstore.Store, *objectstoretest.Proxy) {
	t.Helper()
	var proxy *objectstoretest.Proxy
	d, store := openBucket(t, append(change, func(c *gateway.Config) {
		proxy = objectstoretest.NewProxy(t, c.Endpoint)
		c.Endpoint, c.StallTimeout = proxy.Endpoint(), stall
	})...)
	return d, store, proxy
}

// TestStoreFailsDuringDownload stalls or disconnects the store after half a file: the connection breaks, so that no client
// takes the half for the whole file.
func TestStoreFailsDuringDownload(t *testing.T) {
	t.Parallel()
	const size = 32 << 20
	for name, fail := range map[string]func(*objectstoretest.Proxy){
		"stalls": (*objectstoretest.Proxy).Stall, "is cut off": (*objectstoretest.Proxy).Cut,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, store, proxy := openProxied(t)
			put(t, store, "media/a", "video/mp4", strings.Repeat("0123456789abcdef", size/16))
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, signGet(t, store, "media/a"), http.NoBody)
			require.NoError(t, err)
			response, err := (&http.Client{Transport: &http.Transport{}}).Do(request)
			require.NoError(t, err)
			defer func() { require.NoError(t, response.Body.Close()) }()
			require.Equal(t, http.StatusOK, response.StatusCode)
			n, err := io.Copy(io.Discard, objectstoretest.After(response.Body, 1<<20, func() { fail(proxy) }))
			require.Error(t, err)
			require.Less(t, n, int64(size))
			d.requireMetric(t, 1, "files_requests_total", map[string]string{"outcome": "broken_off"})
		})
	}
}

// TestStoreStallsDuringUpload checks a store that stops reading in the middle of an upload.
func TestStoreStallsDuringUpload(t *testing.T) {
	t.Parallel()
	const size = 32 << 20
	_, store, proxy := openProxied(t)
	body := objectstoretest.After(strings.NewReader(strings.Repeat("0123456789abcdef", size/16)), 1<<20, proxy.Stall)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, signPut(t, store, "up/a", size).URL, body)
	require.NoError(t, err)
	request.ContentLength = size
	request.Header.Set("Content-Type", png)
	response, err := (&http.Client{Transport: &http.Transport{}}).Do(request)
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	requireRefused(t, read(t, response), http.StatusServiceUnavailable, "UNAVAILABLE")
	proxy.Resume()
	requireAbsent(t, store, "up/a")
}

// TestClientIsSlow uploads too slowly over a raw connection.
func TestClientIsSlow(t *testing.T) {
	t.Parallel()
	d, store := openBucket(t, func(c *gateway.Config) { c.StallTimeout = stall })
	begin := func(key string, size int64) string {
		return head(t, http.MethodPut, signPut(t, store, key, size).URL) +
			fmt.Sprintf("Content-Type: image/png\r\nContent-Length: %d\r\n\r\n", size)
	}
	t.Run("stops", func(t *testing.T) {
		t.Parallel()
		requireRefused(t, readRaw(t, raw(t, d, begin("up/stops", 10)+"01234")), http.StatusRequestTimeout, "UPLOAD_STALLED")
		requireAbsent(t, store, "up/stops")
	})
	t.Run("sends nothing", func(t *testing.T) {
		t.Parallel()
		requireRefused(t, readRaw(t, raw(t, d, begin("up/nothing", 10))), http.StatusRequestTimeout, "UPLOAD_STALLED")
		requireAbsent(t, store, "up/nothing")
	})
	t.Run("drips", func(t *testing.T) {
		t.Parallel()
		conn, reader := dial(t, d, begin("up/drips", 1000))
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 1000 {
				if _, err := conn.Write([]byte("x")); err != nil {
					return
				}
				<-time.After(stall / 10)
			}
		}()
		requireRefused(t, readRaw(t, reader), http.StatusRequestTimeout, "UPLOAD_STALLED")
		require.NoError(t, conn.Close())
		<-done
		requireAbsent(t, store, "up/drips")
	})
	t.Run("is gone", func(t *testing.T) {
		t.Parallel()
		conn, reader := dial(t, d, begin("up/gone", 10)+"01234")
		require.NoError(t, conn.CloseWrite())
		requireRefused(t, readRaw(t, reader), http.StatusBadRequest, "UPLOAD_INCOMPLETE")
		requireAbsent(t, store, "up/gone")
	})
	t.Run("is refused and sends no body", func(t *testing.T) {
		t.Parallel()
		refused := head(t, http.MethodPut, d.url+"/other/a") + "Content-Length: 10\r\n\r\n"
		requireRefused(t, readRaw(t, raw(t, d, refused)), http.StatusNotFound, "NOT_FOUND")
	})
}

// TestClientDoesNotRead requests a video and reads none of it.
func TestClientDoesNotRead(t *testing.T) {
	t.Parallel()
	const size = 32 << 20
	d, store := openBucket(t, func(c *gateway.Config) { c.StallTimeout = stall })
	put(t, store, "media/a", "video/mp4", strings.Repeat("0123456789abcdef", size/16))
	_, reader := dial(t, d, head(t, http.MethodGet, signGet(t, store, "media/a"))+"\r\n")
	d.requireMetric(t, 1, "files_requests_total", map[string]string{"outcome": "broken_off"})
	d.requireMetric(t, 0, "files_requests_open", nil)
	n, err := io.Copy(io.Discard, reader)
	require.Less(t, n, int64(size))
	_ = err // the end of the connection has several forms
}

// TestStoreErrorsAreHidden uses stores whose responses contain data that clients must not see.
func TestStoreErrorsAreHidden(t *testing.T) {
	t.Parallel()
	const page = "<html>host-7.internal"
	for name, test := range map[string]struct {
		status, want int
		code         string
	}{
		"redirect":     {http.StatusTemporaryRedirect, http.StatusServiceUnavailable, "UNAVAILABLE"},
		"moved":        {http.StatusMovedPermanently, http.StatusServiceUnavailable, "UNAVAILABLE"},
		"switch":       {http.StatusSwitchingProtocols, http.StatusServiceUnavailable, "UNAVAILABLE"},
		"no content":   {http.StatusNoContent, http.StatusServiceUnavailable, "UNAVAILABLE"},
		"bad request":  {http.StatusBadRequest, http.StatusForbidden, "LINK_REFUSED"},
		"unauthorized": {http.StatusUnauthorized, http.StatusForbidden, "LINK_REFUSED"},
		"forbidden":    {http.StatusForbidden, http.StatusForbidden, "LINK_REFUSED"},
		"not found":    {http.StatusNotFound, http.StatusNotFound, "NOT_FOUND"},
		"conflict":     {http.StatusConflict, http.StatusForbidden, "LINK_REFUSED"},
		"range": {
			http.StatusRequestedRangeNotSatisfiable, http.StatusRequestedRangeNotSatisfiable, "RANGE_NOT_SATISFIABLE",
		},
		"slow down":        {http.StatusTooManyRequests, http.StatusServiceUnavailable, "UNAVAILABLE"},
		"internal error":   {http.StatusInternalServerError, http.StatusServiceUnavailable, "UNAVAILABLE"},
		"not implemented":  {http.StatusNotImplemented, http.StatusServiceUnavailable, "UNAVAILABLE"},
		"unavailable":      {http.StatusServiceUnavailable, http.StatusServiceUnavailable, "UNAVAILABLE"},
		"full":             {http.StatusInsufficientStorage, http.StatusServiceUnavailable, "UNAVAILABLE"},
		"good, with words": {http.StatusOK, http.StatusOK, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, store := openFake(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				for header, value := range map[string]string{
					"Server": "store/1", "X-Amz-Request-Id": "1", "X-Minio-Node": "7", "Set-Cookie": "a=b",
					"Location":         "https://host-7.internal",
					"Www-Authenticate": "Basic", "Content-Type": "text/html", "Content-Encoding": "gzip",
					"Strict-Transport-Security": "max-age=1",
					"Content-Security-Policy":   "default-src *", "Access-Control-Allow-Credentials": "true",
					"Link":                   "<x>; rel=preload",
					"Refresh":                "0; url=x",
					"X-Content-Type-Options": "", "Trailer": "X-Amz-Checksum",
				} {
					w.Header().Set(header, value)
				}
				if test.status != http.StatusSwitchingProtocols {
					w.WriteHeader(http.StatusEarlyHints)
				}
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, page)
				w.Header().Set("X-Amz-Checksum", "x")
			})
			reader := raw(t, d, head(t, http.MethodGet, signGet(t, store, "a"))+"\r\n")
			line, err := reader.Peek(12)
			require.NoError(t, err)
			require.Equal(t, fmt.Sprintf("HTTP/1.1 %d", test.want), string(line), "nothing comes before the answer")
			got := readRaw(t, reader)
			if test.code == "" {
				require.Equal(t, "application/octet-stream", got.header.Get("Content-Type"))
				require.Equal(t, "attachment", got.header.Get("Content-Disposition"))
				for _, name := range []string{"Content-Encoding", "Strict-Transport-Security", "Link", "Refresh", "Trailer"} {
					require.Empty(t, got.header.Get(name), name)
				}
				return
			}
			requireRefused(t, got, test.want, test.code)
			require.NotContains(t, got.body, "internal")
		})
	}
}

func TestPutResponses(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]int{
		http.StatusOK: http.StatusOK, http.StatusCreated: http.StatusCreated,
		http.StatusNotFound:            http.StatusServiceUnavailable,
		http.StatusInsufficientStorage: http.StatusServiceUnavailable,
		http.StatusPartialContent:      http.StatusServiceUnavailable,
		http.StatusPreconditionFailed:  http.StatusForbidden,
	} {
		_, store := openFake(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Etag", `"e"`)
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "<Error/>")
		})
		got := upload(t, signPut(t, store, "up/a", 10), picture, nil)
		require.Equal(t, want, got.status)
		if want < http.StatusMultipleChoices {
			require.Empty(t, got.body)
			require.Equal(t, `"e"`, got.header.Get("Etag"))
			require.Empty(t, got.header.Get("Content-Type"))
		}
	}
}

func TestPing(t *testing.T) {
	t.Parallel()
	d, _, proxy := openProxied(t)
	require.NoError(t, d.gateway.Ping(t.Context()))
	proxy.Stall()
	ctx, cancel := context.WithTimeout(t.Context(), stall)
	defer cancel()
	require.Error(t, d.gateway.Ping(ctx))

	failing, _ := openFake(t,
		func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	require.ErrorContains(t, failing.gateway.Ping(t.Context()), "503")
}
