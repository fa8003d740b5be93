package egress

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"

	"golang.org/x/net/publicsuffix"

	"fencepost.internal/shared/kernel/plaintext"
)

// maxRedirects is the number of redirects that a download follows. Share links of storage services need up to five, and
// browsers follow 20.
const maxRedirects = 10

// follow requests a URL and the targets of its redirects. It returns the first response that is not a redirect, and its
// URL. Cookies are kept in between, under the rules of browsers: some servers redirect until their cookie comes back.
func (d *Downloader) follow(ctx context.Context, target *url.URL, r FileRequest) (*url.URL, *http.Response, error) {
	cookies, err := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
	if err != nil {
		return nil, nil, fmt.Errorf("egress: %w", err)
	}

	first := target.Host

	for hop := 0; ; hop++ {
		response, err := d.ask(ctx, target, r.Header, cookies)
		if err != nil {
			return nil, nil, onTheWay(hop, err)
		}

		if !isRedirect(response.StatusCode) {
			return target, response, nil
		}

		_ = response.Body.Close() // unread: closing the body closes the connection

		if hop == maxRedirects {
			return nil, nil, newError(ClassRedirects, StageExchange, nil)
		}

		cookies.SetCookies(target, response.Cookies())

		if target, err = d.next(target, response.Header); err != nil {
			return nil, nil, err
		}

		if r.Hosts != nil && target.Host != first {
			return nil, nil, onTheWay(1, blockedURL("the host is another one"))
		}
	}
}

// isRedirect reports whether the status is a redirect. Other 3xx statuses are not valid responses to a plain GET.
func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	default:
		return false
	}
}

// next checks the target of a redirect with the parse gate. The fragment is dropped, because it is not sent to servers.
// Spaces are percent-encoded, as in browsers; in a host, the parse gate refuses both forms.
func (d *Downloader) next(from *url.URL, header http.Header) (*url.URL, error) {
	locations := header.Values("Location")
	if len(locations) != 1 || locations[0] == "" {
		return nil, because(ClassProtocol, "it redirects without a location", nil)
	}

	location, _, _ := strings.Cut(locations[0], "#")

	address, err := resolveReference(from, strings.ReplaceAll(location, " ", "%20"))
	if err != nil {
		return nil, onTheWay(1, err)
	}

	target, err := d.policy.ParseGate(Import, address)
	if err != nil {
		return nil, onTheWay(1, err)
	}

	if from.Scheme == "https" && target.Scheme != "https" {
		return nil, blockedURL("it redirects from https to http")
	}

	return target, nil
}

// resolveReference returns the absolute URL of a reference. An absolute URL stays as it was written, for the gate to
// check.
func resolveReference(from *url.URL, location string) (string, error) {
	if err := checkText(location); err != nil {
		return "", err
	}

	parsed, err := url.Parse(plaintext.EncodeURL(location, unsafe))

	switch {
	case err != nil:
		return "", blockedURL("it is not a valid URL")
	case parsed.IsAbs():
		return location, nil
	case strings.HasPrefix(location, "//"):
		return from.Scheme + ":" + location, nil
	default:
		return from.ResolveReference(parsed).String(), nil
	}
}

// onTheWay adds to a rejection that it concerns the target of a redirect, because users know only the first URL.
func onTheWay(hop int, err error) error {
	var known *Error
	if hop == 0 || !errors.As(err, &known) || known.Class != ClassBlockedURL && known.Class != ClassBlockedAddress {
		return err
	}

	refusal := *known
	refusal.Reason = "it redirects to a rejected URL: " + known.Reason
	refusal.Cause = fmt.Errorf("egress: redirect: %w", err)

	return &refusal
}
