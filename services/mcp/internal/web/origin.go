package web

import (
	"net/http"
	"slices"
	"strings"
)

// CORS headers for pages of allowed origins.
const (
	corsMethods = "POST, OPTIONS"
	corsHeaders = "Authorization, Content-Type, Accept, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, " +
		"Last-Event-ID"
	corsExposed = "WWW-Authenticate, Retry-After, X-Request-Id, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset"
	corsLife    = "7200"
)

// fromHere reports whether a request has no Origin header or an allowed one. Otherwise a web page could use DNS
// rebinding to reach a server that only its visitor can reach.
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

// refuseOrigin responds with a JSON-RPC error without a message id, as the protocol requires.
func refuseOrigin(rw http.ResponseWriter, _ *http.Request) {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(http.StatusForbidden)
	_, _ = rw.Write(
		[]byte(
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"The origin of this request may not call the tool server. The operator can allow it in MCP_ORIGINS."}}`))
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
