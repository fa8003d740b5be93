package inbox

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// The views of the list. The first one is that of an address without a view.
const (
	viewOpen       = "open"
	viewMine       = "mine"
	viewUnassigned = "unassigned"
	viewSnoozed    = "snoozed"
	viewClosed     = "closed"
)

// query is the request of the address of the list, which the addresses of conversations repeat.
type query struct {
	view    string
	channel ident.Channel
	kind    inbox.Kind // empty: all
	text    string     // to search for, in every view
	search  post.Search
	fault   string // why there is no search for the text
	before  postgres.ConversationFilter
	unknown bool // the channel is none of the visitor's
}

func queryOf(values url.Values, of []channel.Channel) query {
	q := query{view: values.Get("view")}
	if !slices.Contains([]string{viewMine, viewUnassigned, viewSnoozed, viewClosed}, q.view) {
		q.view = viewOpen
	}
	q.kind = kindOf(values.Get("kind"))
	if wanted := values.Get("channel"); wanted != "" {
		at := slices.IndexFunc(of, func(c channel.Channel) bool { return c.ID.String() == wanted })
		if q.unknown = at < 0; at >= 0 {
			q.channel = of[at].ID
		}
	}
	words := []rune(strings.TrimSpace(values.Get("q")))
	q.text = string(words[:min(len(words), post.LongestSearch)])
	if q.text != "" {
		if q.search, q.fault = post.ParseSearch(q.text); q.fault != "" {
			q.fault = frame.Sentence("the search " + q.fault)
		}
	}
	if at, id, found := place(values.Get("before"), ident.Parse[ident.Conversation]); found {
		q.before.Before, q.before.BeforeID = at, id
	}
	return q
}

// place reads a place in a list: a time in microseconds and an ID.
func place[I any](text string, parse func(string) (I, error)) (at time.Time, id I, found bool) {
	micros, rest, _ := strings.Cut(text, ".")
	n, err := strconv.ParseInt(micros, 10, 64)
	if err != nil {
		return at, id, false
	}
	id, err = parse(rest)
	return time.UnixMicro(n).UTC(), id, err == nil
}

func placeOf(at time.Time, id interface{ String() string }) string {
	return strconv.FormatInt(at.UnixMicro(), 10) + "." + id.String()
}

// listed is the number of conversations on a page of the list.
const listed = 40

// filter returns the conversations of the list, and one more.
func (q query) filter(visitor ident.User) postgres.ConversationFilter {
	f := q.before
	f.Channel, f.Kind, f.Search, f.Limit = q.channel, q.kind, q.search, listed+1
	if !q.search.IsZero() {
		return f
	}
	f.States = []inbox.State{inbox.Open}
	switch q.view {
	case viewMine:
		f.Assignee = visitor
	case viewUnassigned:
		f.Unassigned = true
	case viewSnoozed:
		f.States = []inbox.State{inbox.Snoozed}
	case viewClosed:
		f.States = []inbox.State{inbox.Closed, inbox.Spam}
	}
	return f
}

// suffix returns the query of an address with the same list; empty for that of the open conversations.
func (q query) suffix(before string) string {
	values := url.Values{}
	if q.view != viewOpen {
		values.Set("view", q.view)
	}
	if !q.channel.IsZero() {
		values.Set("channel", q.channel.String())
	}
	if q.kind != "" {
		values.Set("kind", string(q.kind))
	}
	if q.text != "" {
		values.Set("q", q.text)
	}
	if before != "" {
		values.Set("before", before)
	}
	if len(values) == 0 {
		return ""
	}
	return "?" + values.Encode()
}

// here returns the part of the address that says which page of the list is shown.
func (q query) here() string {
	if q.before.BeforeID.IsZero() {
		return ""
	}
	return placeOf(q.before.Before, q.before.BeforeID)
}
