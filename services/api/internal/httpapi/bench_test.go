package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"
)

// Benchmarks of whole requests with the database but without the network.

func BenchmarkCreateDraft(b *testing.B) {
	s := setup(b)
	body := `{"channelIds":["` + s.ours.channel.String() +
		`"],"content":"Our spring collection is here.","schedule":"draft"}`
	measure(b, s, http.MethodPost, "/v1/posts", body, http.StatusCreated)
}

func BenchmarkListPosts(b *testing.B) {
	s := setup(b)
	for range 25 {
		s.draft(b, s.ours)
	}
	measure(b, s, http.MethodGet, "/v1/posts", "", http.StatusOK)
}

func BenchmarkGetPost(b *testing.B) {
	s := setup(b)
	measure(b, s, http.MethodGet, "/v1/posts/"+s.draft(b, s.ours), "", http.StatusOK)
}

// BenchmarkRefusal measures the HTTP edge alone, without database queries.
func BenchmarkRefusal(b *testing.B) {
	s := setup(b)
	measure(b, s, http.MethodPost, "/v1/posts", `{"channelIds":[]}`, http.StatusUnprocessableEntity)
}

func measure(b *testing.B, s *bundle, method, path, body string, status int) {
	b.Helper()
	handler := s.server.Fiber().Handler()
	call := func(ctx *fasthttp.RequestCtx) int {
		var req fasthttp.Request
		req.Header.SetMethod(method)
		req.SetRequestURI(path)
		req.Header.SetHost("x")
		req.Header.Set("Authorization", "Bearer "+s.ours.key)
		if body != "" {
			req.Header.SetContentType("application/json")
			req.SetBodyString(body)
		}
		ctx.Init(&req, nil, nil)
		handler(ctx)
		return ctx.Response.StatusCode()
	}
	require.Equal(b, status, call(&fasthttp.RequestCtx{}))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		ctx := &fasthttp.RequestCtx{}
		for pb.Next() {
			if got := call(ctx); got != status {
				b.Errorf("got %d", got)
			}
		}
	})
}
