package pinterest

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

// Bounds of reading the pins of a board. Pinterest does not promise their order.
const (
	pinPage      = 25
	fewestPages  = 2
	longestPages = 20
)

type pinList struct {
	Items    []listedPin `json:"items"`
	Bookmark string      `json:"bookmark"` // of the next page; null on the last
}

type listedPin struct {
	ID          string `json:"id"`
	CreatedAt   string `json:"created_at"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Link        string `json:"link"`
	AltText     string `json:"alt_text"`
	Media       struct {
		Type string `json:"media_type"`
	} `json:"media"`
}

// Reconcile lists the pins of the board and searches for the sent one by its texts and its link. It skips pins that
// belong to other posts of this service. Absence is certain only if the whole board was read without a near match, or
// two pages or more that are in order and reach back before the call.
func (c *Connector) Reconcile(
	ctx context.Context, account platform.Account, content platform.Content, sent platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	if account.Credentials.AccessToken == "" {
		return platform.EvidenceUnclear, platform.Publication{}, c.client.Reconnect(errNoToken)
	}
	if !digits.MatchString(content.Options.BoardID) { // such a pin was never sent
		return platform.EvidenceAbsent, platform.Publication{}, nil
	}
	search := readback.NewSearchOf(sent, wantedOf(content, sent).match)
	order, bookmark := &newestFirst{}, ""
	for page := 1; page <= longestPages; page++ {
		list, err := c.listPins(ctx, account, content, bookmark)
		if err != nil {
			return platform.EvidenceUnclear, platform.Publication{}, err
		}
		posts := list.posts()
		if found, ok := search.Read(posts); ok {
			return platform.EvidenceFound, c.publication(found.ExternalID), nil
		}
		order.read(posts)
		if list.Bookmark == "" || page >= fewestPages && order.past(search.Since()) {
			return search.Absence(), platform.Publication{}, nil
		}
		if list.Bookmark == bookmark { // a list that does not advance
			break
		}
		bookmark = list.Bookmark
	}
	return platform.EvidenceUnclear, platform.Publication{}, nil
}

// listPins reads one page of the pins of the board, or of its section.
func (c *Connector) listPins(
	ctx context.Context, account platform.Account, content platform.Content, bookmark string,
) (pinList, error) {
	path := []string{version, "boards", content.Options.BoardID, "pins"}
	if section := content.Options.BoardSectionID; section != "" {
		path = []string{version, "boards", content.Options.BoardID, "sections", section, "pins"}
	}
	query := url.Values{"page_size": {strconv.Itoa(pinPage)}}
	if bookmark != "" {
		query.Set("bookmark", bookmark)
	}
	response, err := c.client.Call(ctx, httpcall.Request{
		Operation: "reconcile", Method: http.MethodGet, Path: path, Query: query, Header: bearer(account),
		Secrets: []string{account.Credentials.AccessToken},
	})
	if err != nil {
		return pinList{}, err
	}
	if !response.OK() {
		return pinList{}, c.client.ReadRefused(c.failure(response), "pins:read")
	}
	var list pinList
	if err := response.Decode(&list); err != nil || list.Items == nil || len(list.Bookmark) > longestBookmark {
		return pinList{}, c.client.Unclear(response, "not a listing of pins")
	}
	return list, nil
}

// posts converts the pins for the search. A pin with a malformed id gets none: if it matches, the outcome is unclear.
func (l pinList) posts() []readback.Listed {
	posts := make([]readback.Listed, len(l.Items))
	for i, pin := range l.Items {
		one := readback.Listed{
			Text: pin.Description, At: timeOf(pin.CreatedAt),
			Details: []string{pin.Title, pin.Link, pin.AltText, pin.Media.Type},
		}
		if digits.MatchString(pin.ID) {
			one.ID = pin.ID
		}
		posts[i] = one
	}
	return posts
}

// timeOf parses a time of Pinterest, which is UTC and often has no zone. It returns zero if it cannot.
func timeOf(text string) time.Time {
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05"} {
		if at, err := time.Parse(form, text); err == nil {
			return at
		}
	}
	return time.Time{}
}

// newestFirst follows the order of a list.
type newestFirst struct {
	last   time.Time
	first  time.Time
	broken bool
}

func (n *newestFirst) read(posts []readback.Listed) {
	for _, post := range posts {
		n.broken = n.broken || post.At.IsZero() || !n.last.IsZero() && post.At.After(n.last)
		if n.last = post.At; n.first.IsZero() {
			n.first = post.At
		}
	}
}

// past reports whether the list is ordered and has reached a time before since.
func (n *newestFirst) past(since time.Time) bool {
	return !n.broken && n.last.Before(n.first) && n.last.Before(since)
}

// wanted describes the sent pin for the search.
type wanted struct {
	text, title, link, alt string
	kind                   string // of its media
}

func wantedOf(content platform.Content, sent platform.Sent) wanted {
	pin := pinOf(content)
	kind := "image"
	_, _, isVideo := videoOf(content)
	switch {
	case isVideo:
		kind = "video"
	case len(content.Media) > 1:
		kind = "multiple_images"
	}
	return wanted{
		text: readback.Squeeze(sent.Text), title: readback.Squeeze(pin.Title), link: plainLink(pin.Link),
		alt: readback.Squeeze(pin.AltText), kind: kind,
	}
}

// match compares a listed pin with the sent one. Equal texts with another link, alternative text or kind of media leave
// a doubt, and so does a pin without any text.
func (w wanted) match(pin readback.Listed) readback.Match {
	title, link, alt, kind := pin.Details[0], pin.Details[1], pin.Details[2], pin.Details[3]
	if readback.Squeeze(pin.Text) != w.text || readback.Squeeze(title) != w.title {
		return readback.None
	}
	if plainLink(link) != w.link || readback.Squeeze(alt) != w.alt || kind != "" && kind != w.kind ||
		w.text+w.title+w.link+w.alt == "" {
		return readback.Near
	}
	return readback.Exact
}

// plainLink returns a link without the parts that do not change its target.
func plainLink(link string) string {
	parsed, err := url.Parse(link)
	if err != nil {
		return link
	}
	parsed.Scheme, parsed.Host = strings.ToLower(parsed.Scheme), strings.ToLower(parsed.Host)
	return strings.TrimSuffix(parsed.String(), "/")
}
