package posts

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

const maxSearch = 200 // characters

// query is the request of the address of the list.
type query struct {
	status  post.Status
	channel ident.Channel
	text    string
	after   post.Position
	unknown string // a value of a filter that does not exist
}

func (p *posts) queryOf(v *frame.Visit, channels []channel.Channel) query {
	q := query{status: post.Status(strings.ToUpper(v.Query("status"))), after: position(v.Query("after"))}
	words := []rune(strings.TrimSpace(v.Query("q")))
	q.text = string(words[:min(len(words), maxSearch)])
	if q.status != "" && !q.status.Known() {
		q.unknown, q.status = v.Query("status"), ""
	}
	if wanted := v.Query("channel"); wanted != "" {
		at := slices.IndexFunc(channels, func(c channel.Channel) bool { return c.ID.String() == wanted })
		if at < 0 {
			q.unknown = wanted
		} else {
			q.channel = channels[at].ID
		}
	}
	return q
}

// sort returns the order of the list: what is planned begins with what is due next.
func (q query) sort() post.Sort {
	if q.status == post.Scheduled || q.status == post.PendingApproval {
		return post.EarliestFirst
	}
	return post.NewestFirst
}

// address returns the address of the list with the same search and channel.
func (q query) address(v *frame.Visit, status post.Status, after string) string {
	values := url.Values{}
	of := ""
	if !q.channel.IsZero() {
		of = q.channel.String()
	}
	for name, value := range map[string]string{
		"status": strings.ToLower(string(status)), "channel": of, "q": q.text, "after": after,
	} {
		if value != "" {
			values.Set(name, value)
		}
	}
	path := v.Path("/posts")
	if len(values) > 0 {
		path += "?" + values.Encode()
	}
	return path
}

// all reports whether the list is neither filtered nor searched.
func (q query) all() bool {
	return q.unknown == "" && q.text == "" && q.status == "" && q.channel.IsZero() && q.after.ID.IsZero()
}

// cursor writes a position in an address.
func cursor(p post.Position) string {
	at := ""
	if !p.At.IsZero() {
		at = strconv.FormatInt(p.At.UnixMicro(), 10)
	}
	return at + "." + p.ID.String()
}

// position parses the position after which a page starts; zero for a malformed one.
func position(text string) post.Position {
	at, id, _ := strings.Cut(text, ".")
	parsed, err := ident.Parse[ident.Post](id)
	if err != nil {
		return post.Position{}
	}
	if at == "" { // a post without a time
		return post.Position{ID: parsed}
	}
	micros, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return post.Position{}
	}
	return post.Position{At: time.UnixMicro(micros).UTC(), ID: parsed}
}
