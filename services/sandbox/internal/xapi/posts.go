package xapi

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"html"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/count"
	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
)

// Maximum weighted lengths of a text, without and with a subscription. Lists cut a text beyond textLimit.
const (
	textLimit     = 280
	longTextLimit = 25_000
)

// premium reports whether the account has a subscription: its name contains "premium", or its number ends with 25000.
func premium(account string) bool {
	return strings.Contains(account, "premium") || strings.HasSuffix(account, "25000")
}

// mayWrite reports whether the account may publish a text of that length.
func mayWrite(account, text string) bool {
	length := count.X(text)
	return length <= textLimit || premium(account) && length <= longTextLimit
}

// create publishes a post. An account may not repeat a text with the same media within a day. Other accounts may
// publish it.
func (a *API) create(w http.ResponseWriter, r request) {
	var body struct {
		Text  string `json:"text"`
		Media *struct {
			IDs []string `json:"media_ids"`
		} `json:"media"`
	}
	err := json.Unmarshal(r.body, &body)
	if err != nil || body.Media == nil && strings.TrimSpace(body.Text) == "" ||
		body.Media != nil && len(body.Media.IDs) == 0 {
		invalid(w, "One or more parameters to your request was invalid.")
		return
	}
	if !mayWrite(r.account, body.Text) {
		problem(w, http.StatusForbidden, "", "Forbidden", "You are not permitted to perform this action.")
		return
	}
	var files []ledger.Media
	if body.Media != nil {
		var fault string
		if files, fault = a.attached(r.account, body.Media.IDs); fault != "" {
			invalid(w, fault)
			return
		}
	}
	post, err := a.stage.Ledger.Publish(ledger.Draft{
		Platform: network, Account: r.account, Author: stage.Username(r.account), Text: body.Text,
		Media: files, RequestID: stage.RequestID(r.Request), UniqueFor: uniqueFor,
	})
	switch {
	case errors.Is(err, ledger.ErrDuplicate):
		problem(w, http.StatusForbidden, "", "Forbidden", "You are not allowed to create a Tweet with duplicate content.")
	case err != nil:
		problem(w, http.StatusInternalServerError, "", "Internal Server Error", "The sandbox's ledger cannot be written.")
	case !r.held.Lost(w, r.Request):
		stage.JSON(w, http.StatusCreated, map[string]any{"data": selected(nil).of(present(post))})
	}
}

// tweet is a post in X's JSON: with shortened links, with &, < and > escaped, and with a link to its media at the end.
type tweet struct {
	id, text string
	more     map[string]any // the fields that a response contains only on request, by name
}

func present(post ledger.Post) tweet {
	var text strings.Builder
	var links []map[string]any
	at := 0
	for _, link := range count.Links(post.Text) {
		long := post.Text[link.Start:link.End]
		text.WriteString(escape(post.Text[at:link.Start]) + shorten(long))
		at = link.End
		if !strings.Contains(long, "://") {
			long = "http://" + long
		}
		links = append(links, map[string]any{"url": shorten(post.Text[link.Start:link.End]), "expanded_url": long})
	}
	text.WriteString(escape(post.Text[at:]))
	keys := make([]string, len(post.Media))
	for i, file := range post.Media {
		keys[i] = file.ID
		page := "https://x.com/" + stage.Username(post.Account) + "/status/" + post.ID + "/photo/1"
		links = append(links, map[string]any{"url": shorten(page), "expanded_url": page, "media_key": file.ID})
	}
	if len(keys) > 0 {
		text.WriteString(" " + shorten("https://x.com/"+stage.Username(post.Account)+"/status/"+post.ID+"/photo/1"))
	}
	more := map[string]any{
		"created_at": post.CreatedAt.Format("2006-01-02T15:04:05.000Z"), "author_id": post.Account,
	}
	if links != nil {
		more["entities"] = map[string]any{"urls": links}
	}
	if len(keys) > 0 {
		more["attachments"] = map[string]any{"media_keys": keys}
	}
	shown := strings.TrimSpace(text.String())
	if count.X(post.Text) > textLimit {
		note := map[string]any{"text": shown}
		if links != nil {
			note["entities"] = more["entities"]
			delete(more, "entities")
		}
		more["note_tweet"], more["note_post"] = note, note
		shown = string([]rune(shown)[:textLimit-1]) + "…"
	}
	return tweet{id: post.ID, text: shown, more: more}
}

// selection is the part of posts that a request asks for.
type selection struct {
	fields  []string
	history string // the name of the field with the ids of a post's versions
}

// selected returns the selection of a request. X has two dialects, each with its own names: the older one asks for
// tweet.fields, that of specification 2.167 for post.fields. X drops names that it does not know without an error.
func selected(query url.Values) selection {
	if query.Has("post.fields") {
		return selection{strings.Split(query.Get("post.fields"), ","), "edit_history_post_ids"}
	}
	return selection{strings.Split(query.Get("tweet.fields"), ","), "edit_history_tweet_ids"}
}

