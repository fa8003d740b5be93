package web

import (
	"context"
	"log/slog"
	"net/http"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/problem"
	"fencepost.internal/shared/kernel/apperr"
)

const realm = `Bearer realm="Fencepost tools"`

// refuse responds with a problem document (RFC 9457), as the API does, to a request that does not reach the protocol
// library.
func (w *Web) refuse(rw http.ResponseWriter, r *http.Request, err error) {
	failure := problem.Failure(err, "request")
	kind := problem.KindOf(failure.Code)
	e := exchangeOf(r.Context())
	e.problem.Store(new(string(kind.Code)))
	detail := failure.Message
	if kind.Code == apperr.Internal {
		detail = problem.DetailOfInternal
	}
	if kind.Status >= http.StatusInternalServerError {
		w.fail(r.Context(), e.tool, err)
	}
	header := rw.Header()
	switch kind.Code { //nolint:exhaustive // the others have no headers of their own
	case apperr.Unauthenticated:
		header.Set("WWW-Authenticate", w.challenge(e))
	case apperr.InsufficientScope:
		header.Set("WWW-Authenticate", realm+`, error="insufficient_scope", scope="`+joined(e.challenge)+
			`", resource_metadata="`+w.metadata+`"`)
	case apperr.Unavailable, apperr.RateLimited:
		header.Set("Retry-After", problem.RetryAfter(failure))
	}
	document := problem.New(kind, problem.Occurrence{
		BaseURL: w.cfg.BaseURL, Path: r.URL.Path, RequestID: e.requestID, Detail: detail,
	})
	header.Set("Content-Type", problem.MediaType)
	rw.WriteHeader(document.Status)
	if r.Method != http.MethodHead {
		_ = apiforms.Encode(rw, document)
	}
}

// challenge returns the WWW-Authenticate value (RFC 9728, section 5.1). It has no error attribute if the request had no
// credential (RFC 6750, section 3). It lists all scopes of the tools, as the metadata does: many clients never request
// more scopes later, and users can deselect scopes.
func (w *Web) challenge(e *exchange) string {
	text := realm
	if e.credential {
		text += `, error="invalid_token"`
	}
	return text + `, scope="` + joined(w.tools.Scopes()) + `", resource_metadata="` + w.metadata + `"`
}

// fail logs an internal error.
func (w *Web) fail(ctx context.Context, tool string, err error) {
	level := slog.LevelError
	if apperr.CodeOf(err) == apperr.Unavailable {
		level = slog.LevelWarn
	}
	w.cfg.Logger.LogAttrs(ctx, level, "call failed", slog.String("tool", tool), slog.Any("error", err))
}
