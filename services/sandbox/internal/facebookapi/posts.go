package facebookapi

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/count"
	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/metaapi"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/media"
)

const (
	textLimit = 63_206
	// uniqueFor is the time in which a Page cannot repeat a text. Facebook's error says "right away" without a duration.
	uniqueFor = time.Minute
)

// create publishes a text, with a link or with uploaded photos. It rejects parameters that the sandbox cannot show, so
// that no post is published incomplete.
func (a *API) create(w http.ResponseWriter, r request) {
	for _, name := range []string{"object_attachment", "place", "scheduled_publish_time", "child_attachments"} {
		if r.values.Has(name) {
			graphError(w, http.StatusBadRequest, 100, 0, "(#100) Param "+name+": the sandbox does not show it")
			return
		}
	}
	if published := r.values.Get("published"); published != "" && published != "true" {
		graphError(w, http.StatusBadRequest, 100, 0, "(#100) Param published: the sandbox keeps no unpublished posts")
		return
	}
	if r.values.Has("attached_media") { // texts are written at the same time
		defer a.objects.using(r.account)()
	}
	photos, ok := a.attached(w, r)
	if !ok || !a.worded(w, r, len(photos) > 0) {
		return
	}
	draft := ledger.Draft{Text: r.values.Get("message"), UniqueFor: uniqueFor}
	if link := r.values.Get("link"); link != "" {
		draft.Details = map[string]string{detailLink: link}
	}
	for _, photo := range photos {
		draft.Media = append(draft.Media, photo.Media)
		draft.Origin, draft.OneOrigin = photos[0].ID, true
	}
	post, err := a.publish(r, draft, photos...)
	switch {
	case errors.Is(err, ledger.ErrDuplicate):
		graphError(w, http.StatusBadRequest, 506, 0, "(#506) Duplicate status message")
	case errors.Is(err, ledger.ErrPublished):
		graphError(w, http.StatusBadRequest, 1, subcodePosted, "These photos were already posted.")
	case err != nil:
		dialect{}.Unavailable(w)
	default:
		r.answer(w, map[string]string{"id": post.ID})
	}
}

// worded checks the text and the link of a post. If they are not valid, it writes an error response and returns false.
func (a *API) worded(w http.ResponseWriter, r request, pictured bool) bool {
	message, link := r.values.Get("message"), r.values.Get("link")
	address, err := url.Parse(link)
	switch {
	case strings.TrimSpace(message) == "" && link == "" && !pictured:
		graphError(w, http.StatusBadRequest, 100, 0, "(#100) Missing message or attachment")
	case count.Characters(message) > textLimit:
		graphError(w, http.StatusBadRequest, 100, 0, "(#100) Param message is too long")
	case link != "" && pictured:
		graphError(w, http.StatusBadRequest, 100, 0, "(#100) Param link cannot be combined with attached_media")
	case link != "" && (err != nil || address.Hostname() == "" || address.Scheme != "http" && address.Scheme != "https"):
		graphError(w, http.StatusBadRequest, 100, 2061006, "(#100) link URL is not properly formatted")
	case link != "" && (address.Hostname() == "facebook.com" || strings.HasSuffix(address.Hostname(), ".facebook.com")):
		graphError(w, http.StatusBadRequest, 100, 1609008, "Posts cannot link to facebook.com.")
	default:
		return true
	}
	return false
}

// fields returns the requested fields of a post. If one does not exist, it writes an error response and returns false.
func fields(w http.ResponseWriter, r request) ([]string, bool) {
	if r.values.Get("fields") == "" {
		return []string{"created_time", "message"}, true
	}
	return known(w, r, postNode())
}

// attachments returns the link, the photos or the video of a post in Facebook's JSON. It returns nil if there are none.
func attachments(post ledger.Post) any {
	target := func(m ledger.Media) map[string]any { return map[string]any{"target": map[string]string{"id": m.ID}} }
	one := map[string]any{}
	switch {
	case len(post.Media) > 1:
		sub := make([]map[string]any, len(post.Media))
		for i, m := range post.Media {
			sub[i] = target(m)
		}
		one["media_type"], one["subattachments"] = "album", map[string]any{"data": sub}
	case len(post.Media) == 1:
		one = target(post.Media[0])
		if one["media_type"] = "photo"; post.Media[0].Type == string(media.Video) {
			one["media_type"] = "video"
		}
	case post.Details[detailLink] != "":
		one["media_type"] = "link"
	default:
		return nil
	}
	return map[string]any{"data": []any{one}}
}

