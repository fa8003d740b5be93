package httpapi_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/apperr"
)

const spring = `{"url":"https://cdn.example.com/spring.png?token=address-canary","name":"Spring sale.html","sourceUrl":"https://source-canary.example.com/spring"}`

func TestImportByAddress(t *testing.T) {
	t.Parallel()
	b := withFiles(t)
	b.poked = b.importer(t, b.imported)
	created := b.post(t, "/v1/media", spring)
	requireFresh(t, created, http.StatusCreated)
	asset := created.object(t)
	id := text(t, asset, "id")
	require.Equal(t, "/v1/media/"+id, created.header.Get("Location"))
	require.Equal(t, []any{"Spring sale.html", "IMAGE", nil}, []any{asset["name"], asset["type"], asset["thumbnailUrl"]})
	res := download(t, text(t, asset, "url"))
	require.Equal(t, http.StatusOK, res.status)
	require.Equal(t, string(picture(t, 1)), res.body)
	require.Contains(t, res.header.Get("Content-Disposition"), `"Spring sale.png"`, "it is saved as what it is")
	require.Equal(t, [2]int{len(res.body), 1}, b.used(t, b.ours))
	require.Equal(t, []string{"https://source-canary.example.com/spring"},
		b.column(t, `SELECT source_url FROM media WHERE id = $1`, id))

	post := b.post(t, "/v1/posts", `{"channelIds":["`+b.ours.channel.String()+`"],"content":"x","mediaIds":["`+id+`"]}`)
	inUse := b.do(t, request{method: http.MethodDelete, path: "/v1/media/" + id, key: b.ours.key})
	for _, a := range []response{created, b.get(t, "/v1/media/"+id), b.get(t, "/v1/media"), post, inUse} {
		require.NotContains(t, a.body, "canary", "neither attribution nor address is ever answered")
		require.NotContains(t, a.body, "sourceUrl")
	}
	require.NotContains(t, b.logs.String(), "canary")
}

func TestImportBodies(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.poked = b.importer(t, b.imported)
	for body, pointer := range map[string]string{
		`{}`: "/url", `{"url":""}`: "/url", `{"url":null}`: "/url",
		`{"url":"https://example.com/` + strings.Repeat("x", 2048) + `"}`:                       "/url",
		`{"url":"https://example.com/","name":"` + strings.Repeat("x", 256) + `"}`:              "/name",
		`{"url":"https://example.com/","name":"../../x.png"}`:                                   "/name",
		`{"url":"https://example.com/","name":"a\r\nb"}`:                                        "/name",
		`{"url":"https://example.com/","name":" "}`:                                             "/name",
		`{"url":"https://example.com/","sourceUrl":"` + strings.Repeat("x", 2049) + `"}`:        "/sourceUrl",
		`{"url":"https://example.com/","sourceURL":"https://example.com/"}`:                     "/sourceURL",
		`{"url":"https://example.com/","mediaId":"0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93"}`:       "/mediaId",
		`{"url":["https://example.com/"]}`:                                                      "/url",
		`{"url":"https://example.com/","name":{"first":"a"},"sourceUrl":"https://example.com"}`: "/name",
	} {
		p := requireProblem(t, b.post(t, "/v1/media", body), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.Equal(t, []string{pointer}, pointers(t, p), body)
	}
	require.Zero(t, b.count(t, `media_import`))
	for _, body := range []string{
		`{"url":"https://example.com/a.png","name":null,"sourceUrl":null}`,
		`{"url":"http://example.com/a.png","sourceUrl":"no address: a book"}`,
		`{"url":"HTTPS://EXAMPLE.COM:443/a%20b?c"}`,
		`{"url":"https://example.com/a b.png#fragment"}`,
	} {
		requireFresh(t, b.post(t, "/v1/media", body), http.StatusCreated)
	}
}

// TestForbiddenAddresses checks that such addresses are rejected before an import starts.
func TestForbiddenAddresses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, address := range []string{
		"http://127.0.0.1/a.png", "http://127.1/a.png", "http://2130706433/", "http://0x7f000001/", "http://0177.0.0.1/",
		"http://[::1]/", "http://[::ffff:127.0.0.1]/",
		"http://0.0.0.0/", "http://10.0.0.1/", "http://172.16.0.1/", "http://192.168.0.1/", "http://100.64.0.1/",
		"http://169.254.169.254/latest/meta-data/",
		"http://[fd00:ec2::254]/", "http://[fe80::1]/", "http://[64:ff9b::7f00:1]/", "http://224.0.0.1/",
		"http://255.255.255.255/", "http://localhost/", "http://a.localhost/",
		"https://user:password-canary@example.com/", "https://user@example.com/", "https://example.com:8443/",
		"http://example.com:22/", "https://example.com:0/",
		"ftp://example.com/a.png", "file:///etc/passwd", "gopher://example.com/", "data:image/png;base64,AAAA",
		"javascript:alert(1)", "//example.com/a.png", "/a.png",
		"example.com/a.png", "https://", "https:///a.png", "https://exa mple.com/", "https://example.com/\\u0009a",
		"http://[::1", baseURL + "/v1/media",
	} {
		refused := b.post(t, "/v1/media", `{"url":"`+address+`"}`)
		p := requireProblem(t, refused, http.StatusUnprocessableEntity, "IMPORT_FAILED")
		require.Contains(t, p["detail"], "cannot be fetched", address)
		require.NotContains(t, refused.body, "password-canary")
	}
	require.Zero(t, b.count(t, `media_import`))
	require.Zero(t, b.count(t, `outbox WHERE kind = 'import'`))
	require.Zero(t, b.used(t, b.ours)[1])
}

