package bare

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeTools serves one tool of the Model Context Protocol until the context ends. The tool returns the content of the
// file. It is the baseline of the protocol's library without authentication, validation or lookup.
func ServeTools(ctx context.Context, address, tool, file string) error {
	raw, err := os.ReadFile(file) //nolint:gosec // G304: the measurement's own file
	if err != nil {
		return err
	}
	const patience = 5 * time.Second
	offered := mcp.NewServer(&mcp.Implementation{Name: "bare", Version: "1.0.0"}, nil)
	offered.AddTool(&mcp.Tool{Name: tool, InputSchema: map[string]any{"type": "object"}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{
				StructuredContent: json.RawMessage(raw), Content: []mcp.Content{&mcp.TextContent{Text: string(raw)}},
			}, nil
		})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(http.ResponseWriter, *http.Request) {})
	mux.Handle("POST /", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return offered },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}))
	server := &http.Server{Addr: address, Handler: mux, ReadHeaderTimeout: patience}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
