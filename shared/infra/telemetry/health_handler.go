package telemetry

import (
	"encoding/json"
	"net/http"
)

// LiveHandler serves /livez. It responds 200 as long as the process can respond at all. It checks no dependency,
// because a restart does not fix one.
func (c *Checks) LiveHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		write(w, http.StatusOK, Report{Status: StatusOK, Checks: map[string]HealthResult{}})
	})
}

// ReadyHandler serves /readyz. It responds 200 if every check passes, otherwise 503; the body names the failed checks.
//
// With the parameter exclude=checks it responds 503 only while the process is stopping. It is for a load balancer of two
// processes with the same dependencies: a slow database would take both out, while each could still respond.
func (c *Checks) ReadyHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		report := c.state()
		if r.URL.Query().Get("exclude") != "checks" {
			report = c.Report(r.Context())
		}

		status := http.StatusOK
		if report.Status != StatusOK {
			status = http.StatusServiceUnavailable
		}

		write(w, status, report)
	})
}

func write(w http.ResponseWriter, status int, report Report) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)

	_ = json.NewEncoder(w).Encode(report) // fails only when the caller is gone
}
