package egress

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"socialpub.internal/shared/infra/telemetry/traces"
)

// The limits of downloads (decisions, section 6).
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
// A file is requested with GET, over new connections. Up to three redirects are followed. Each target passes both gates
// as the first URL did, a redirect from https to http is rejected, and nothing of a response except the URL is used in
// the next request. Nothing is decompressed, and a compressed response is rejected.
type Downloader struct {
	policy    *Policy
	userAgent string
	timeout   time.Duration
	dialer    *dialer
	transport http.RoundTripper
}

// Download is a file that is being downloaded. Close its Body as soon as it is no longer needed.
type Download struct {
	Size        int64  // announced size in bytes; -1 if unknown
	ContentType string // as declared, without parameters; untrusted; empty if there is none
	Name        string // file name from the response or its URL, safe to display; empty if there is none

	// Body is the content of the file. Its error is an *Error: timeout if the server is too slow or the time is over,
	// too_large after the given number of bytes, protocol_error if it ends before the announced size.
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
	if downloader.timeout == 0 {
		downloader.timeout = downloadTimeout
	}

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
// acceptable: status 200, no compression, and a size within the limit if announced. The error is an *Error.
//
// The context bounds the whole transfer, and so does the configured timeout.
func (d *Downloader) Get(ctx context.Context, address string, limit int64) (*Download, error) {
	limit = max(limit, 0)

	target, err := d.policy.ParseGate(Import, address)
	if err != nil {
		return nil, err
	}

	ctx, expire := context.WithTimeout(ctx, d.timeout)
	transfer, abandon := context.WithCancelCause(ctx)
	end := func(cause error) {
		abandon(cause)
		expire()
	}

	target, answer, err := d.follow(transfer, target) //nolint:bodyclose // by transferBody.Close
	if err != nil {
		end(nil)

		return nil, err
	}

	body := newTransferBody(transfer, answer, limit, end)
	if err := accept(answer, limit); err != nil {
		_ = body.Close()

		return nil, err
	}

	return &Download{
		Size:        answer.ContentLength,
		ContentType: declaredType(answer.Header),
		Name:        suggestedName(answer.Header, target),
		Body:        body,
	}, nil
}

// ask sends one request and returns its response header, whatever the status.
func (d *Downloader) ask(ctx context.Context, target *url.URL) (*http.Response, error) {
	received := &reception{}

	request, err := http.NewRequestWithContext(
		httptrace.WithClientTrace(ctx, received.trace()), http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, because(ClassProtocol, "the URL does not form a valid request", err)
	}

	request.Header.Set("User-Agent", d.userAgent)
	request.Header.Set("Accept", "*/*")
	request.Header.Set("Accept-Encoding", "identity")

	answer, err := d.transport.RoundTrip(request)
	if err != nil {
		return nil, received.classify(ctx, err)
	}

	return answer, nil
}

// accept checks the header of the final response.
func accept(answer *http.Response, limit int64) error {
	switch {
	case answer.StatusCode != http.StatusOK:
		failure := because(ClassStatus, fmt.Sprintf("the server responded with status %d", answer.StatusCode), nil)
		failure.Status = answer.StatusCode

		return failure
	case !isIdentity(answer.Header):
		return because(ClassProtocol, "the response is compressed, but compression was not requested", nil)
	case answer.ContentLength > limit:
		return because(ClassTooLarge, tooLarge, ErrLimit)
	default:
		return nil
	}
}

func isIdentity(header http.Header) bool {
	for _, value := range header.Values("Content-Encoding") {
		for coding := range strings.SplitSeq(value, ",") {
			if coding = strings.TrimSpace(coding); coding != "" && !strings.EqualFold(coding, "identity") {
				return false
			}
		}
	}

	return true
}

func declaredType(header http.Header) string {
	declared, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		return ""
	}

	return declared
}
