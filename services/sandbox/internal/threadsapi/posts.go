package threadsapi

import (
	"net/http"
	"strconv"
	"time"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/metaapi"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/media"
)

// quotaTotal is the number of posts that an account may publish per day.
const quotaTotal = 250

// publish publishes a container, once.
func (a *API) publish(w http.ResponseWriter, r metaapi.Request) {
	made, ok := a.containers.Of(r.Account, r.Values.Get("creation_id"))
	if !ok || made.Item || a.containers.State(made) != metaapi.Finished {
		a.notFound(w)
		return
	}
	a.release(w, r, made)
}

func (a *API) release(w http.ResponseWriter, r metaapi.Request, made metaapi.Container) {
	a.Publish(w, r, made, func() { a.notFound(w) })
}

// read returns a container's status, a post, or the account.
func (a *API) read(w http.ResponseWriter, r metaapi.Request) {
	id := r.PathValue("id")
	if id == "me" || id == r.Account {
		if a.Refuses(w, r, userNode()) {
			return
		}
		name := stage.Username(r.Account)
		r.Answer(w, map[string]any{"id": r.Account, "username": name, "name": name, "is_verified": false})
		return
	}
	if made, ok := a.containers.Of(r.Account, id); ok {
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
	if !a.Refuses(w, r, mediaNode()) {
		r.Answer(w, a.present(r, post))
	}
}

func userNode() *metaapi.Node {
	return metaapi.NewNode("ThreadsUser", "username", "name", "is_verified", "threads_profile_picture_url",
		"threads_biography")
}

func containerNode() *metaapi.Node {
	return metaapi.NewNode("ThreadsContainer", "status", "error_message")
}

func mediaNode() *metaapi.Node {
	return metaapi.NewNode("ThreadsMedia", "text", "media_type", "media_product_type", "username", "shortcode", "permalink",
		"timestamp", "media_url", "thumbnail_url", "alt_text", "link_attachment_url", "topic_tag", "text_attachment")
}

func (a *API) status(made metaapi.Container) map[string]string {
	shown := map[string]string{"id": made.ID, "status": a.containers.State(made)}
	if _, published := a.Stage.Ledger.FromOrigin(network, made.ID); published {
		shown["status"] = metaapi.Published
	}
	if shown["status"] == metaapi.Failed {
		shown["error_message"] = made.Problem
	}
	return shown
}

func (a *API) present(r metaapi.Request, post ledger.Post) map[string]any {
	shown := map[string]any{
		"id": post.ID, "text": post.Text, "media_type": mediaType(post), "username": post.Author, "shortcode": post.ID,
		"permalink": a.Stage.Base(r.Request) + stage.Page(post),
		"timestamp": post.CreatedAt.Format("2006-01-02T15:04:05-0700"),
	}
	if attached := post.Details[detailAttached]; attached != "" {
		shown[detailAttached] = map[string]string{"plaintext": attached}
	}
	return shown
}

// mediaType returns Threads' media type of a post.
func mediaType(post ledger.Post) string {
	switch {
	case len(post.Media) == 0:
		return "TEXT_POST"
	case len(post.Media) > 1:
		return "CAROUSEL_ALBUM"
	case post.Media[0].Type == string(media.Video):
		return kindVideo
	default:
		return kindImage
	}
}

// list returns one page of the account's posts, newest first. paging.cursors.after is set while more follow.
func (a *API) list(w http.ResponseWriter, r metaapi.Request) {
	const usual, most = 25, 100
	size := usual
	if limit, err := strconv.Atoi(r.Values.Get("limit")); err == nil && limit > 0 {
		size = min(limit, most)
	}
	filter := ledger.Filter{Platform: network, Account: r.Account, Limit: size + 1}
	if since, err := strconv.ParseInt(r.Values.Get("since"), 10, 64); err == nil {
		filter.Since = time.Unix(since, 0)
	}
	if after, err := strconv.ParseUint(r.Values.Get("after"), 10, 64); err == nil {
		filter.Before = after
	}
	posts := a.Stage.Ledger.List(filter)
	answer := map[string]any{}
	if len(posts) > size {
		posts = posts[:size]
		answer["paging"] = map[string]any{"cursors": map[string]string{"after": strconv.FormatUint(posts[size-1].Seq, 10)}}
	}
	shown := make([]map[string]any, 0, len(posts))
	for _, post := range posts {
		shown = append(shown, a.present(r, post))
	}
	answer["data"] = shown
	r.Answer(w, answer)
}

func (a *API) remove(w http.ResponseWriter, r metaapi.Request) {
	id := r.PathValue("id")
	if _, ok := a.Post(r, id); !ok {
		a.Missing(w)
		return
	}
	if _, err := a.Stage.Ledger.Delete(network, id); err != nil {
		a.Unavailable(w)
		return
	}
	r.Answer(w, map[string]any{"success": true, "deleted_id": id})
}
