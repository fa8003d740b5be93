package egress

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"fencepost.internal/shared/infra/telemetry/traces"
)

// The limits of downloads (docs/contract.md, Uploads and imports).
const (
	downloadTimeout  = 5 * time.Minute
	reachTimeout     = 5 * time.Second
	handshakeTimeout = 5 * time.Second
	headTimeout      = 10 * time.Second
	slackTime        = 10 * time.Second
	minRate          = 32 << 10 // bytes per second
)

// DownloaderConfig configures a downloader. Timeout is zero except in tests.
type DownloaderConfig struct {
	Policy    *Policy
	UserAgent string         // sent with every request
	Timeout   time.Duration  // of a whole transfer including redirects; 0 means 5 minutes
	Resolver  Resolver       // nil means Go's own resolver
	RootCAs   *x509.CertPool // nil means the system's certificate authorities
}

// Downloader downloads files from URLs that users chose, with the profile Import. It is safe for concurrent use.
//
// A file is requested with GET, over new connections. Up to ten redirects are followed. Each target passes both gates
// as the first URL did, a redirect from https to http is rejected, and nothing of a response except the URL and cookies
// is used in the next request. Compression is not requested; gzip is decompressed all the same, because some servers
// send nothing else, and other codings are rejected.
type Downloader struct {
	policy    *Policy
	userAgent string
	timeout   time.Duration
	dialer    *dialer
	transport http.RoundTripper
}

// Download is a file that is being downloaded. Close its Body as soon as it is no longer needed.
type Download struct {
	Host        string // of the URL that returned the file
	Size        int64  // announced size in bytes; -1 if unknown
	ContentType string // as declared, without parameters; untrusted; empty if there is none
	Name        string // file name from the response or its URL, safe to display; empty if there is none

	// Body is the content of the file. Its error is an *Error: timeout if the server is too slow or the time is over,
	// too_large after the given number of bytes, protocol_error if it ends before the announced size or is no valid gzip.
	Body io.ReadCloser
}

// NewDownloader returns a downloader. It returns an error if the policy or user agent is missing or a limit is
// negative.
func NewDownloader(config DownloaderConfig) (*Downloader, error) {
	switch {
	case config.Policy == nil:
		return nil, errors.New("egress: DownloaderConfig.Policy is missing")
	case config.UserAgent == "" || !httpguts.ValidHeaderFieldValue(config.UserAgent):
		return nil, errors.New("egress: DownloaderConfig.UserAgent is missing or malformed")
	case config.Timeout < 0:
		return nil, errors.New("egress: DownloaderConfig.Timeout is negative")
	}

	downloader := &Downloader{policy: config.Policy, userAgent: config.UserAgent, timeout: config.Timeout}
	downloader.timeout = cmp.Or(downloader.timeout, downloadTimeout)

	downloader.dialer = &dialer{
		policy:    config.Policy,
		profile:   Import,
		resolver:  resolverOr(config.Resolver),
		total:     reachTimeout + handshakeTimeout,
		reach:     reachTimeout,
		handshake: handshakeTimeout,
		roots:     config.RootCAs,
		connect:   connect,
	}
	transport := newTransport(downloader.dialer)
	transport.ResponseHeaderTimeout = headTimeout
	downloader.transport = traces.Transport(transport)

	return downloader, nil
}

// Get starts to download a file of at most limit bytes. It returns when the response header has arrived and is
// acceptable: status 200, no compression but gzip, and a size within the limit if announced. The error is an *Error.
//
// The context bounds the whole transfer, and so does the configured timeout.
func (d *Downloader) Get(ctx context.Context, address string, limit int64) (*Download, error) {
	return d.Fetch(ctx, FileRequest{Address: address, Limit: limit})
}

// FileRequest is a request for a file at a service that the program knows.
type FileRequest struct {
	Address string
	Header  http.Header
	// Hosts are those that may have the file, with their port unless it is the usual one. A leading "*." means any
	// subdomains. Then no redirect leads to another host, so that none gets the header; nil: any host, for requests without
	// a header.
	Hosts []string
	Limit int64 // bytes
}

