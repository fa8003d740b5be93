package web

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// offeredOnly refuses the methods of what the tool server does not have: prompts, resources, subscriptions. The library would answer
// them with empty lists, and hold connections open on which nothing is ever said.
func offeredOnly(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		if known(method) == otherMethod && !strings.HasPrefix(method, "notifications/") {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "There is no such method here; what there is, is tools."}
		}
		return next(ctx, method, r)
	}
}
