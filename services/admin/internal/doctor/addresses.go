package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/infra/config"
)

const (
	codeOther = "ADDRESS_OTHER"
	// expiresSoon is the rest of a certificate's life that automatic renewal leaves in normal operation.
	expiresSoon    = 14 * 24 * time.Hour
	addressTimeout = 10 * time.Second
	pathResource   = "/.well-known/oauth-protected-resource"
)

// newClient returns a client that follows no redirect.
func newClient() *http.Client {
	transport := &http.Transport{TLSHandshakeTimeout: addressTimeout, ForceAttemptHTTP2: true, DisableKeepAlives: true}
	return &http.Client{
		Timeout: addressTimeout, Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// publicAddress is an address that clients reach, with a page that identifies the program there.
type publicAddress struct {
	variable, address, page string
	member                  string // of the page's JSON, which equals the address; empty: any page of the program
}

// addresses checks that each public address leads to its program.
func (e *exam) addresses(ctx context.Context) {
	cfg, valid := load[config.Public](e)
	if !valid {
		return
	}
	list := []publicAddress{
		{"BASE_URL", cfg.BaseURL, join(cfg.BaseURL, oauth.PathMetadata), "issuer"},
		{"APP_URL", cfg.AppURL, join(cfg.AppURL, "/"), ""},
		{"MCP_URL", cfg.MCPURL, resource(cfg.MCPURL), "resource"},
		{"PAGES_URL", cfg.PagesURL, join(cfg.PagesURL, "/"), ""},
	}
	if cfg.InboundURL != "" {
		list = append(list, publicAddress{"INBOUND_URL", cfg.InboundURL, join(cfg.InboundURL, "/"), ""})
	}
	before := len(e.findings)
	for _, a := range list {
		e.address(ctx, a)
	}
	if len(e.findings) == before {
		e.ok(checkAddresses, "each public address leads to its program")
	}
}

func join(base, path string) string { return strings.TrimRight(base, "/") + path }

// resource returns the address of a resource's metadata (RFC 9728).
func resource(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	u.Path = pathResource + u.Path
	return u.String()
}

func (e *exam) address(ctx context.Context, a publicAddress) {
	status, body, err := e.get(ctx, a.page)
	if err != nil || status >= http.StatusInternalServerError || status == http.StatusMisdirectedRequest {
		e.report(e.unreached(a.variable, a.address, status, err))
		return
	}
	if a.member != "" {
		var page map[string]any
		_ = json.Unmarshal(body, &page) // anything else is another program's page
		if named, _ := page[a.member].(string); strings.TrimRight(named, "/") != strings.TrimRight(a.address, "/") {
			f := e.unreached(a.variable, a.address, status, nil)
			f.Cause = fmt.Sprintf("%s responds with status %d, and names %q.", a.page, status, named)
			if named == "" {
				f.Cause = fmt.Sprintf("%s responds with status %d: %s", a.page, status, excerpt(body))
			}
			e.report(f)
			return
		}
	}
	e.isLocal(a.variable, a.address)
}

// isLocal reports an address that only this machine or network reaches, or that is not encrypted.
func (e *exam) isLocal(variable, address string) {
	u, err := url.Parse(address)
	if err != nil {
		return
	}
	host := u.Hostname()
	ip, failed := netip.ParseAddr(host)
	local := host == "localhost" || strings.HasSuffix(host, ".localhost") ||
		failed == nil && (ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast()) || failed != nil && !strings.Contains(host, ".")
	switch {
	case local:
		e.report(Finding{
			Check: checkAddresses, Level: Warning, Code: "ADDRESS_LOCAL", Text: variable + " is " + address + ".",
			Cause: "Clients elsewhere cannot reach it.", Remedy: "Set " + variable + " to the public address.",
		})
	case u.Scheme != "https":
		e.report(Finding{
			Check: checkAddresses, Code: "ADDRESS_NOT_ENCRYPTED", Text: variable + " is " + address + ".",
			Cause: "Credentials cross the network without encryption.", Remedy: "Put a proxy with TLS in front, and set https.",
		})
	}
}

// expiry reports a certificate that ends soon.
func (e *exam) expiry(address string, state *tls.ConnectionState) {
	u, err := url.Parse(address)
	if err != nil || state == nil || len(state.PeerCertificates) == 0 {
		return
	}
	ends := state.PeerCertificates[0].NotAfter
	if ends.Sub(e.Clock.Now()) < expiresSoon {
		e.report(Finding{
			Check: checkAddresses, Level: Warning, Code: "CERTIFICATE_EXPIRES",
			Text:   "The certificate of " + u.Host + " ends on " + ends.UTC().Format(time.DateOnly) + ".",
			Cause:  "It was not renewed.",
			Remedy: "Check the renewal of certificates at the proxy.",
		})
	}
}

// unreached explains why a public address does not lead to its program.
func (e *exam) unreached(variable, address string, status int, err error) Finding {
	f := Finding{
		Check: checkAddresses, Code: codeOther, Text: variable + " (" + address + ") does not lead to its program.",
		Remedy: "Lead the address to the program, without changing the path.",
	}
	if err != nil {
		return noConnection(f, variable, err)
	}
	f.Cause = fmt.Sprintf("It responds with status %d.", status)
	switch status {
	case http.StatusMisdirectedRequest:
		f.Code = "ADDRESS_HOST"
		f.Cause = "The program refuses the host of the request (421): the proxy replaces it, or the program has another " + variable + "."
		f.Remedy = "Let the proxy pass the Host header on, or add its host to ALLOWED_HOSTS; give all programs the same " + variable + "."
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		f.Code = "ADDRESS_DOWN"
		f.Cause = fmt.Sprintf("The proxy does not reach the program, or the program lacks a dependency (status %d).", status)
		f.Remedy = "Start the program, and read its /readyz."
	}
	return f
}

func noConnection(f Finding, variable string, err error) Finding {
	f.Code, f.Cause = "ADDRESS_UNREACHABLE", causeOf(err)
	f.Remedy = "Check the proxy, its port and firewalls on the way."
	unknown, isName := errors.AsType[*net.DNSError](err)
	_, isCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, isForeign := errors.AsType[x509.UnknownAuthorityError](err)
	_, isPlain := errors.AsType[tls.RecordHeaderError](err)
	switch {
	case isName:
		f.Code = "ADDRESS_NAME"
		f.Remedy = "Add the name " + unknown.Name + " to DNS, or correct " + variable + "."
	case isCertificate, isForeign, isPlain:
		f.Code = "ADDRESS_CERTIFICATE"
		f.Remedy = "Install a valid certificate for the host at the proxy."
	}
	return f
}
