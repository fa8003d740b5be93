package instagramapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/metaapi"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/media"
)

const (
	// quotaTotal is the number of posts that an account may publish through the API per day.
	quotaTotal = 100
	day        = 24 * time.Hour
)

// publish publishes a container, once.
func (a *API) publish(w http.ResponseWriter, r metaapi.Request) {
	made, ok := a.containers.Of(r.Account, r.Values.Get("creation_id"))
	if !ok || made.Item {
		a.refuse(w, refusedUnknown)
		return
	}
	if !a.usable(w, made) {
		return
	}
	a.Publish(w, r, made, func() { a.refuse(w, refusedUnknown) })
}

// read returns a container's status, a post, or the account.
func (a *API) read(w http.ResponseWriter, r metaapi.Request) {
	id := r.PathValue("id")
	if id == "me" || id == r.Account {
		if a.Refuses(w, r, a.user()) {
			return
		}
		name := stage.Username(r.Account)
		r.Answer(w, map[string]any{
			"followers_count": figures.Of(network, r.Account).Followers(a.Stage.Clock.Now()),
			"id":              r.Account, "user_id": r.Account, "username": name, "name": name, "account_type": "BUSINESS",
			"media_count": len(a.Stage.Ledger.List(ledger.Filter{Platform: network, Account: r.Account})),
		})
		return
	}
	if made, ok := a.containers.Of(r.Account, id); ok {
		if a.Role == rolePage && strings.HasPrefix(r.Account, hiding) {
			a.Missing(w)
			return
		}
		if !a.Refuses(w, r, containerNode()) {
			r.Answer(w, a.status(made))
		}
		return
	}
	post, ok := a.Post(r, id)
	if !ok {
		a.Missing(w)
		return
	}
	if wanted, ok := a.fields(w, r); ok {
		r.Answer(w, a.present(r, post, wanted))
	}
}

// user returns the type of the account. With Instagram Login it has other fields than at the Graph API of Facebook.
func (a *API) user() *metaapi.Node {
	if a.Role == rolePage {
		return metaapi.InstagramUserNode()
	}
	return metaapi.NewNode("IGUser", "user_id", "username", "name", "account_type", "profile_picture_url", "followers_count",
		"follows_count", "media_count", "biography", "website")
}

func containerNode() *metaapi.Node { return metaapi.NewNode("IGContainer", "status", "status_code") }

func mediaNode() *metaapi.Node {
	return metaapi.NewNode("IGMedia", "caption", "permalink", "media_type", "media_product_type", "timestamp", "shortcode",
		"username", "media_url", "thumbnail_url", "like_count", "comments_count")
}

// fields returns the requested fields of a post. If one does not exist, it writes an error response and returns false.
func (a *API) fields(w http.ResponseWriter, r metaapi.Request) ([]string, bool) {
	return strings.Split(r.Values.Get("fields"), ","), !a.Refuses(w, r, mediaNode())
}

// present returns the requested fields of a post. The id is always included. Empty fields, such as a missing caption,
// are omitted.
func (a *API) present(r metaapi.Request, post ledger.Post, wanted []string) map[string]any {
	kind, product := a.kind(post)
	all := map[string]any{
		"caption": post.Text, "permalink": a.Stage.Base(r.Request) + stage.Page(post), "media_type": kind,
		"media_product_type": product,
		"timestamp":          post.CreatedAt.Format("2006-01-02T15:04:05-0700"), "shortcode": post.ID,
		"username": post.Author,
	}
	shown := map[string]any{"id": post.ID}
	for _, name := range wanted {
		if value, ok := all[name]; ok && value != "" {
			shown[name] = value
		}
	}
	return shown
}

// kind returns Instagram's media type and media product type of a post.
func (a *API) kind(post ledger.Post) (kind, product string) {
	made := a.containers.Kind(post)
	product = "FEED"
	if made == kindStory || made == kindReel {
		product = map[string]string{kindStory: "STORY", kindReel: "REELS"}[made]
	}
	switch {
	case made == kindCarousel:
		return "CAROUSEL_ALBUM", product
	case len(post.Media) > 0 && post.Media[0].Type == string(media.Video):
		return kindVideo, product
	default:
		return "IMAGE", product
	}
}

// feed lists the account's posts and reels.
func (a *API) feed(w http.ResponseWriter, r metaapi.Request) {
	a.list(w, r, ledger.Filter{}, func(post ledger.Post) bool { return a.containers.Kind(post) != kindStory })
}

// stories lists the stories of the last day. Older ones have expired.
func (a *API) stories(w http.ResponseWriter, r metaapi.Request) {
	a.list(w, r, ledger.Filter{Since: a.Stage.Clock.Now().Add(-day)}, func(post ledger.Post) bool {
		return a.containers.Kind(post) == kindStory
	})
}

// list returns one page of posts, newest first. paging.cursors.after points to the next page, and is set on the last
// page too.
func (a *API) list(w http.ResponseWriter, r metaapi.Request, filter ledger.Filter, meant func(ledger.Post) bool) {
	const usual, most = 25, 100
	wanted, ok := a.fields(w, r)
	if !ok {
		return
	}
	size := usual
	if limit, err := strconv.Atoi(r.Values.Get("limit")); err == nil && limit > 0 {
		size = min(limit, most)
	}
	filter.Platform, filter.Account = network, r.Account
	if after, err := strconv.ParseUint(r.Values.Get("after"), 10, 64); err == nil {
		filter.Before = after
	}
	posts := slices.DeleteFunc(a.Stage.Ledger.List(filter), func(post ledger.Post) bool { return !meant(post) })
	posts = posts[:min(len(posts), size)]
	data := make([]map[string]any, 0, len(posts))
	for _, post := range posts {
		data = append(data, a.present(r, post, wanted))
	}
	answer := map[string]any{"data": data}
	if len(posts) > 0 {
		cursor := func(at int) string { return strconv.FormatUint(posts[at].Seq, 10) }
		answer["paging"] = map[string]any{"cursors": map[string]string{"before": cursor(0), "after": cursor(len(posts) - 1)}}
	}
	r.Answer(w, answer)
}
