package xapi

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/media"
)

const (
	// Maximum weighted lengths of a text, without and with a subscription. Lists cut a text beyond textLimit.
	textLimit, longTextLimit = 280, 25_000
	// uniqueFor is the time in which an account cannot repeat a text.
	uniqueFor = 24 * time.Hour
	// ownerWindow is the time in which the owner of a post sees its non-public metrics.
	ownerWindow = 30 * 24 * time.Hour
	ownerField  = "non_public_metrics"

	postReferences = "referenced_posts" // the name of an expansion, and of its field
	quotedPost     = "quote_tweet_id"   // the detail of a post with the id of the one that it quotes

	wrongParameters = "One or more parameters to your request was invalid."
)

// idPattern matches the ids of posts.
var idPattern = regexp.MustCompile(`^[0-9]{1,19}$`)

// premium reports whether the account has a subscription: its name contains "premium", or its number ends with 25000.
func premium(account string) bool {
	return strings.Contains(account, "premium") || strings.HasSuffix(account, "25000")
}

// create publishes a post. An account may not repeat a text with the same media within a day. Other accounts may
// publish it.
func (a *api) create(r stage.Request) stage.Response {
	var body struct {
		Text  string `json:"text"`
		Media *struct {
			IDs []string `json:"media_ids"`
		} `json:"media"`
		Reply *struct {
			To string `json:"in_reply_to_tweet_id"`
		} `json:"reply"`

		settings
	}
	err := json.Unmarshal(r.Body, &body)
	if err != nil || body.Media == nil && strings.TrimSpace(body.Text) == "" ||
		body.Media != nil && len(body.Media.IDs) == 0 {
		return invalid(wrongParameters)
	}
	if body.Reply != nil && !idPattern.MatchString(body.Reply.To) {
		return invalid(wrongParameters)
	}
	if length := figures.X(body.Text); length > longTextLimit || length > textLimit && !premium(r.Account) {
		return a.Words.Rejected
	}
	draft := a.Draft(r)
	draft.Text, draft.UniqueFor = body.Text, uniqueFor
	if body.Reply != nil {
		draft.Parent = body.Reply.To
		if _, ok := a.Stage.Ledger.Get(network, draft.Parent); !ok {
			return forbidden("You attempted to reply to a Tweet that is deleted or not visible to you.")
		}
	}
	if fault := a.set(&draft, body.settings, body.Media != nil); fault != "" {
		return invalid(fault)
	}
	if body.Media != nil {
		var fault string
		if draft.Media, fault = a.attached(r.Account, body.Media.IDs); fault != "" {
			return invalid(fault)
		}
	}
	return a.Publish(draft, func(post ledger.Post) stage.Response {
		return stage.Created(data(selected(nil).of(present(post))))
	})
}

// present returns a post in X's JSON with the fields that a response contains only on request: with shortened links, with
// &, < and > escaped, and with a link to its media or to the post that it quotes at the end.
func present(post ledger.Post) stage.Object {
	var text strings.Builder
	var links []stage.Object
	at := 0
	for _, link := range figures.Links(post.Text) {
		long := post.Text[link.Start:link.End]
		text.WriteString(escape(post.Text[at:link.Start]) + shorten(long))
		at = link.End
		if !strings.Contains(long, "://") {
			long = "http://" + long
		}
		links = append(links, stage.Object{"url": shorten(post.Text[link.Start:link.End]), "expanded_url": long})
	}
	text.WriteString(escape(post.Text[at:]))
	shown := stage.Object{
		"id": post.ID, "created_at": post.CreatedAt.Format("2006-01-02T15:04:05.000Z"), "author_id": post.Account,
	}
	if len(post.Media) > 0 {
		page := "https://x.com/" + stage.Username(post.Account) + "/status/" + post.ID + "/photo/1"
		text.WriteString(" " + shorten(page))
		keys := stage.Each(post.Media, func(file ledger.Media) string { return file.ID })
		shown["attachments"] = stage.Object{"media_keys": keys}
		for _, key := range keys {
			links = append(links, stage.Object{"url": shorten(page), "expanded_url": page, "media_key": key})
		}
	}
	var references []stage.Object
	if post.Parent != "" {
		references = append(references, stage.Object{"type": "replied_to", "id": post.Parent})
	}
	if quote := post.Details[quotedPost]; quote != "" {
		page := "https://twitter.com/i/status/" + quote
		text.WriteString(" " + shorten(page))
		links = append(links, stage.Object{"url": shorten(page), "expanded_url": page})
		references = append(references, stage.Object{"type": "quoted", "id": quote})
	}
	if references != nil {
		shown["referenced_tweets"], shown[postReferences] = references, references
	}
	if links != nil {
		shown["entities"] = stage.Object{"urls": links}
	}
	shown["text"] = strings.TrimSpace(text.String())
	if figures.X(post.Text) > textLimit {
		cut(shown)
	}
	return shown
}