func TestImportFailures(t *testing.T) {
	t.Parallel()
	for code, status := range map[apperr.Code]int{
		apperr.ImportFailed: http.StatusUnprocessableEntity, apperr.QuotaExceeded: http.StatusForbidden,
		apperr.Unavailable: http.StatusServiceUnavailable,
	} {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.poked = b.importer(t, b.refused(code, "The reason, 100% of it."))
			refused := b.once(t, "k", "/v1/media", spring)
			p := requireProblem(t, refused, status, string(code))
			require.Equal(t, "The reason, 100% of it.", p["detail"])
			require.Equal(t, code == apperr.Unavailable, refused.header.Get("Retry-After") != "")
			require.Zero(t, b.used(t, b.ours))
			require.NotContains(t, refused.body, "canary")
			b.poked = b.importer(t, b.imported)
			requireFresh(t, b.once(t, "k", "/v1/media", spring), http.StatusCreated)
			requireProblem(t, b.once(t, "k", "/v1/posts", b.ours.withContent("x")), http.StatusUnprocessableEntity,
				"IDEMPOTENCY_KEY_REUSED")
		})
	}
}

func TestImportBeyondPlanIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.exec(t, `INSERT INTO workspace_usage (workspace_id, uploads) VALUES ($1, 5000)`, b.ours.id.String())
	requireProblem(t, b.post(t, "/v1/media", spring), http.StatusForbidden, "QUOTA_EXCEEDED")
	b.exec(t, `UPDATE workspace_usage SET uploads = 0, storage_bytes = 100::bigint << 30`)
	requireProblem(t, b.post(t, "/v1/media", spring), http.StatusForbidden, "QUOTA_EXCEEDED")
	require.Zero(t, b.count(t, `media_import`))
}

// TestRepeatedImport checks that the asset is created once, and that the response has its current state.
func TestRepeatedImport(t *testing.T) {
	t.Parallel()
	b := withFiles(t)
	b.poked = b.importer(t, b.imported)
	first := b.once(t, "k", "/v1/media", spring)
	requireFresh(t, first, http.StatusCreated)
	id := text(t, first.object(t), "id")
	requireSame := func(again response) {
		t.Helper()
		require.Equal(t, "true", again.header.Get(headerReplay), again.body)
		require.Equal(t, http.StatusCreated, again.status)
		require.Equal(t, first.header.Get("Location"), again.header.Get("Location"))
		require.Equal(t, id, again.object(t)["id"])
		res := download(t, text(t, again.object(t), "url"))
		require.Equal(t, http.StatusOK, res.status)
	}
	requireSame(b.once(t, "k", "/v1/media", spring))
	requireSame(b.twin(t).once(t, "k", "/v1/media", strings.ReplaceAll(spring, `","`, "\" ,\n\"")))
	other := strings.Replace(spring, "spring.png", "autumn.png", 1)
	requireProblem(t, b.once(t, "k", "/v1/media", other), http.StatusUnprocessableEntity, "IDEMPOTENCY_KEY_REUSED")
	requireFresh(t, b.once(t, "k2", "/v1/media", spring), http.StatusCreated)
	requireFresh(t, b.onceAs(t, b.theirs.key, "k", "/v1/media", spring), http.StatusCreated)
	requireProblem(t, b.once(t, "k", "/v1/posts", b.ours.withContent("x")), http.StatusUnprocessableEntity,
		"IDEMPOTENCY_KEY_REUSED")

	b.exec(t, `UPDATE workspace_usage SET uploads = 5000`)
	requireSame(b.once(t, "k", "/v1/media", spring)) // uses no additional quota
	requireProblem(t, b.once(t, "k3", "/v1/media", spring), http.StatusForbidden, "QUOTA_EXCEEDED")
	require.Equal(t, http.StatusNoContent, b.do(t,
		request{method: http.MethodDelete, path: "/v1/media/" + id, key: b.ours.key}).status)
	requireProblem(t, b.once(t, "k", "/v1/media", spring), http.StatusNotFound, "NOT_FOUND")
}

func TestConcurrentImportsWithSameKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var running atomic.Bool
	running.Store(true)
	end := b.importer(t, b.imported)
	b.poked = func() {
		if !running.Load() {
			end()
		}
	}
	first := later(func() response { return b.once(t, "k", "/v1/media", spring) })
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Len(c, b.column(t, `SELECT id FROM media_import WHERE state = 'RUNNING'`), 1)
	}, 10*time.Second, 10*time.Millisecond)
	for _, a := range atOnce(10, func(int) response { return b.once(t, "k", "/v1/media", spring) }) {
		requireProblem(t, a, http.StatusConflict, "IDEMPOTENCY_IN_PROGRESS")
		require.NotEmpty(t, a.header.Get("Retry-After"))
	}
	requireProblem(t, b.once(t, "k", "/v1/media", strings.Replace(spring, "png", "gif", 1)),
		http.StatusUnprocessableEntity, "IDEMPOTENCY_KEY_REUSED")
	running.Store(false)
	b.poked()
	requireFresh(t, <-first, http.StatusCreated)
	require.Equal(t, "true", b.once(t, "k", "/v1/media", spring).header.Get(headerReplay))
	require.Equal(t, 1, b.count(t, `media_import`))
}

// TestImportContinuesAfterDisconnect checks that the asset appears in the list.
func TestImportContinuesAfterDisconnect(t *testing.T) {
	t.Parallel()
	b := setup(t)
	begun := make(chan struct{})
	b.poked = func() { close(begun) }
	ctx, hangUp := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+b.address+"/v1/media", strings.NewReader(spring))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+b.ours.key)
	r.Header.Set("Content-Type", "application/json")
	ended := make(chan error, 1)
	go func() {
		res, err := b.client.Do(r)
		if err == nil {
			err = res.Body.Close()
		}
		ended <- err
	}()
	<-begun
	hangUp()
	require.ErrorIs(t, <-ended, context.Canceled)
	require.Equal(t, 1, b.count(t, `media_import WHERE state = 'RUNNING'`))
	b.importer(t, b.imported)()
	var page struct{ Data []map[string]any }
	b.get(t, "/v1/media?type=IMAGE").into(t, &page)
	require.Len(t, page.Data, 1)
	require.Equal(t, "Spring sale.html", page.Data[0]["name"])
}

// TestImportWaitsForSlowFile checks that the response arrives when the import ends, after any number of polls.
func TestImportWaitsForSlowFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := later(func() response { return b.post(t, "/v1/media", spring) })
	var i media.Import
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Len(c, b.column(t, `SELECT id FROM media_import`), 1)
	}, 10*time.Second, 10*time.Millisecond)
	b.importer(t, func(_ testing.TB, found media.Import) { i = found })()
	select {
	case <-first:
		require.Fail(t, "answered before it has ended")
	case <-time.After(700 * time.Millisecond): // longer than the longest polling interval
	}
	b.imported(t, i)
	requireFresh(t, <-first, http.StatusCreated)
}

func TestImportsOverLimitAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.exec(t, `INSERT INTO media_import (id, workspace_id, url, state, created_at, deadline)
		SELECT gen_random_uuid(), $1, 'x', 'RUNNING', now(), now() + interval '5 minutes' FROM generate_series(1, 5)`,
		b.ours.id.String())
	refused := b.post(t, "/v1/media", spring)
	requireProblem(t, refused, http.StatusTooManyRequests, "RATE_LIMITED")
	require.NotEmpty(t, refused.header.Get("Retry-After"))
}

// TestShutdownRespondsToWaitingClients checks that waiting clients get a response on shutdown, and that the import
// continues.
func TestShutdownRespondsToWaitingClients(t *testing.T) {
	t.Parallel()
	b := setup(t)
	responded := later(func() response { return b.post(t, "/v1/media", spring) })
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Equal(c, 1, b.count(t, `media_import`))
	}, 10*time.Second, 20*time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	require.NoError(t, b.server.Shutdown(ctx), "no request delays it")
	refused := <-responded
	p := requireProblem(t, refused, http.StatusServiceUnavailable, "UNAVAILABLE")
	require.Contains(t, p["detail"], "The operation continues")
	require.NotEmpty(t, refused.header.Get("Retry-After"))
	require.Equal(t, 1, b.count(t, `media_import WHERE state = 'RUNNING'`))
}
