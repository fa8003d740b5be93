package threadsapi

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"socialpub.internal/services/sandbox/internal/ledger"
	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/shared/platform/textlen"
)

// Limits of Threads.
const (
	textLimit  = 500
	quotaTotal = 250
)

// create makes a container; text is ready at once. With auto_publish_text Threads publishes in the same call.
func (a *API) create(w http.ResponseWriter, r request) {
	text := r.values.Get("text")
	if r.values.Get("media_type") != "TEXT" {
		graphError(w, http.StatusBadRequest, 100, 0, "Param media_type must be TEXT: the sandbox takes no media")
		return
	}
	if strings.TrimSpace(text) == "" {
		graphError(w, http.StatusBadRequest, 100, 0, "Param text must not be empty")
		return
	}
	if textlen.Threads(text) > textLimit {
		graphError(w, http.StatusBadRequest, 100, 0, "Param text must be at most 500 characters long.")
		return
	}
	made, err := a.containers.Add(r.account, text)
	if err != nil {
		dialect{}.Unavailable(w)
		return
	}
	if r.values.Get("auto_publish_text") == "true" {
		a.release(w, r, made)
		return
	}
	r.answer(w, map[string]string{"id": made.ID})
}

// publish makes a post of a container, once.
func (a *API) publish(w http.ResponseWriter, r request) {
	made, ok := a.containers.Of(r.account, r.values.Get("creation_id"))
	if !ok || a.containers.Expired(made) {
		graphError(w, http.StatusBadRequest, 24, 4279009, "The requested resource does not exist: Media Not Found")
		return
	}
	a.release(w, r, made)
}

func (a *API) release(w http.ResponseWriter, r request, made Container) {
	post, err := a.stage.Ledger.Publish(ledger.Draft{
		Platform: network, Account: r.account, Author: username(r.account), Text: made.Text,
		RequestID: stage.RequestID(r.Request), Origin: made.ID, OneOrigin: true,
	})
	switch {
	case errors.Is(err, ledger.ErrPublished):
		graphError(w, http.StatusBadRequest, 24, 4279009, "The requested resource does not exist: Media Not Found")
	case err != nil:
		dialect{}.Unavailable(w)
	default:
		r.answer(w, map[string]string{"id": post.ID})
	}
}

// read shows a container's status, a post, or the account.
func (a *API) read(w http.ResponseWriter, r request) {
	id := r.PathValue("id")
	if id == "me" || id == r.account {
		name := username(r.account)
		r.answer(w, map[string]any{"id": r.account, "username": name, "name": name, "is_verified": false})
		return
	}
	if made, ok := a.containers.Of(r.account, id); ok {
		r.answer(w, map[string]string{"id": made.ID, "status": a.status(made)})
		return
	}
	post, ok := a.stage.Ledger.Get(network, id)
	if !ok || post.Account != r.account {
		missing(w)
		return
	}
	r.answer(w, a.present(r, post))
}

func (a *API) status(made Container) string {
	if _, published := a.stage.Ledger.FromOrigin(network, made.ID); published {
		return "PUBLISHED"
	}
	if a.containers.Expired(made) {
		return "EXPIRED"
	}
	return "FINISHED"
}

func (a *API) present(r request, post ledger.Post) map[string]any {
	return map[string]any{
		"id": post.ID, "text": post.Text, "media_type": "TEXT_POST", "username": post.Author, "shortcode": post.ID,
		"permalink": a.stage.Base(r.Request) + stage.Page(post), "timestamp": post.CreatedAt.Format("2006-01-02T15:04:05-0700"),
	}
}

// list shows the account's posts, newest first, a page at a time: paging.cursors.after leads on while there are more.
func (a *API) list(w http.ResponseWriter, r request) {
	const usual, most = 25, 100
	size := usual
	if limit, err := strconv.Atoi(r.values.Get("limit")); err == nil && limit > 0 {
		size = min(limit, most)
	}
	filter := ledger.Filter{Platform: network, Account: r.account, Limit: size + 1}
	if since, err := strconv.ParseInt(r.values.Get("since"), 10, 64); err == nil {
		filter.Since = time.Unix(since, 0)
	}
	if after, err := strconv.ParseUint(r.values.Get("after"), 10, 64); err == nil {
		filter.Before = after
	}
	posts := a.stage.Ledger.List(filter)
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
	r.answer(w, answer)
}

// quota counts the posts of the last day. The sandbox shows the limit and does not enforce it, so that load tests
// measure the service; faults bring limits about.
func (a *API) quota(w http.ResponseWriter, r request) {
	day := 24 * time.Hour
	used := a.stage.Ledger.List(ledger.Filter{Platform: network, Account: r.account, Since: a.stage.Clock.Now().Add(-day)})
	r.answer(w, map[string]any{"data": []map[string]any{{
		"quota_usage": len(used), "config": map[string]any{"quota_total": quotaTotal, "quota_duration": int(day.Seconds())},
	}}})
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
	r.answer(w, map[string]any{"success": true, "deleted_id": id})
}

// username is the account's name: the account itself when it can be one.
func username(account string) string {
	if _, err := strconv.ParseUint(account, 10, 64); err == nil {
		return "user" + account
	}
	return strings.TrimPrefix(account, "@")
}
