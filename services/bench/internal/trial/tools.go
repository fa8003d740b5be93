package trial

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"socialpub.internal/services/bench/internal/lab"
	"socialpub.internal/services/bench/internal/load"
	"socialpub.internal/services/bench/internal/result"
)

// Tools measures how fast a tool answers: list_posts through the tool server against the same page of the same posts from the REST
// API. Both sides are whole requests, with a key, rate limits and the same use case; what is between them is the protocol.
func Tools(ctx context.Context, l *lab.Lab) ([]result.Row, error) {
	_, key, err := filled(ctx, l, "Listing by a tool")
	if err != nil {
		return nil, err
	}
	api, err := l.Start(ctx, "api")
	if err != nil {
		return nil, err
	}
	defer api.Stop()
	tools, err := l.Start(ctx, "mcp")
	if err != nil {
		return nil, err
	}
	defer tools.Stop()
	if err := numbered(ctx, l); err != nil {
		return nil, err
	}
	rest := load.Call{Method: http.MethodGet, URL: l.APIURL + "/v1/posts", Key: key, Want: http.StatusOK}
	ours, err := listByTool(l.MCPURL, key)
	if err != nil {
		return nil, err
	}
	if err := listsPosts(ctx, ours); err != nil {
		return nil, err
	}
	row, err := inTurn(ctx, l, result.Tools, tools, ours, rest)
	if err != nil {
		return nil, err
	}
	return []result.Row{row}, listsPosts(ctx, ours) // a refusal would have been quick, and its status no other
}

// listByTool is the request by which clients of the protocol call list_posts.
func listByTool(address, key string) (load.Call, error) {
	const revision, tool = "2026-07-28", "list_posts"
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{
		"name": tool, "arguments": map[string]any{},
		"_meta": map[string]any{
			"io.modelcontextprotocol/protocolVersion":    revision,
			"io.modelcontextprotocol/clientInfo":         map[string]string{"name": "bench", "version": "1.0.0"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		},
	}})
	return load.Call{Method: http.MethodPost, URL: address, Key: key, Body: body, Want: http.StatusOK, Headers: map[string]string{
		"Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": revision, "Mcp-Method": "tools/call", "Mcp-Name": tool,
	}}, err
}

// listsPosts makes the call once, and looks whether its answer is a page of posts.
func listsPosts(ctx context.Context, call load.Call) error {
	const page = 25
	raw, err := call.Make(ctx, &http.Client{Timeout: limit})
	if err != nil {
		return err
	}
	var answer struct {
		Result struct {
			IsError           bool `json:"isError"`
			StructuredContent struct {
				Data []json.RawMessage `json:"data"`
			} `json:"structuredContent"`
		} `json:"result"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return fmt.Errorf("the tool's answer: %w: %s", err, raw)
	}
	if got := answer.Result; got.IsError || len(got.StructuredContent.Data) != page {
		return fmt.Errorf("the tool gave no page of posts: %s", raw)
	}
	return nil
}