// Fetch is Get for a service that the program knows.
func (d *Downloader) Fetch(ctx context.Context, r FileRequest) (*Download, error) {
	limit := max(r.Limit, 0)

	target, err := d.policy.ParseGate(Import, r.Address)
	if err != nil {
		return nil, err
	}

	if r.Hosts != nil && !slices.ContainsFunc(r.Hosts, func(host string) bool { return isHost(target.Host, host) }) {
		return nil, blockedURL("the host is not one of the service")
	}

	ctx, expire := context.WithTimeout(ctx, d.timeout)
	transfer, abandon := context.WithCancelCause(ctx)
	end := func(cause error) {
		abandon(cause)
		expire()
	}

	target, response, err := d.follow(transfer, target, r) //nolint:bodyclose // by transferBody.Close
	if err != nil {
		end(nil)

		return nil, err
	}

	size, packed := response.ContentLength, isGzip(response.Header)
	received := limit
	if packed {
		size, received = -1, packedLimit(limit)
	}

	var body io.ReadCloser = newTransferBody(transfer, response, received, end)
	if err := accept(response, packed, received); err != nil {
		_ = body.Close()

		return nil, err
	}

	if packed {
		body = &unpackedBody{packed: body, remaining: limit}
	}

	return &Download{
		Host:        target.Hostname(),
		Size:        size,
		ContentType: declaredType(response.Header),
		Name:        suggestedName(response.Header, target),
		Body:        body,
	}, nil
}

// ask sends one request and returns its response header, whatever the status.
func (d *Downloader) ask(
	ctx context.Context, target *url.URL, header http.Header, cookies http.CookieJar,
) (*http.Response, error) {
	received := &reception{}

	request, err := http.NewRequestWithContext(
		httptrace.WithClientTrace(ctx, received.trace()), http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, because(ClassProtocol, "the URL does not form a valid request", err)
	}

	for name, values := range header {
		request.Header[http.CanonicalHeaderKey(name)] = values
	}

	request.Header.Set("User-Agent", d.userAgent)
	request.Header.Set("Accept", "*/*")
	request.Header.Set("Accept-Encoding", "identity")

	for _, cookie := range cookies.Cookies(target) {
		request.AddCookie(cookie)
	}

	response, err := d.transport.RoundTrip(request)
	if err != nil {
		return nil, received.classify(ctx, err)
	}

	return response, nil
}

// isHost reports whether a host, with its port unless it is the usual one, is a given one or one of its subdomains.
func isHost(host, given string) bool {
	domain, below := strings.CutPrefix(given, "*.")

	return host == given || below && strings.HasSuffix(host, "."+domain)
}

// accept checks the header of the final response.
func accept(response *http.Response, packed bool, limit int64) error {
	switch {
	case response.StatusCode != http.StatusOK:
		failure := because(ClassStatus, fmt.Sprintf("the server responded with status %d", response.StatusCode), nil)
		failure.Status = response.StatusCode

		return failure
	case !packed && len(codings(response.Header)) > 0:
		return because(ClassProtocol, "the response is compressed in another form than gzip", nil)
	case response.ContentLength > limit:
		return because(ClassTooLarge, tooLarge, ErrLimit)
	default:
		return nil
	}
}

// codings returns the content codings of a response in lower case, without identity.
func codings(header http.Header) []string {
	var found []string

	for _, value := range header.Values("Content-Encoding") {
		for coding := range strings.SplitSeq(strings.ToLower(value), ",") {
			if coding = strings.TrimSpace(coding); coding != "" && coding != "identity" {
				found = append(found, coding)
			}
		}
	}

	return found
}

func isGzip(header http.Header) bool {
	found := codings(header)

	return len(found) == 1 && (found[0] == "gzip" || found[0] == "x-gzip")
}

func declaredType(header http.Header) string {
	declared, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		return ""
	}

	return declared
}
