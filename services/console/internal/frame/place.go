package frame

import (
	"net/http"

	"fencepost.internal/services/internal/hosts"
	"fencepost.internal/shared/infra/ratelimit"
)

// Place returns the network that the request comes from, behind trusted proxies.
func (v *Visit) Place() string {
	return hosts.Customer(hosts.ClientOf(v.Request, v.frame.cfg.TrustedProxies))
}

// FromPlace reports whether the visitor's network may make another request of a kind, of perMinute within a minute. It
// responds with the text and a link if not.
func (v *Visit) FromPlace(limiter *ratelimit.Limiter, kind string, perMinute int, text string, back Link) bool {
	limit := ratelimit.Limit{PerMinute: perMinute, Burst: perMinute}
	if limiter.Take(v.Request.Context(), kind+"-from:"+v.Place(), limit).Allowed {
		return true
	}
	v.Out.Header().Set("Retry-After", "60")
	v.Message(http.StatusTooManyRequests, "Too many attempts", text, back)
	return false
}
