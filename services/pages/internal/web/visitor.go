package web

import (
	"net"
	"net/netip"

	"github.com/valyala/fasthttp"

	"fencepost.internal/services/internal/hosts"
	"fencepost.internal/services/pages/internal/tally"
)

// visit returns the request as a visit. seen is false if no person sees the response, as for HEAD requests
// and prefetches.
func (s *Site) visit(ctx *fasthttp.RequestCtx) (visit tally.Visit, seen bool) {
	a := read(ctx)
	if !ctx.IsGet() || tally.IsPrefetch(string(a.purpose)) {
		return tally.Visit{}, false
	}
	agent := string(a.userAgent)
	return tally.Visit{Address: s.origin(ctx, a), UserAgent: agent, Bot: s.agents.IsBot(agent, a.accept && a.language)},
		true
}

// origin returns the client's address: the last address that does not belong to a trusted proxy.
func (s *Site) origin(ctx *fasthttp.RequestCtx, a requested) netip.Addr {
	remote, ok := ctx.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	return hosts.Client(remote.AddrPort().Addr(), string(a.forwarded), s.TrustedProxies)
}
