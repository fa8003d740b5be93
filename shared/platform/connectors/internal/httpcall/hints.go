package httpcall

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// longestWait caps the wait that a network requests. The longest rate-limit windows are a day.
const longestWait = 24 * time.Hour

// After returns the instant the given number of seconds from now, capped at longestWait. It returns zero if the number
// is not positive.
func (c *Client) After(seconds float64) time.Time {
	if !(seconds > 0) {
		return time.Time{}
	}
	return c.Now().Add(time.Duration(min(seconds, longestWait.Seconds()) * float64(time.Second)))
}

// RetryAfter parses the Retry-After header, in seconds or as a date (RFC 9110 §10.2.3). It returns zero if there is
// none.
func (c *Client) RetryAfter(header http.Header) time.Time {
	text := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(text, 10, 32); err == nil {
		return c.After(float64(seconds))
	}
	if at, err := http.ParseTime(text); err == nil {
		return c.After(at.Sub(c.Now()).Seconds())
	}
	return time.Time{}
}

// ResetAt parses a header with the Unix second at which a limit ends. It returns zero if it is missing or not in the
// future.
func (c *Client) ResetAt(header http.Header, name string) time.Time {
	seconds, err := strconv.ParseInt(strings.TrimSpace(header.Get(name)), 10, 64)
	if err != nil {
		return time.Time{}
	}
	// Floats do not overflow; a distant instant does not fit into a time.Duration.
	return c.After(float64(seconds) - float64(c.Now().Unix()))
}

// Permalink returns the URL if it is safe to show as a link: absolute, https, with a host, and without credentials or
// control characters. Plain http is accepted only if the API itself uses http, as in development.
func (c *Client) Permalink(text string) string {
	const longest = 2048
	if len(text) > longest || printable(text) != text {
		return ""
	}
	link, err := url.Parse(text)
	if err != nil || link.Hostname() == "" || link.User != nil {
		return ""
	}
	if link.Scheme != "https" && (link.Scheme != "http" || c.base.Scheme != "http") {
		return ""
	}
	return link.String()
}