// present returns the requested fields of a post. The id is always included.
func (a *API) present(r request, post ledger.Post, wanted []string) map[string]any {
	at, id := metaTime(post.CreatedAt), post.ID
	if !strings.HasPrefix(id, post.Account+"_") { // the post of a video
		id = post.Account + "_" + id
	}
	all := map[string]any{
		"created_time": at, "from": map[string]string{"id": post.Account, "name": post.Author}, "is_published": true,
		"message": strings.TrimSpace(post.Text), "permalink_url": a.stage.Base(r.Request) + stage.Page(post),
		"updated_time": at,
	}
	if files := attachments(post); files != nil {
		all["attachments"] = files
	}
	shown := pick(all, wanted)
	shown["id"] = id
	a.counted(shown, post, wanted)
	return shown
}

// read returns the Page or one of its posts.
func (a *API) read(w http.ResponseWriter, r request) {
	id := r.PathValue("id")
	if id == "me" || id == r.account {
		if metaapi.PageNode().Refuses(w, r.values, graphError) {
			return
		}
		followers := figures.Of(network, r.account).Followers(a.stage.Clock.Now())
		r.answer(w, map[string]any{
			"id": r.account, "name": r.account, "followers_count": followers, "fan_count": followers - followers/20,
		})
		return
	}
	if found, ok := a.objects.of(r.account, id); ok {
		a.readObject(w, r, found)
		return
	}
	post, ok := a.shown(r.account, id)
	if !ok || post.Account != r.account {
		missing(w)
		return
	}
	if wanted, ok := fields(w, r); ok {
		r.answer(w, a.present(r, post, wanted))
	}
}

// list returns one page of the Page's posts, newest first. Stories are no posts.
func (a *API) list(w http.ResponseWriter, r request) {
	wanted, ok := fields(w, r)
	if !ok {
		return
	}
	a.page(w, r, func(post ledger.Post) (map[string]any, bool) {
		return a.present(r, post, wanted), !a.isStory(post)
	})
}

// number returns a parameter that is a number, or zero.
func number(r request, name string) int64 {
	number, _ := strconv.ParseInt(r.values.Get(name), 10, 64)
	return number
}

// page returns one page of the ledger's posts that show presents, newest first. paging.next is set while more posts
// follow.
func (a *API) page(w http.ResponseWriter, r request, show func(ledger.Post) (map[string]any, bool)) {
	const usual, most = 25, 100
	for _, name := range []string{"limit", "since", "until", "after"} {
		if r.values.Has(name) && number(r, name) < 1 {
			graphError(w, http.StatusBadRequest, 100, 0, "(#100) Param "+name+" must be a positive number")
			return
		}
	}
	filter := ledger.Filter{Platform: network, Account: r.account, Before: uint64(number(r, "after"))} //nolint:gosec // positive
	if since := number(r, "since"); since > 0 {
		filter.Since = time.Unix(since, 0)
	}
	var posts []ledger.Post
	data, size := []map[string]any{}, int(min(cmp.Or(number(r, "limit"), usual), most))
	for _, post := range a.stage.Ledger.List(filter) {
		if until := number(r, "until"); until > 0 && post.CreatedAt.Unix() > until {
			continue
		}
		if shown, ok := show(post); ok {
			if posts = append(posts, post); len(data) < size {
				data = append(data, shown)
			}
		}
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

// videos lists the Page's videos of the feed and its reels, newest first.
func (a *API) videos(w http.ResponseWriter, r request) {
	wanted, ok := known(w, r, videoNode())
	if !ok {
		return
	}
	a.page(w, r, func(post ledger.Post) (map[string]any, bool) {
		if len(post.Media) != 1 || post.Media[0].Type != string(media.Video) || a.isStory(post) {
			return nil, false
		}
		return pick(map[string]any{
			"id": post.ID, "description": strings.TrimSpace(post.Text), "created_time": metaTime(post.CreatedAt),
			"permalink_url": "/reel/" + post.ID + "/", "published": true,
		}, wanted), true
	})
}
