package egress

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// maxRedirects is the number of redirects that a download follows (decisions, section 6).
const maxRedirects = 3

// follow asks for an address and for those that the answers lead to. It returns the answer that is no redirect, and where
// it came from.
func (d *Downloader) follow(ctx context.Context, target *url.URL) (*url.URL, *http.Response, error) {
	for hop := 0; ; hop++ {
		answer, err := d.ask(ctx, target)
		if err != nil {
			return nil, nil, onTheWay(hop, err)
		}

		if !isRedirect(answer.StatusCode) {
			return target, answer, nil
		}

		_ = answer.Body.Close() // unread: it ends with its connection

		if hop == maxRedirects {
			return nil, nil, newError(ClassRedirects, StageExchange, nil)
		}

		if target, err = d.next(target, answer.Header); err != nil {
			return nil, nil, err
		}
	}
}

// isRedirect tells whether an answer sends on. The other statuses of its class are no answer to a plain GET.
func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	default:
		return false
	}
}

// next passes the destination of a redirect through the parse gate. A fragment is left out: it is for the reader of a page.
func (d *Downloader) next(from *url.URL, header http.Header) (*url.URL, error) {
	locations := header.Values("Location")
	if len(locations) != 1 || locations[0] == "" {
		return nil, because(ClassProtocol, "it redirects without a destination", nil)
	}

	location, _, _ := strings.Cut(locations[0], "#")

	address, err := resolveReference(from, location)
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

// resolveReference makes an absolute address. One that is absolute already stays as it was written, for the gate to judge.
func resolveReference(from *url.URL, location string) (string, error) {
	if err := checkText(location); err != nil {
		return "", err
	}

	parsed, err := url.Parse(location)

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

// onTheWay says of a refusal that it was not the first address that was refused: users know no other one.
func onTheWay(hop int, err error) error {
	var known *Error
	if hop == 0 || !errors.As(err, &known) || known.Class != ClassBlockedURL && known.Class != ClassBlockedAddress {
		return err
	}

	refusal := *known
	refusal.Reason = "it redirects to an address that is refused: " + known.Reason
	refusal.Cause = fmt.Errorf("egress: redirect: %w", err)

	return &refusal
}
