package trial

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/services/bench/internal/load"
	"fencepost.internal/services/bench/internal/result"
)

// Tools measures how fast a tool responds: list_posts through the tool server, with a key, rate limits and the use
// case. The ceiling is the protocol's library alone, which returns the same posts from memory.
func Tools(ctx context.Context, l *lab.Lab) ([]result.Row, error) {
	_, key, err := filled(ctx, l, "Listing by a tool")
	if err != nil {
		return nil, err
	}
	tools, err := l.Start(ctx, "mcp")
	if err != nil {
		return nil, err
	}
	defer tools.Stop()
	if err := numbered(ctx, l); err != nil {
		return nil, err
	}
	ours, err := listByTool(l.MCPURL, key)
	if err != nil {
		return nil, err
	}
	posts, err := listsPosts(ctx, ours)
	if err != nil {
		return nil, err
	}
	plain, alone, err := bareTool(ctx, l, ours, posts)
	if err != nil {
		return nil, err
	}
	defer plain.Stop()
	if _, err := listsPosts(ctx, alone); err != nil {
		return nil, err
	}
	row, err := inTurn(ctx, l, result.Tools, tools, ours, alone)
	if err != nil {
		return nil, err
	}
	_, err = listsPosts(ctx, ours) // an error would also be fast and have the same status
	return []result.Row{row}, err
}

// bareTool starts the library alone, with a tool that returns the posts.
func bareTool(ctx context.Context, l *lab.Lab, call load.Call, posts []byte) (*lab.Process, load.Call, error) {
	path := filepath.Join(l.Folder, "posts.json")
	const mode = 0o600
	if err := os.WriteFile(path, posts, mode); err != nil {
		return nil, call, err
	}
	address, err := lab.FreeAddress(ctx)
	if err != nil {
		return nil, call, err
	}
	call.URL = "http://" + address + "/"
	plain, err := l.StartSelf(ctx, "bare-tool", address, "bare-tool", "-address", address, "-tool", toolListed, "-file",
		path)
	return plain, call, err
}

const toolListed = "list_posts"

// listByTool returns the request with which clients of the protocol call list_posts.
func listByTool(address, key string) (load.Call, error) {
	const revision, tool = "2026-07-28", toolListed
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{
		"name": tool, "arguments": map[string]any{},
		"_meta": map[string]any{
			"io.modelcontextprotocol/protocolVersion":    revision,
			"io.modelcontextprotocol/clientInfo":         map[string]string{"name": "bench", "version": "1.0.0"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		},
	}})
	return load.Call{
		Method: http.MethodPost, URL: address, Key: key, Body: body, Want: http.StatusOK,
		Headers: map[string]string{
			"Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": revision, "Mcp-Method": "tools/call",
			"Mcp-Name": tool,
		},
	}, err
}

// listsPosts makes the call once and returns the page of posts in the response.
func listsPosts(ctx context.Context, call load.Call) (json.RawMessage, error) {
	const page = 25
	raw, err := call.Make(ctx, &http.Client{Timeout: limit})
	if err != nil {
		return nil, err
	}
	var answer struct {
		Result struct {
			IsError bool            `json:"isError"`
			Data    json.RawMessage `json:"structuredContent"`
		} `json:"result"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, fmt.Errorf("the tool's response: %w: %s", err, raw)
	}
	var posts struct {
		Data []json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(answer.Result.Data, &posts); err != nil || answer.Result.IsError || len(posts.Data) != page {
		return nil, fmt.Errorf("the tool returned no page of posts: %s", raw)
	}
	return answer.Result.Data, nil
}
