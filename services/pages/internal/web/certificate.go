package web

import (
	"github.com/valyala/fasthttp"

	"fencepost.internal/services/internal/hosts"
)

// pathCertificate is the address at which a proxy in front asks whether it may obtain a certificate for a name.
const pathCertificate = "/-/certificate"

// certificate responds with 200 for a verified domain of a page, and otherwise with 404. The proxy asks by any host.
func (s *Site) certificate(ctx *fasthttp.RequestCtx) {
	if s.Shelf.ByDomain(hosts.Name(string(ctx.QueryArgs().Peek("domain")))) == "" {
		ctx.SetStatusCode(fasthttp.StatusNotFound)
		return
	}
	ctx.SetStatusCode(fasthttp.StatusOK)
}