// of returns the selected fields of a post, besides those that every response contains.
func (s selection) of(post tweet) map[string]any {
	shown := map[string]any{"id": post.id, "text": post.text, s.history: []string{post.id}}
	for _, name := range s.fields {
		if value, ok := post.more[name]; ok {
			shown[name] = value
		}
	}
	return shown
}

func escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}

// shorten returns the short link for an address. It is always the same for that address.
func shorten(link string) string {
	const length = 10
	sum := sha256.Sum256([]byte(html.UnescapeString(link)))
	slug := strings.NewReplacer("-", "a", "_", "b").Replace(base64.RawURLEncoding.EncodeToString(sum[:]))
	return "https://t.co/" + slug[:length]
}

// list returns the posts of an account, newest first.
func (a *API) list(w http.ResponseWriter, r request) {
	query := r.URL.Query()
	size, err := strconv.Atoi(query.Get("max_results"))
	if query.Get("max_results") == "" {
		size, err = 10, nil
	}
	filter := ledger.Filter{Platform: network, Account: r.PathValue("id"), Limit: size + 1}
	if start := query.Get("start_time"); start != "" && err == nil {
		filter.Since, err = time.Parse(time.RFC3339, start)
	}
	if page := query.Get("pagination_token"); page != "" && err == nil {
		filter.Before, err = strconv.ParseUint(page, 10, 64)
	}
	if err != nil || size < 5 || size > 100 {
		problem(w, http.StatusBadRequest, "invalid-request", "Invalid Request",
			"One or more parameters to your request was invalid.")
		return
	}
	posts := a.stage.Ledger.List(filter)
	meta := map[string]any{}
	if len(posts) > size {
		posts = posts[:size]
		meta["next_token"] = strconv.FormatUint(posts[size-1].Seq, 10)
	}
	meta["result_count"] = len(posts)
	answer := map[string]any{"meta": meta}
	shown := make([]map[string]any, 0, len(posts))
	for _, post := range posts {
		shown = append(shown, selected(query).of(present(post)))
	}
	if len(shown) > 0 {
		meta["newest_id"], meta["oldest_id"] = posts[0].ID, posts[len(posts)-1].ID
		answer["data"] = shown
	}
	if !r.held.Lost(w, r.Request) {
		stage.JSON(w, http.StatusOK, answer)
	}
}

func (a *API) one(w http.ResponseWriter, r request) {
	post, ok := a.stage.Ledger.Get(network, r.PathValue("id"))
	if !ok {
		problem(w, http.StatusNotFound, "resource-not-found", "Not Found Error", "Could not find tweet.")
		return
	}
	if !r.held.Lost(w, r.Request) {
		stage.JSON(w, http.StatusOK, map[string]any{"data": selected(r.URL.Query()).of(present(post))})
	}
}

func (a *API) remove(w http.ResponseWriter, r request) {
	id := r.PathValue("id")
	post, ok := a.stage.Ledger.Get(network, id)
	if !ok || post.Account != r.account {
		problem(w, http.StatusNotFound, "resource-not-found", "Not Found Error", "Could not find tweet.")
		return
	}
	deleted, err := a.stage.Ledger.Delete(network, id)
	if err != nil {
		problem(w, http.StatusInternalServerError, "", "Internal Server Error", "The sandbox's ledger cannot be written.")
		return
	}
	if !r.held.Lost(w, r.Request) {
		stage.JSON(w, http.StatusOK, map[string]any{"data": map[string]bool{"deleted": deleted}})
	}
}

// me returns the account. Like a post, it has few fields that were not asked for.
func (a *API) me(w http.ResponseWriter, r request) {
	posts := len(a.stage.Ledger.List(ledger.Filter{Platform: network, Account: r.account}))
	name := stage.Username(r.account)
	verified, subscription := "none", "None"
	if premium(r.account) {
		verified, subscription = "blue", "Premium"
	}
	shown := map[string]any{"id": r.account, "username": name, "name": name}
	more := map[string]any{
		"verified_type": verified, "subscription_type": subscription,
		"public_metrics": map[string]int64{
			"followers_count": figures.Of(network, r.account).Followers(a.stage.Clock.Now()), "following_count": 0,
			"tweet_count": int64(posts), "listed_count": 0,
		},
	}
	for field := range strings.SplitSeq(r.URL.Query().Get("user.fields"), ",") {
		if value, ok := more[field]; ok {
			shown[field] = value
		}
	}
	if !r.held.Lost(w, r.Request) {
		stage.JSON(w, http.StatusOK, map[string]any{"data": shown})
	}
}
