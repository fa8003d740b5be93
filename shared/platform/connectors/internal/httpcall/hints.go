package httpcall

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// longestWait bounds what a network may ask for; its windows are a day at the most.
const longestWait = 24 * time.Hour

// After is the instant so many seconds from now, as a hint to wait for; zero for a hint that makes no sense.
func (c *Client) After(seconds float64) time.Time {
	if !(seconds > 0) {
		return time.Time{}
	}
	return c.Now().Add(time.Duration(min(seconds, longestWait.Seconds()) * float64(time.Second)))
}

// RetryAfter reads the header of that name, in seconds or as a date (RFC 9110 §10.2.3); zero when there is none.
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

// ResetAt reads a header that holds the Unix second at which a limit ends; zero when there is none in the future.
func (c *Client) ResetAt(header http.Header, name string) time.Time {
	seconds, err := strconv.ParseInt(strings.TrimSpace(header.Get(name)), 10, 64)
	if err != nil {
		return time.Time{}
	}
	// As numbers that cannot overflow: a far instant would not fit into a duration.
	return c.After(float64(seconds) - float64(c.Now().Unix()))
}

// Permalink is the address when it may be shown as a link: absolute, https, with a host and without credentials or
// control characters. Plain http passes only when the API itself is spoken to over http, as in development.
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
