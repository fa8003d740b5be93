package xapi

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/media"
)

const (
	// mostIDs is the number of posts that X returns at once.
	mostIDs = 100
	// ownerWindow is the time in which the owner of a post sees its non-public metrics.
	ownerWindow = 30 * 24 * time.Hour

	ownerField = "non_public_metrics"
)

// lookup returns posts by their ids. Posts that do not exist, or with a field that the account may not read, are
// reported as errors.
func (a *API) lookup(w http.ResponseWriter, r request) {
	query := r.URL.Query()
	ids := strings.Split(query.Get("ids"), ",")
	if query.Get("ids") == "" || len(ids) > mostIDs {
		invalid(w, "The number of ids must be from 1 to 100.")
		return
	}
	asked := selected(query)
	var data, files, errs []map[string]any
	for _, id := range ids {
		post, ok := a.stage.Ledger.Get(network, id)
		switch {
		case !ok:
			errs = append(errs, lookupError(id, "resource-not-found", "Not Found Error",
				"Could not find tweet with ids: ["+id+"]."))
			continue
		case slices.Contains(asked.fields, ownerField) &&
			(post.Account != r.account || a.stage.Clock.Now().Sub(post.CreatedAt) > ownerWindow):
			errs = append(errs, lookupError(id, "not-authorized-for-field", "Field Authorization Error",
				"Sorry, you are not authorized to access '"+ownerField+"' on the Tweet with ids : ["+id+"]."))
			continue
		}
		data = append(data, asked.of(a.metered(post)))
		if slices.Contains(strings.Split(query.Get("expansions"), ","), "attachments.media_keys") {
			files = append(files, a.meteredMedia(post)...)
		}
	}
	answer := map[string]any{}
	for name, list := range map[string][]map[string]any{"data": data, "errors": errs} {
		if len(list) > 0 {
			answer[name] = list
		}
	}
	if len(files) > 0 {
		answer["includes"] = map[string]any{"media": files}
	}
	if !r.held.Lost(w, r.Request) {
		stage.JSON(w, http.StatusOK, answer)
	}
}

func lookupError(id, name, title, detail string) map[string]any {
	return map[string]any{
		"resource_id": id, "resource_type": "tweet", "parameter": "ids", "value": id,
		"title": title, "detail": detail, "type": "https://api.x.com/2/problems/" + name,
	}
}

// metered returns the post with its metrics.
func (a *API) metered(post ledger.Post) tweet {
	so, shown := figures.OfPost(post, a.stage.Clock.Now()), present(post)
	quotes := so.Shares / 3
	shown.more["public_metrics"] = map[string]int64{
		"impression_count": so.Impressions, "like_count": so.Likes, "reply_count": so.Comments,
		"retweet_count": so.Shares - quotes, "quote_count": quotes, "bookmark_count": so.Saves,
	}
	shown.more[ownerField] = map[string]int64{
		"impression_count": so.Impressions, "url_link_clicks": so.Clicks, "user_profile_clicks": so.Reach / 50,
		"engagements": so.Likes + so.Comments + so.Shares + so.Saves + so.Clicks,
	}
	return shown
}

// meteredMedia returns the post's media. Only videos have metrics.
func (a *API) meteredMedia(post ledger.Post) []map[string]any {
	shown := make([]map[string]any, 0, len(post.Media))
	for _, file := range post.Media {
		one := map[string]any{"media_key": file.ID, "type": "photo"}
		if file.Type == string(media.Video) {
			one["type"] = "video"
			one["public_metrics"] = map[string]int64{"view_count": figures.OfPost(post, a.stage.Clock.Now()).VideoViews}
		}
		shown = append(shown, one)
	}
	return shown
}
