package telemetry

import (
	"net/http"
	"net/http/pprof"
)

// WithProfiles adds the profiles of the Go runtime under /debug/pprof/ to OpsHandler. Use it only for development: a
// profile shows the program's internals, and taking one is expensive.
func WithProfiles(ops http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", ops)
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	return mux
}
