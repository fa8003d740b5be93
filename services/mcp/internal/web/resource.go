package web

import (
	"net/http"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/kernel/apperr"
)

// pathMetadata is the path of the protected resource metadata (RFC 9728, section 3).
const pathMetadata = "/.well-known/oauth-protected-resource"

// describeResource serves the protected resource metadata. It is public for all origins.
func (w *Web) describeResource(rw http.ResponseWriter, r *http.Request) {
	header := rw.Header()
	header.Set("Access-Control-Allow-Origin", "*")
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodOptions:
		header.Set("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS")
		header.Set("Access-Control-Allow-Headers", "Content-Type, Mcp-Protocol-Version")
		header.Set("Access-Control-Max-Age", corsLife)
		rw.WriteHeader(http.StatusNoContent)
		return
	default:
		header.Set("Allow", "GET, HEAD, OPTIONS")
		w.refuse(rw, r, apperr.New(apperr.MethodNotAllowed, "Read the document by GET."))
		return
	}
	document := oauth.ProtectedResource(w.cfg.URL, "Fencepost tools", w.cfg.BaseURL, w.tools.Scopes())
	document.Documentation = w.cfg.BaseURL + "/docs"
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "public, max-age=3600")
	if r.Method == http.MethodGet {
		_ = apiforms.Encode(rw, document)
	}
}

// unknownPath responds to requests for other paths with the address of the endpoint.
func (w *Web) unknownPath(rw http.ResponseWriter, r *http.Request) {
	w.refuse(rw, r, apperr.New(apperr.NotFound, "There is no resource at this URL. The tool server for clients of the "+
		"Model Context Protocol is at %s.", w.cfg.URL))
}

// open serves requests without a credential, and charges them to the source address.
func (w *Web) open(handle http.HandlerFunc) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		if err := w.chargeAddress(rw, r, false); err != nil {
			w.refuse(rw, r, err)
			return
		}
		handle(rw, r)
	}
}