// cut shortens a long text. The whole one is in a note.
func cut(shown stage.Object) {
	text, _ := shown["text"].(string)
	note := stage.Object{"text": text}
	if entities, ok := shown["entities"]; ok {
		note["entities"] = entities
		delete(shown, "entities")
	}
	shown["note_tweet"], shown["note_post"] = note, note
	shown["text"] = string([]rune(text)[:textLimit-1]) + "…"
}

// selection is the part of posts that a request asks for.
type selection struct {
	fields  []string
	history string // the name of the field with the ids of a post's versions
}

// selected returns the selection of a request. X has two dialects, each with its own names: the older one asks for
// tweet.fields, that of specification 2.167 for post.fields. X drops names that it does not know without an error.
func selected(query url.Values) selection {
	expanded := strings.Split(query.Get("expansions"), ",")
	if query.Has("post.fields") { // which have no referenced posts
		fields := slices.DeleteFunc(strings.Split(query.Get("post.fields"), ","), func(f string) bool { return f == postReferences })
		if slices.Contains(expanded, postReferences) {
			fields = append(fields, postReferences)
		}
		return selection{fields, "edit_history_post_ids"}
	}
	return selection{strings.Split(query.Get("tweet.fields"), ","), "edit_history_tweet_ids"}
}

// of returns the selected fields of a post, besides those that every response contains.
func (s selection) of(post stage.Object) stage.Object {
	shown := stage.Pick(append([]string{"id", "text"}, s.fields...), post)
	shown[s.history] = []any{post["id"]}
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
func (a *api) list(r stage.Request) stage.Response {
	size, ok := r.Int("max_results", 10, 5, 100)
	filter := ledger.Filter{Platform: network, Account: r.PathValue("id")}
	var err error
	if start := r.Values.Get("start_time"); start != "" {
		filter.Since, err = time.Parse(time.RFC3339, start)
	}
	if page := r.Values.Get("pagination_token"); page != "" && err == nil {
		filter.Before, err = strconv.ParseUint(page, 10, 64)
	}
	if err != nil || !ok {
		return invalid(wrongParameters)
	}
	posts, next := a.Stage.Page(filter, size)
	meta := stage.Object{"result_count": len(posts)}
	body := stage.Object{"meta": meta}
	if next != "" {
		meta["next_token"] = next
	}
	if len(posts) > 0 {
		meta["newest_id"], meta["oldest_id"] = posts[0].ID, posts[len(posts)-1].ID
		body["data"] = stage.Each(posts, func(p ledger.Post) stage.Object { return selected(r.Values).of(present(p)) })
	}
	return stage.OK(body)
}

func notFound() stage.Response {
	return problem(http.StatusNotFound, "resource-not-found", "Not Found Error", "Could not find tweet.")
}

func (a *api) one(r stage.Request) stage.Response {
	post, ok := a.Stage.Ledger.Get(network, r.PathValue("id"))
	return stage.If(!ok, notFound()).Else(stage.OK(data(selected(r.Values).of(present(post)))))
}

func (a *api) remove(r stage.Request) stage.Response {
	return a.Delete(r, r.PathValue("id"), notFound(), stage.OK(data(map[string]bool{"deleted": true})))
}

// me returns the account. Like a post, it has few fields that were not requested for.
func (a *api) me(r stage.Request) stage.Response {
	posts := len(a.Stage.Ledger.List(ledger.Filter{Platform: network, Account: r.Account}))
	name := stage.Username(r.Account)
	all := stage.Object{
		"id": r.Account, "username": name, "name": name, "verified_type": "none", "subscription_type": "None",
		"profile_image_url": a.Stage.Avatar(r.Request, r.Account),
		"public_metrics": map[string]int64{
			"followers_count": figures.Of(network, r.Account).Followers(a.Stage.Clock.Now()), "following_count": 0,
			"tweet_count": int64(posts), "listed_count": 0,
		},
	}
	if premium(r.Account) {
		all["verified_type"], all["subscription_type"] = "blue", "Premium"
	}
	return stage.OK(data(stage.Pick(append(r.List("user.fields"), "id", "username", "name"), all)))
}

// lookup returns posts by their ids. Posts that do not exist, or with a field that the account may not read, are
// reported as errors.
func (a *api) lookup(r stage.Request) stage.Response {
	const mostIDs = 100
	ids := r.List("ids")
	if ids[0] == "" || len(ids) > mostIDs {
		return invalid("The number of ids must be from 1 to 100.")
	}
	requested, body := selected(r.Values), stage.Object{}
	add := func(list string, entries ...stage.Object) {
		if existing, _ := body[list].([]stage.Object); len(entries) > 0 {
			body[list] = append(existing, entries...)
		}
	}
	var files []stage.Object
	for _, id := range ids {
		post, ok := a.Stage.Ledger.Get(network, id)
		switch {
		case !ok:
			add("errors", lookupError(id, "resource-not-found", "Not Found Error",
				"Could not find tweet with ids: ["+id+"]."))
			continue
		case slices.Contains(requested.fields, ownerField) &&
			(post.Account != r.Account || a.Stage.Clock.Now().Sub(post.CreatedAt) > ownerWindow):
			add("errors", lookupError(id, "not-authorized-for-field", "Field Authorization Error",
				"Sorry, you are not authorized to access '"+ownerField+"' on the Tweet with ids : ["+id+"]."))
			continue
		}
		add("data", requested.of(a.metered(post)))
		if slices.Contains(r.List("expansions"), "attachments.media_keys") {
			files = append(files, a.meteredMedia(post)...)
		}
	}
	if len(files) > 0 {
		body["includes"] = stage.Object{"media": files}
	}
	return stage.OK(body)
}

func lookupError(id, name, title, detail string) stage.Object {
	return stage.Object{
		"resource_id": id, "resource_type": "tweet", "parameter": "ids", "value": id,
		"title": title, "detail": detail, "type": "https://api.x.com/2/problems/" + name,
	}
}

// metered returns the post with its metrics.
func (a *api) metered(post ledger.Post) stage.Object {
	so, shown := figures.OfPost(post, a.Stage.Clock.Now()), present(post)
	quotes := so.Shares / 3
	shown["public_metrics"] = map[string]int64{
		"impression_count": so.Impressions, "like_count": so.Likes, "reply_count": so.Comments,
		"retweet_count": so.Shares - quotes, "quote_count": quotes, "bookmark_count": so.Saves,
	}
	shown[ownerField] = map[string]int64{
		"impression_count": so.Impressions, "url_link_clicks": so.Clicks, "user_profile_clicks": so.Reach / 50,
		"engagements": so.Likes + so.Comments + so.Shares + so.Saves + so.Clicks,
	}
	return shown
}

// meteredMedia returns the post's media. Only videos have metrics.
func (a *api) meteredMedia(post ledger.Post) []stage.Object {
	return stage.Each(post.Media, func(file ledger.Media) stage.Object {
		if file.Type != string(media.Video) {
			return stage.Object{"media_key": file.ID, "type": "photo"}
		}
		views := figures.OfPost(post, a.Stage.Clock.Now()).VideoViews
		return stage.Object{"media_key": file.ID, "type": "video", "public_metrics": map[string]int64{"view_count": views}}
	})
}
