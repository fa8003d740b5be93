package facebookapi

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"socialpub.internal/services/sandbox/internal/count"
	"socialpub.internal/services/sandbox/internal/figures"
	"socialpub.internal/services/sandbox/internal/ledger"
	"socialpub.internal/services/sandbox/internal/stage"
)

const (
	textLimit = 63_206
	// uniqueFor is the time in which a Page cannot repeat a text. Facebook's error says "right away" without a duration.
	uniqueFor = time.Minute
)

// create publishes a text. It rejects parameters that the sandbox cannot show, so that no post is published incomplete.
func (a *API) create(w http.ResponseWriter, r request) {
	for _, name := range []string{
		"attached_media", "link", "object_attachment", "place", "scheduled_publish_time", "child_attachments",
	} {
		if r.values.Has(name) {
			graphError(w, http.StatusBadRequest, 100, 0, "(#100) Param "+name+": the sandbox accepts only text")
			return
		}
	}
	if published := r.values.Get("published"); published != "" && published != "true" {
		graphError(w, http.StatusBadRequest, 100, 0, "(#100) Param published: the sandbox keeps no unpublished posts")
		return
	}
	message := r.values.Get("message")
	if strings.TrimSpace(message) == "" {
		graphError(w, http.StatusBadRequest, 100, 0, "(#100) Missing message or attachment")
		return
	}
	if count.Characters(message) > textLimit {
		graphError(w, http.StatusBadRequest, 100, 0, "(#100) Param message is too long")
		return
	}
	post, err := a.stage.Ledger.Publish(ledger.Draft{
		Platform: network, Account: r.account, Author: r.account, Text: message,
		RequestID: stage.RequestID(r.Request), UniqueFor: uniqueFor,
	})
	switch {
	case errors.Is(err, ledger.ErrDuplicate):
		graphError(w, http.StatusBadRequest, 506, 0, "(#506) Duplicate status message")
	case err != nil:
		dialect{}.Unavailable(w)
	default:
		r.answer(w, map[string]string{"id": post.ID})
	}
}

// fields returns the requested fields. If one does not exist, it writes an error response and returns false.
func fields(w http.ResponseWriter, r request) ([]string, bool) {
	text := r.values.Get("fields")
	if text == "" {
		return []string{"created_time", "message"}, true
	}
	known := []string{"id", "created_time", "from", "is_published", "message", "permalink_url", "updated_time"}
	wanted := strings.Split(text, ",")
	for _, name := range wanted {
		if !slices.Contains(known, name) && !slices.Contains(countFields(), name) {
			graphError(w, http.StatusBadRequest, 100, 0, "(#100) Tried accessing nonexisting field ("+name+")")
			return nil, false
		}
	}
	return wanted, true
}

// present returns the requested fields of a post. The id is always included.
func (a *API) present(r request, post ledger.Post, wanted []string) map[string]any {
	at := post.CreatedAt.Format("2006-01-02T15:04:05-0700")
	all := map[string]any{
		"created_time": at, "from": map[string]string{"id": post.Account, "name": post.Author}, "is_published": true,
		"message": strings.TrimSpace(post.Text), "permalink_url": a.stage.Base(r.Request) + stage.Page(post),
		"updated_time": at,
	}
	shown := map[string]any{"id": post.ID}
	for _, name := range wanted {
		if name != "id" {
			shown[name] = all[name]
		}
	}
	a.counted(shown, post, wanted)
	return shown
}

// read returns the Page or one of its posts.
func (a *API) read(w http.ResponseWriter, r request) {
	id := r.PathValue("id")
	if id == "me" || id == r.account {
		followers := figures.Of(network, r.account).Followers(a.stage.Clock.Now())
		r.answer(w, map[string]any{
			"id": r.account, "name": r.account, "followers_count": followers, "fan_count": followers - followers/20,
		})
		return
	}
	post, ok := a.stage.Ledger.Get(network, id)
	if !ok || post.Account != r.account {
		missing(w)
		return
	}
	if wanted, ok := fields(w, r); ok {
		r.answer(w, a.present(r, post, wanted))
	}
}

// list returns one page of the Page's posts, newest first. paging.next is set while more posts follow.
func (a *API) list(w http.ResponseWriter, r request) {
	const usual, most = 25, 100
	wanted, ok := fields(w, r)
	if !ok {
		return
	}
	numbers := map[string]int64{"limit": usual}
	for _, name := range []string{"limit", "since", "until", "after"} {
		if !r.values.Has(name) {
			continue
		}
		number, err := strconv.ParseInt(r.values.Get(name), 10, 64)
		if err != nil || number < 1 {
			graphError(w, http.StatusBadRequest, 100, 0, "(#100) Param "+name+" must be a positive number")
			return
		}
		numbers[name] = number
	}
	filter := ledger.Filter{Platform: network, Account: r.account, Before: uint64(numbers["after"])} //nolint:gosec // positive
	if numbers["since"] > 0 {
		filter.Since = time.Unix(numbers["since"], 0)
	}
	posts := a.stage.Ledger.List(filter)
	if until := numbers["until"]; until > 0 {
		posts = slices.DeleteFunc(posts, func(p ledger.Post) bool { return p.CreatedAt.Unix() > until })
	}
	size := int(min(numbers["limit"], most))
	data := make([]map[string]any, 0, min(len(posts), size))
	for _, post := range posts[:min(len(posts), size)] {
		data = append(data, a.present(r, post, wanted))
	}
	answer := map[string]any{"data": data}
	if len(data) > 0 {
		answer["paging"] = a.paging(r, posts, len(data))
	}
	r.answer(w, answer)
}

// paging returns cursors for a page that is not empty, and a next link if more posts follow.
func (a *API) paging(r request, posts []ledger.Post, shown int) map[string]any {
	cursor := func(at int) string { return strconv.FormatUint(posts[at].Seq, 10) }
	paging := map[string]any{"cursors": map[string]string{"before": cursor(0), "after": cursor(shown - 1)}}
	if shown < len(posts) {
		query := url.Values{"after": {cursor(shown - 1)}}
		for _, name := range []string{"fields", "limit", "since", "until"} {
			if r.values.Has(name) {
				query.Set(name, r.values.Get(name))
			}
		}
		paging["next"] = a.stage.Base(r.Request) + r.URL.Path + "?" + query.Encode()
	}
	return paging
}

func (a *API) remove(w http.ResponseWriter, r request) {
	id := r.PathValue("id")
	post, ok := a.stage.Ledger.Get(network, id)
	if !ok || post.Account != r.account {
		missing(w)
		return
	}
	if _, err := a.stage.Ledger.Delete(network, id); err != nil {
		dialect{}.Unavailable(w)
		return
	}
	r.answer(w, map[string]bool{"success": true})
}
