package frame

import (
	"context"
	"net/http"
	"strings"
	"time"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/gate"
	"fencepost.internal/services/internal/problem"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock"
)

// guard wraps every request with security headers and the host check.
func (f *Frame) guard(next http.Handler, streams *http.ServeMux) http.Handler {
	guarded, streaming := f.sites.Handler(next), f.sites.Handler(streams)
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		h := rw.Header()
		h.Set("Content-Security-Policy", f.policy("'self'"))
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		// Addresses contain the handles of pending requests. With no-referrer, forms would also lack the Origin header,
		// by which older browsers' forms are verified.
		h.Set("Referrer-Policy", "same-origin")
		if !leadsToConsent(r.URL.Path) {
			h.Set("Cross-Origin-Opener-Policy", "same-origin")
		}
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		h.Set("Cache-Control", "no-store")
		if f.secure {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		if err := f.cfg.Hosts.Check(r.Host); err != nil {
			f.misdirected(rw, r, err)
			return
		}
		if _, pattern := streams.Handler(r); pattern != "" {
			streaming.ServeHTTP(rw, r)
			return
		}
		guarded.ServeHTTP(rw, r)
	})
}

// leadsToConsent reports whether a page is on the way to the decision about a program. A program that opened the way in
// a window waits for the window to return: one page with another opener policy on the way would part them.
func leadsToConsent(path string) bool {
	return path == PathSignIn || path == PathConsent || strings.HasPrefix(path, PathSignIn+"/")
}

// limited ends the requests of a route after its time.
func (f *Frame) limited(route Route, next http.Handler) http.Handler {
	limits := f.cfg.Timeouts
	limit := limits.Request
	if route.Slow {
		limit = limits.Slow
	}
	limit = max(limit, route.Longest)
	if route.Method() == http.MethodPost {
		return f.receiving(route, limit, next)
	}
	bounded := http.TimeoutHandler(next, limit, "The request took too long.")
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		// an error means that the writer has no deadline, as in tests
		_ = MayWriteFor(rw, limit+limits.Request)
		bounded.ServeHTTP(rw, r)
	})
}

// receiving gives a form time to arrive, longer if it has files. It uses no http.TimeoutHandler: a read that fails cancels
// the context of the request, and that handler then responds without a text.
func (f *Frame) receiving(route Route, limit time.Duration, next http.Handler) http.Handler {
	limits := f.cfg.Timeouts
	arrival := limits.Request
	if route.MaxForm > 0 {
		arrival = limits.Upload
	}
	limit += arrival
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		// errors mean that the connection has no deadlines, as in tests
		_ = http.NewResponseController(rw).SetReadDeadline(clock.System().Now().Add(arrival))
		_ = MayWriteFor(rw, limit+limits.Request)
		ctx, cancel := context.WithTimeout(r.Context(), limit)
		defer cancel()
		next.ServeHTTP(rw, r.WithContext(ctx))
	})
}

// MayWriteFor gives a response another time limit than that of the server. Deadlines of connections are in the time of the
// system.
func MayWriteFor(rw http.ResponseWriter, limit time.Duration) error {
	return http.NewResponseController(rw).SetWriteDeadline(clock.System().Now().Add(limit))
}

// AllowForms lets the forms of a page, and the redirects that follow, lead to other sources than the application.
func (v *Visit) AllowForms(sources string) {
	v.Out.Header().Set("Content-Security-Policy", v.frame.policy(sources))
}

// AllowFrames lets a page show other pages of the application in frames.
func (v *Visit) AllowFrames() {
	v.Out.Header().Set("Content-Security-Policy", v.frame.policy("'self'")+"; frame-src 'self'")
}

// policy returns the Content-Security-Policy with the targets of forms. Scripts and styles are files of the application;
// nothing is inline, and no picture comes from a network. Uploads go to the origin of the files; blob: shows what a person
// chose before it is sent.
func (f *Frame) policy(forms string) string {
	sources := func(of ...string) string { return strings.Join(strings.Fields(strings.Join(of, " ")), " ") }
	return strings.Join([]string{
		"default-src 'none'", "script-src 'self'", "style-src 'self'", "font-src 'self'", "manifest-src 'self'",
		sources("img-src 'self' data: blob:", f.cfg.Images), sources("media-src 'self' blob:", f.cfg.Images),
		sources("connect-src 'self'", f.cfg.Images),
		"form-action " + forms, "base-uri 'none'", "frame-ancestors 'none'",
		// Texts become HTML only by the policy of trusted.js.
		"require-trusted-types-for 'script'", "trusted-types default",
	}, "; ")
}

// misdirected responds to a request for another host. The response is a problem document, because it is read by a
// program, not a person.
func (f *Frame) misdirected(rw http.ResponseWriter, r *http.Request, err error) {
	id := gate.RequestID("")
	document := problem.New(problem.KindOf(apperr.CodeOf(err)), problem.Occurrence{
		BaseURL: f.cfg.BaseURL, Path: r.URL.Path, RequestID: id, Detail: problem.Failure(err, "request").Message,
	})
	rw.Header().Set(gate.HeaderRequestID, id)
	rw.Header().Set("Content-Type", problem.MediaType)
	rw.WriteHeader(document.Status)
	_ = apiforms.Encode(rw, document) // an error concerns only the client's connection
}
