package gateway

import (
	"log/slog"
	"net/http"
	"slices"
)

// judge returns the refusal that replaces the store's response, or nil if the client may see the response. The store's
// own error texts are never shown: they name its request, its host and its software, and are XML that a browser would
// open.
func (x *exchange) judge(res *http.Response) *refusal {
	good := []int{http.StatusOK, http.StatusPartialContent, http.StatusNotModified}
	if x.in.Method == http.MethodPut {
		good = []int{http.StatusOK, http.StatusCreated, http.StatusNoContent}
	}
	switch status := res.StatusCode; {
	case slices.Contains(good, status):
		return nil
	case x.cut.Load(), x.slow.Load():
		return x.broken()
	case status == http.StatusNotFound && x.in.Method != http.MethodPut:
		return notFound
	case status == http.StatusRequestedRangeNotSatisfiable:
		x.out.Header()["Content-Range"] = res.Header["Content-Range"]
		return wrongRange
	case status == http.StatusForbidden && x.expired():
		return linkExpired
	case status >= http.StatusBadRequest && status < http.StatusInternalServerError &&
		!slices.Contains([]int{http.StatusNotFound, http.StatusRequestTimeout, http.StatusTooManyRequests}, status):
		return linkRefused
	default:
		x.gateway.log.WarnContext(x.in.Context(), "the object store does not serve requests", slog.Int("status", status))
		return unavailable
	}
}

func (x *exchange) broken() *refusal {
	if x.slow.Load() {
		return stalled
	}
	return incomplete
}
