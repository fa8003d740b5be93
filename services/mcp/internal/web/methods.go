package web

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// offeredOnly rejects the methods of unsupported features: prompts, resources, subscriptions. The library would respond
// with empty lists, and keep connections open without ever sending a message.
func offeredOnly(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		if known(method) == otherMethod && !strings.HasPrefix(method, "notifications/") {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "The method is not supported. The server " +
				"supports tools only."}
		}
		return next(ctx, method, r)
	}
}
