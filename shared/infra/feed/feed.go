// Package feed reads RSS, Atom and JSON feeds of addresses that users chose. Everything in a feed is foreign: its texts are cut and
// cleaned, and only addresses of the web are links.
package feed

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mmcdole/gofeed"

	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/kernel/plaintext"
)

const (
	timeout      = 15 * time.Second
	maxBody      = 2 << 20
	maxRedirects = 5
	maxItems     = 500
	longestTitle = 300 // characters
	longestLink  = 2048
	userAgent    = "Fencepost-Feeds/1"
	accepted     = "application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.1"
)

// Item is an entry of a feed.
type Item struct {
	// Key identifies the item in its feed: a hash of its guid, or else of its link, or else of its title.
	Key   [sha256.Size]byte
	Title string // one line; empty if there is none
	Link  string // http or https; empty if there is none
}

// Feed is a feed as it was read.
type Feed struct {
	Title string
	Items []Item // newest first
	// Unchanged reports that the server has nothing else than before; the feed is otherwise empty then.
	Unchanged    bool
	ETag         string
	LastModified string
}

// Refusal is why an address gave no feed, as a text for people.
type Refusal struct{ Text string }

// Error returns the text.
func (r *Refusal) Error() string { return r.Text }

func refuse(format string, args ...any) error { return &Refusal{fmt.Sprintf(format, args...)} }

// Reader reads feeds. It is safe for concurrent use.
type Reader struct{ client *egress.Client }

// NewReader returns a reader that reaches the addresses that the policy allows.
func NewReader(policy *egress.Policy) (*Reader, error) {
	client, err := egress.NewClient(egress.Config{
		Policy: policy, Profile: egress.Import, UserAgent: userAgent, Timeout: timeout, MaxBody: maxBody,
	})
	return &Reader{client}, err
}

// Read reads a feed, unless it equals an earlier response with the ETag and the time. The error is a *Refusal, or that of the
// context.
func (r *Reader) Read(ctx context.Context, address, etag, lastModified string) (Feed, error) {
	header := http.Header{"Accept": {accepted}}
	if etag != "" {
		header.Set("If-None-Match", etag)
	}
	if lastModified != "" {
		header.Set("If-Modified-Since", lastModified)
	}
	response, from, err := r.follow(ctx, address, header)
	if err != nil {
		return Feed{}, err
	}
	switch {
	case response.Status == http.StatusNotModified:
		return Feed{Unchanged: true, ETag: etag, LastModified: lastModified}, nil
	case response.Status != http.StatusOK:
		return Feed{}, refuse("The site responded with %d instead of a feed.", response.Status)
	case response.Truncated:
		return Feed{}, refuse("The feed is larger than %d MB.", maxBody>>20)
	case response.Header.Get("Content-Encoding") != "":
		return Feed{}, refuse("The site compresses the feed although it was not asked to.")
	}
	found, err := parse(response.Body, from)
	if err != nil {
		return Feed{}, err
	}
	found.ETag, found.LastModified = short(response.Header.Get("Etag")), short(response.Header.Get("Last-Modified"))
	return found, nil
}

// short returns a validator that is worth keeping.
func short(validator string) string {
	const longest = 300
	if len(validator) > longest {
		return ""
	}
	return validator
}

// follow requests an address and the targets of its redirects, each of which passes the rules of outgoing requests.
func (r *Reader) follow(ctx context.Context, address string, header http.Header) (*egress.Response, *url.URL, error) {
	for range maxRedirects + 1 {
		response, err := r.client.Do(ctx, egress.Request{Method: http.MethodGet, URL: address, Header: header})
		if err != nil {
			return nil, nil, refusal(ctx, err)
		}
		from, err := url.Parse(address)
		if err != nil {
			return nil, nil, refuse("The address is not valid.")
		}
		if response.Status < 300 || response.Status > 399 || response.Status == http.StatusNotModified {
			return response, from, nil
		}
		to, err := from.Parse(response.Header.Get("Location"))
		if err != nil || response.Header.Get("Location") == "" || from.Scheme == "https" && to.Scheme != "https" {
			return nil, nil, refuse("The site leads to an address that is not followed.")
		}
		to.Fragment = ""
		address = to.String()
	}
	return nil, nil, refuse("The address leads on too often.")
}

// refusal returns the reason of a failed request for people.
func refusal(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	known, ok := errors.AsType[*egress.Error](err)
	if !ok {
		return refuse("The address cannot be requested.")
	}
	return refuse("The feed cannot be read: %s.", known.Reason)
}

func parse(body []byte, from *url.URL) (Feed, error) {
	parsed, err := gofeed.NewParser().Parse(bytes.NewReader(body))
	if err != nil {
		return Feed{}, refuse("The address has no RSS or Atom feed. Use the address of the feed, not of the page.")
	}
	found := Feed{Title: line(parsed.Title)}
	entries := slices.DeleteFunc(parsed.Items, func(i *gofeed.Item) bool { return i == nil })
	slices.SortStableFunc(entries, func(a, b *gofeed.Item) int { return at(b).Compare(at(a)) }) // in the order of the feed without times
	for _, entry := range entries[:min(len(entries), maxItems)] {
		one := Item{Title: line(entry.Title), Link: link(entry.Link, from)}
		key := cmp.Or(strings.TrimSpace(entry.GUID), one.Link, one.Title)
		if one.Title == "" && one.Link == "" || key == "" {
			continue
		}
		one.Key = sha256.Sum256([]byte(key))
		if !slices.ContainsFunc(found.Items, func(known Item) bool { return known.Key == one.Key }) {
			found.Items = append(found.Items, one)
		}
	}
	return found, nil
}

// at returns the time of an entry; zero if it has none.
func at(i *gofeed.Item) time.Time {
	switch {
	case i.PublishedParsed != nil:
		return *i.PublishedParsed
	case i.UpdatedParsed != nil:
		return *i.UpdatedParsed
	default:
		return time.Time{}
	}
}

// line returns a foreign text as one line.
func line(text string) string {
	words := []rune(strings.Join(strings.Fields(plaintext.Normalize(strings.ToValidUTF8(text, ""))), " "))
	return string(words[:min(len(words), longestTitle)])
}

// link returns a foreign address, which may be relative to that of the feed; empty for one that is none of the web.
func link(text string, from *url.URL) string {
	to, err := from.Parse(strings.TrimSpace(text))
	if err != nil || strings.TrimSpace(text) == "" {
		return ""
	}
	parsed, err := plaintext.ParseURL(to.String())
	if err != nil || len(parsed.String()) > longestLink {
		return ""
	}
	return parsed.String()
}
