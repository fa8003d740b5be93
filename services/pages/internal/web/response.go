package web

import (
	"slices"
	"strconv"
	"strings"

	"github.com/valyala/fasthttp"

	"fencepost.internal/services/internal/render"
)

// set sets a header of the response.
func set(ctx *fasthttp.RequestCtx, name, value string) { ctx.Response.Header.Set(name, value) }

// requested holds the request headers that the site uses, read in one pass. It is valid until the response is sent.
type requested struct {
	userAgent, encodings, known, purpose, forwarded []byte

	accept, language bool // reports whether the header is present
}

func read(ctx *fasthttp.RequestCtx) requested {
	var a requested
	for name, value := range ctx.Request.Header.All() {
		switch string(name) {
		case "User-Agent":
			a.userAgent = value
		case "Accept":
			a.accept = a.accept || len(value) > 0
		case "Accept-Language":
			a.language = a.language || len(value) > 0
		case "Accept-Encoding":
			a.encodings = listed(a.encodings, value)
		case "If-None-Match":
			a.known = listed(a.known, value)
		case "X-Forwarded-For":
			a.forwarded = listed(a.forwarded, value)
		case "Sec-Purpose", "Purpose", "X-Purpose", "X-Moz":
			a.purpose = listed(a.purpose, value)
		}
	}
	return a
}

// listed joins the lines of a header into one list.
func listed(before, line []byte) []byte {
	if before == nil {
		return line
	}
	return slices.Concat(before, []byte(","), line)
}

// redirect writes the address as it is stored, without a body.
func redirect(ctx *fasthttp.RequestCtx, target string, status int, caching string) {
	if !visible(target) {
		ctx.SetStatusCode(fasthttp.StatusNotFound)
		return
	}
	set(ctx, "Cache-Control", caching)
	set(ctx, "Location", target)
	ctx.SetStatusCode(status)
}

// visible reports whether an address is non-empty and consists of visible ASCII. The domain has checked that already;
// an address with other characters could end the header early.
func visible(address string) bool {
	return address != "" && !strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' })
}

// send writes a document in an encoding that the client accepts, or 304 if the client has the document already.
func send(ctx *fasthttp.RequestCtx, status int, doc render.Document) {
	a := read(ctx)
	set(ctx, "Content-Security-Policy", doc.Policy)
	body, coding := doc.Plain, ""
	switch offered := string(a.encodings); {
	case accepts(offered, "br"):
		body, coding = doc.Brotli, "br"
	case accepts(offered, "gzip"):
		body, coding = doc.Gzip, "gzip"
	}
	set(ctx, "Vary", "Accept-Encoding")
	if status == fasthttp.StatusOK {
		set(ctx, "Etag", `"`+strings.TrimSuffix(doc.Tag+"-"+coding, "-")+`"`)
		if matches(string(a.known), doc.Tag) {
			ctx.SetStatusCode(fasthttp.StatusNotModified)
			return
		}
	}
	ctx.SetStatusCode(status)
	ctx.SetContentType("text/html; charset=utf-8")
	if coding != "" {
		set(ctx, "Content-Encoding", coding)
	}
	ctx.Response.SetBodyRaw(body) // for HEAD, the server sends only the length
}

// matches reports whether the client has the document in any encoding (RFC 9110, 13.1.2).
func matches(list, tag string) bool {
	if list == "" {
		return false
	}
	for candidate := range strings.SplitSeq(list, ",") {
		candidate = strings.Trim(strings.TrimPrefix(strings.TrimSpace(candidate), "W/"), `"`)
		base, _, _ := strings.Cut(candidate, "-")
		if base == tag || candidate == "*" {
			return true
		}
	}
	return false
}

// accepts reports whether the client accepts the encoding (RFC 9110, 12.5.3).
func accepts(list, coding string) bool {
	for offer := range strings.SplitSeq(list, ",") {
		name, parameter, _ := strings.Cut(strings.TrimSpace(offer), ";")
		if !strings.EqualFold(strings.TrimSpace(name), coding) {
			continue
		}
		quality, found := strings.CutPrefix(strings.TrimSpace(parameter), "q=")
		weight, err := strconv.ParseFloat(quality, 64)
		return !found || err == nil && weight > 0
	}
	return false
}
