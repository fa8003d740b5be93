package platformtest

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform"
)

// testUnavailableCommit checks that a 5xx response to the irrevocable call leaves its outcome unknown, and that
// reconciling then reports that the post is absent.
func testUnavailableCommit(t *testing.T, b *bench) {
	t.Helper()
	handle := b.ready(t)
	b.inject(t, "commit", "unavailable", 0)
	_, err := b.connector.Commit(t.Context(), b.account, b.content, handle)
	b.requireFailure(t, err, platform.ClassUnknown)
	b.requireLedger(t, 0)
	b.requireAbsent(t, handle)
}

// testRefused checks that a refused connection is transient: the call cannot have taken effect.
func testRefused(t *testing.T, b *bench) {
	t.Helper()
	handle := b.ready(t)
	b.front.goAway()
	_, err := b.connector.Commit(t.Context(), b.account, b.content, handle)
	b.requireFailure(t, err, platform.ClassTransient)
	b.requireLedger(t, 0)
}

func testTimeoutBefore(t *testing.T, b *bench) {
	t.Helper()
	handle := b.ready(t)
	b.inject(t, "commit", "timeout_before", time.Minute)
	_, err := b.connector.Commit(t.Context(), b.account, b.content, handle)
	b.requireFailure(t, err, platform.ClassUnknown)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	b.requireLedger(t, 0)
	b.requireAbsent(t, handle)
}

func testTimeoutAfter(t *testing.T, b *bench) {
	t.Helper()
	handle := b.ready(t)
	b.inject(t, "commit", "timeout_after_accept", time.Minute)
	_, err := b.connector.Commit(t.Context(), b.account, b.content, handle)
	b.requireFailure(t, err, platform.ClassUnknown)
	b.requireFound(t, handle, b.requireLedger(t, 1)[0])
	require.Equal(t, int32(1), b.front.commits.Load())
}

// testTaken checks that reconciling ignores a published post that belongs to another post with the same text.
func testTaken(t *testing.T, b *bench) {
	t.Helper()
	if b.connector.Strength() != platform.ReconcileMatch {
		return
	}
	publication, handle, err := b.commit(t)
	require.NoError(t, err)
	evidence, _ := b.reconcile(t, handle, b.settled(t, publication).ExternalID)
	require.Equal(t, b.absence(), evidence)
}

// testMangledResponses checks calls that the network accepts but whose response is malformed.
func testMangledResponses(t *testing.T, b *bench) {
	t.Helper()
	const huge = 50 << 20
	for name, mangle := range map[string]func(w http.ResponseWriter, a frontResponse){
		"nothing":        func(w http.ResponseWriter, _ frontResponse) { cut(w, nil) },
		"half a status":  func(w http.ResponseWriter, _ frontResponse) { cut(w, []byte("HTTP/1.1 2")) },
		"an empty body":  func(w http.ResponseWriter, a frontResponse) { w.WriteHeader(a.status) },
		"malformed JSON": func(w http.ResponseWriter, a frontResponse) { _, _ = w.Write(a.body[:len(a.body)/2]) },
		"a page": func(w http.ResponseWriter, _ frontResponse) {
			_, _ = w.Write(
				[]byte("<!doctype html><title>OK</title>"))
		},
		"no members": func(w http.ResponseWriter, _ frontResponse) { _, _ = w.Write([]byte("{}")) },
		"other types": func(w http.ResponseWriter, _ frontResponse) {
			_, _ = w.Write([]byte(`{"id":[],"data":7,"ok":"yes","result":[]}`))
		},
		"cut short": func(w http.ResponseWriter, a frontResponse) {
			cut(w, fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(a.body)+2, a.body))
		},
		"fifty megabytes": func(w http.ResponseWriter, _ frontResponse) {
			chunk := bytes.Repeat([]byte(" "), 1<<20)
			for sent := 0; sent < huge; sent += len(chunk) {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		},
		"an id with a line break": func(w http.ResponseWriter, _ frontResponse) {
			const id = `"1\r\nSet-Cookie: a=b"`
			_, _ = w.Write([]byte(strings.ReplaceAll(`{"id":ID,"data":{"id":ID},"ok":true,"result":{"message_id":ID}}`, "ID",
				id)))
		},
	} {
		if b.Addressed && name == "an empty body" { // it is the network's own
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			own := newBench(t, b.Harness, "mangled "+name)
			handle := own.ready(t)
			own.front.mangle(func(w http.ResponseWriter, _ *http.Request, pass func() frontResponse) { mangle(w, pass()) })
			_, err := own.connector.Commit(t.Context(), own.account, own.content, handle)
			own.requireFailure(t, err, platform.ClassUnknown)
			own.requireFound(t, handle, own.requireLedger(t, 1)[0])
			require.Equal(t, int32(1), own.front.commits.Load(), "the call was repeated")
		})
	}
}

// testServerErrors checks error responses of proxies in front of the network.
func testServerErrors(t *testing.T, b *bench) {
	t.Helper()
	for _, status := range []int{400, 403, 500, 502, 503, 504, 520, 599} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()

			own := newBench(t, b.Harness, fmt.Sprintf("status %d", status))
			handle := own.ready(t)
			own.front.mangle(func(w http.ResponseWriter, _ *http.Request, _ func() frontResponse) {
				w.WriteHeader(status)
				_, _ = w.Write([]byte("<html><title>Proxy</title>"))
			})
			_, err := own.connector.Commit(t.Context(), own.account, own.content, handle)
			own.requireFailure(t, err, platform.ClassUnknown)
		})
	}
}

func testRedirect(t *testing.T, b *bench) {
	t.Helper()
	handle := b.ready(t)
	b.front.mangle(func(w http.ResponseWriter, _ *http.Request, _ func() frontResponse) {
		w.Header().Set("Location", b.front.server.URL+redirected)
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	_, err := b.connector.Commit(t.Context(), b.account, b.content, handle)
	b.requireFailure(t, err, platform.ClassUnknown)
	b.front.requireNoRedirect(t)
	b.requireLedger(t, 0)
}

// testSendWindow checks that a worker that was paused too long after recording its intent does not send.
func testSendWindow(t *testing.T, b *bench) {
	t.Helper()
	handle := b.ready(t)
	_, err := b.connector.Commit(platform.WithSendBy(t.Context(), time.Now().Add(-time.Second)), b.account, b.content,
		handle)
	require.Equal(t, platform.CodeSendWindowClosed, b.failureOf(t, err, platform.ClassTransient).Code)
	require.Zero(t, b.front.commits.Load())
	b.requireLedger(t, 0)

	_, err = b.connector.Commit(platform.WithSendBy(t.Context(), time.Now().Add(time.Minute)), b.account, b.content,
		handle)
	require.NoError(t, err)
	b.requireLedger(t, 1)
}

// testHostileLink checks that a permalink from the network is dropped unless it is a web address, because users see it.
func testHostileLink(t *testing.T, b *bench) {
	t.Helper()
	if b.Addressed { // the connector refuses the address of the call
		return
	}
	b.front.rewriting(func(body []byte) []byte {
		return bytes.ReplaceAll(body, []byte("http://"), []byte("javascript:alert(1)//"))
	})
	publication, _, err := b.commit(t)
	require.NoError(t, err)
	require.NotEmpty(t, publication.ExternalID)
	require.NotContains(t, publication.URL, "javascript")
}
