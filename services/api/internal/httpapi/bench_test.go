package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"
)

// Benchmarks of whole requests, without the network but with the database: what an operation costs.

func BenchmarkCreateDraft(b *testing.B) {
	s := setup(b)
	body := `{"channelIds":["` + s.ours.channel.String() + `"],"content":"Our spring collection is here.","schedule":"draft"}`
	s.bench(b, http.MethodPost, "/v1/posts", body, http.StatusCreated)
}

func BenchmarkListPosts(b *testing.B) {
	s := setup(b)
	for range 25 {
		s.draft(b, s.ours)
	}
	s.bench(b, http.MethodGet, "/v1/posts", "", http.StatusOK)
}

func BenchmarkGetPost(b *testing.B) {
	s := setup(b)
	s.bench(b, http.MethodGet, "/v1/posts/"+s.draft(b, s.ours), "", http.StatusOK)
}

// BenchmarkRefusal is the cost of the edge alone: nothing of it asks the database.
func BenchmarkRefusal(b *testing.B) {
	s := setup(b)
	s.bench(b, http.MethodPost, "/v1/posts", `{"channelIds":[]}`, http.StatusUnprocessableEntity)
}

func (b *bundle) bench(t *testing.B, method, path, body string, status int) {
	t.Helper()
	handler := b.server.Fiber().Handler()
	call := func(ctx *fasthttp.RequestCtx) int {
		var req fasthttp.Request
		req.Header.SetMethod(method)
		req.SetRequestURI(path)
		req.Header.SetHost("x")
		req.Header.Set("Authorization", "Bearer "+b.ours.key)
		if body != "" {
			req.Header.SetContentType("application/json")
			req.SetBodyString(body)
		}
		ctx.Init(&req, nil, nil)
		handler(ctx)
		return ctx.Response.StatusCode()
	}
	require.Equal(t, status, call(&fasthttp.RequestCtx{}))
	t.ReportAllocs()
	t.RunParallel(func(pb *testing.PB) {
		ctx := &fasthttp.RequestCtx{}
		for pb.Next() {
			if got := call(ctx); got != status {
				t.Errorf("got %d", got)
			}
		}
	})
}
