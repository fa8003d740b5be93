package xapi

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"html"
	"net/http"
	"strconv"
	"strings"
	"time"

	"socialpub.internal/services/sandbox/internal/ledger"
	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/shared/platform/textlen"
)

// textLimit is the weighted length of an ordinary account.
const textLimit = 280

// create publishes a post. The same text by one account within a day is refused; other accounts may say it.
func (a *API) create(w http.ResponseWriter, r request) {
	var body struct {
		Text *string `json:"text"`
	}
	if err := json.Unmarshal(r.body, &body); err != nil || body.Text == nil || strings.TrimSpace(*body.Text) == "" {
		problem(w, http.StatusBadRequest, "invalid-request", "Invalid Request", "One or more parameters to your request was invalid.")
		return
	}
	if textlen.X(*body.Text) > textLimit {
		problem(w, http.StatusForbidden, "", "Forbidden", "You are not permitted to perform this action.")
		return
	}
	post, err := a.stage.Ledger.Publish(ledger.Draft{
		Platform: network, Account: r.account, Author: username(r.account), Text: *body.Text,
		RequestID: stage.RequestID(r.Request), UniqueFor: uniqueFor,
	})
	switch {
	case errors.Is(err, ledger.ErrDuplicate):
		problem(w, http.StatusForbidden, "", "Forbidden", "You are not allowed to create a Tweet with duplicate content.")
	case err != nil:
		problem(w, http.StatusInternalServerError, "", "Internal Server Error", "The sandbox's ledger cannot be written.")
	case !r.held.Lost(w, r.Request):
		shown := present(post)
		stage.JSON(w, http.StatusCreated, map[string]any{"data": map[string]any{
			"id": post.ID, "text": shown.Text, "edit_history_tweet_ids": []string{post.ID},
		}})
	}
}

// tweet is a post as X shows it: links shortened, &, < and > escaped.
type tweet struct {
	ID        string         `json:"id"`
	Text      string         `json:"text"`
	CreatedAt string         `json:"created_at"`
	AuthorID  string         `json:"author_id"`
	History   []string       `json:"edit_history_tweet_ids"`
	Entities  map[string]any `json:"entities,omitempty"`
}

func present(post ledger.Post) tweet {
	var text strings.Builder
	var links []map[string]any
	at := 0
	for _, link := range textlen.Links(post.Text) {
		long := post.Text[link.Start:link.End]
		text.WriteString(escape(post.Text[at:link.Start]) + shorten(long))
		at = link.End
		if !strings.Contains(long, "://") {
			long = "http://" + long
		}
		links = append(links, map[string]any{"url": shorten(post.Text[link.Start:link.End]), "expanded_url": long})
	}
	text.WriteString(escape(post.Text[at:]))
	shown := tweet{
		ID: post.ID, Text: text.String(), CreatedAt: post.CreatedAt.Format("2006-01-02T15:04:05.000Z"),
		AuthorID: post.Account, History: []string{post.ID},
	}
	if links != nil {
		shown.Entities = map[string]any{"urls": links}
	}
	return shown
}

func escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}

// shorten is the short link that always stands for this one.
func shorten(link string) string {
	const length = 10
	sum := sha256.Sum256([]byte(html.UnescapeString(link)))
	slug := strings.NewReplacer("-", "a", "_", "b").Replace(base64.RawURLEncoding.EncodeToString(sum[:]))
	return "https://t.co/" + slug[:length]
}

// list shows the posts of an account, newest first.
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
		problem(w, http.StatusBadRequest, "invalid-request", "Invalid Request", "One or more parameters to your request was invalid.")
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
	shown := make([]tweet, 0, len(posts))
	for _, post := range posts {
		shown = append(shown, present(post))
	}
	if len(shown) > 0 {
		meta["newest_id"], meta["oldest_id"] = shown[0].ID, shown[len(shown)-1].ID
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
		stage.JSON(w, http.StatusOK, map[string]any{"data": present(post)})
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

func (a *API) me(w http.ResponseWriter, r request) {
	posts := len(a.stage.Ledger.List(ledger.Filter{Platform: network, Account: r.account}))
	name := username(r.account)
	if !r.held.Lost(w, r.Request) {
		stage.JSON(w, http.StatusOK, map[string]any{"data": map[string]any{
			"id": r.account, "username": name, "name": name, "verified_type": "none", "subscription_type": "None",
			"public_metrics": map[string]int{"followers_count": 0, "following_count": 0, "tweet_count": posts, "listed_count": 0},
		}})
	}
}
