package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// result is the result of a tool.
type result struct {
	Content           []struct{ Type, Text string } `json:"content"`
	StructuredContent json.RawMessage               `json:"structuredContent"`
	IsError           bool                          `json:"isError"`
}

// refusal is the result of a failed tool call.
type refusal struct {
	Code              string
	Title             string
	Detail            string
	Errors            []struct{ Pointer, Message string }
	CurrentStatus     string
	RequiredScopes    []string
	RetryAfterSeconds int
	Next              string
	Type              string
	RequestID         string
}

// call calls a tool with a key, and validates the result against the published schema.
func (b *bundle) call(t testing.TB, key, tool string, arguments any) object {
	t.Helper()
	r := b.resultOf(t, tool, b.do(t, callOf(t, newest, key, tool, arguments)))
	require.False(t, r.IsError, "%s: %s", tool, r.Content[0].Text)
	return b.good(t, tool, r)
}

// did calls a tool with our key.
func (b *bundle) did(t testing.TB, tool string, arguments any) object {
	t.Helper()
	return b.call(t, b.ours.key, tool, arguments)
}

// good checks a successful result.
func (b *bundle) good(t testing.TB, tool string, r result) object {
	t.Helper()
	require.JSONEq(t, string(r.StructuredContent), r.Content[0].Text)
	var out object
	require.NoError(t, json.Unmarshal(r.StructuredContent, &out))
	require.NoError(t, b.outputs[tool].Validate(out), "%s: %s", tool, r.StructuredContent)
	return out
}

func (b *bundle) resultOf(t testing.TB, tool string, a toolResponse) result {
	t.Helper()
	require.Equal(t, http.StatusOK, a.status, "%s: %s", tool, a.body)
	require.Contains(t, a.header.Get("Content-Type"), "application/json")
	var response struct {
		Result *result         `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	require.NoError(t, json.Unmarshal([]byte(a.body), &response), a.body)
	require.Nil(t, response.Error, a.body)
	require.NotNil(t, response.Result, a.body)
	require.Len(t, response.Result.Content, 1)
	require.Equal(t, "text", response.Result.Content[0].Type)
	return *response.Result
}

// refused calls a tool with our key and requires a refusal.
func (b *bundle) refused(t testing.TB, tool string, arguments any, code string) refusal {
	t.Helper()
	return b.refusedAs(t, b.ours.key, tool, arguments, code)
}

func (b *bundle) refusedAs(t testing.TB, key, tool string, arguments any, code string) refusal {
	t.Helper()
	return b.refusalIn(t, tool, b.do(t, callOf(t, newest, key, tool, arguments)), code)
}

// refusalIn checks the common parts of every refusal.
func (b *bundle) refusalIn(t testing.TB, tool string, a toolResponse, code string) refusal {
	t.Helper()
	r := b.resultOf(t, tool, a)
	require.True(t, r.IsError, "%s: %s", tool, r.Content[0].Text)
	require.Empty(t, r.StructuredContent, "data of a result have the shape that was published")
	var got refusal
	require.NoError(t, json.Unmarshal([]byte(r.Content[0].Text), &got), r.Content[0].Text)
	require.Equal(t, code, got.Code, "%s: %s", tool, r.Content[0].Text)
	require.NotEmpty(t, got.Title)
	require.NotEmpty(t, got.Detail)
	require.Greater(t, len(got.Next), 20, "what to do next")
	require.Equal(t, baseURL+"/problems/"+strings.ReplaceAll(strings.ToLower(code), "_", "-"), got.Type)
	require.Equal(t, a.header.Get("X-Request-Id"), got.RequestID)
	return got
}

func (r refusal) pointers() []string {
	out := make([]string, len(r.Errors))
	for i, e := range r.Errors {
		out[i] = e.Pointer
	}
	return out
}

// rpcError is the JSON-RPC error of a message.
type rpcError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

func requireRPCError(t testing.TB, a toolResponse, status, code int) rpcError {
	t.Helper()
	require.Equal(t, status, a.status, a.body)
	var response struct {
		JSONRPC string    `json:"jsonrpc"`
		Error   *rpcError `json:"error"`
	}
	require.NoError(t, json.Unmarshal([]byte(a.body), &response), a.body)
	require.Equal(t, "2.0", response.JSONRPC)
	require.NotNil(t, response.Error, a.body)
	require.Equal(t, code, response.Error.Code, a.body)
	require.NotEmpty(t, response.Error.Message)
	return *response.Error
}

// requireProblem checks a response that did not reach the protocol library.
func requireProblem(t testing.TB, a toolResponse, status int, code string) object {
	t.Helper()
	require.Equal(t, status, a.status, a.body)
	require.Equal(t, "application/problem+json", a.header.Get("Content-Type"))
	require.Equal(t, "nosniff", a.header.Get("X-Content-Type-Options"))
	require.Equal(t, "no-store", a.header.Get("Cache-Control"))
	p := decoded(t, a.body)
	require.Equal(t, code, p["code"], a.body)
	require.InDelta(t, status, p["status"], 0)
	require.Equal(t, a.header.Get("X-Request-Id"), p["requestId"])
	require.NotEmpty(t, p["detail"])
	return p
}
