package telemetry

import (
	"net/http"
	"net/http/pprof"
)

// WithProfiles adds the profiles of the Go runtime under /debug/pprof/ to what OpsHandler serves. For development only: a
// profile shows the program from inside, and taking one costs.
func WithProfiles(ops http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", ops)
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	return mux
}
