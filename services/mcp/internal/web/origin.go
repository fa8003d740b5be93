package web

import (
	"net/http"
	"slices"
	"strings"
)

// What pages of allowed origins may send and see.
const (
	corsMethods = "POST, OPTIONS"
	corsHeaders = "Authorization, Content-Type, Accept, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID"
	corsExposed = "WWW-Authenticate, Retry-After, X-Request-Id, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset"
	corsLife    = "7200"
)

// fromHere reports whether a request comes from a program, or from a page that may call the tool server. A page can be made to
// reach what its visitor reaches (DNS rebinding), and must not.
func (w *Web) fromHere(rw http.ResponseWriter, r *http.Request) bool {
	rw.Header().Add("Vary", "Origin")
	sent := r.Header.Values("Origin")
	if len(sent) == 0 {
		return true
	}
	if len(sent) > 1 || !slices.ContainsFunc(w.origins, func(o string) bool { return strings.EqualFold(o, sent[0]) }) {
		return false
	}
	rw.Header().Set("Access-Control-Allow-Origin", sent[0])
	rw.Header().Set("Access-Control-Expose-Headers", corsExposed)
	return true
}

// refuseOrigin answers as the protocol wants it: with an error that belongs to no message.
func refuseOrigin(rw http.ResponseWriter, _ *http.Request) {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(http.StatusForbidden)
	_, _ = rw.Write([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Pages of the origin that sent this may not call the tool server. Its operator can allow them by MCP_ORIGINS."}}`))
}

func (*Web) preflight(rw http.ResponseWriter, r *http.Request) {
	rw.Header().Set("Allow", corsMethods)
	if r.Header.Get("Origin") != "" {
		rw.Header().Set("Access-Control-Allow-Methods", corsMethods)
		rw.Header().Set("Access-Control-Allow-Headers", corsHeaders)
		rw.Header().Set("Access-Control-Max-Age", corsLife)
	}
	rw.WriteHeader(http.StatusNoContent)
}
