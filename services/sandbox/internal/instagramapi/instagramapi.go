// Package instagramapi is the sandbox's Instagram API: containers of images and videos, and the posts, reels and
// stories made from them.
package instagramapi

import (
	"net/http"
	"slices"
	"strings"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/metaapi"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

const network = string(channel.NetworkInstagram)

// Permissions of Instagram Login.
const (
	scopeBasic    = "instagram_business_basic"
	scopePublish  = "instagram_business_content_publish"
	scopeInsights = "instagram_business_manage_insights"
)

const (
	// rolePage is the role of the tokens of Facebook Login, which belong to a Page.
	rolePage = "page"
	// hiding begins the names of accounts whose containers Meta does not show to the token of the Page, but to that of the
	// person, as it did in 2026.
	hiding = "hiding"
	// fewestViewers is the minimum reach before a post's metrics are reported.
	fewestViewers = 5
)

// loginScopes are the permissions of Facebook Login.
func loginScopes() []string {
	return []string{
		"instagram_basic", "instagram_content_publish", "instagram_manage_insights", "instagram_manage_comments",
		"pages_show_list", "pages_read_engagement", "business_management",
	}
}

// pageScope returns the permission of Instagram Login that corresponds to one of Facebook Login; empty if there is
// none.
func pageScope(scope string) string {
	return map[string]string{
		"instagram_basic": scopeBasic, "instagram_content_publish": scopePublish, "instagram_manage_insights": scopeInsights,
		"instagram_manage_comments": scopeComments,
	}[scope]
}

// Network declares Instagram.
func Network() stage.Network {
	return stage.Network{
		ID: channel.NetworkInstagram,
		Tokens: []token.Policy{
			metaapi.LongLived(scopeBasic, scopePublish, scopeInsights, scopeComments),
			metaapi.PageTokens(rolePage, scopeBasic, scopePublish, scopeInsights, scopeComments), metaapi.UserTokens(loginScopes()...),
		},
		Mount: metaapi.Mount("instagram-containers", "178", register),
	}
}

// api serves Instagram's calls.
type api struct {
	metaapi.API

	comments *metaapi.Comments
}

// register adds the calls under /instagram, for accounts with Instagram Login, and under /instagram-facebook, for those
// with Facebook Login. Only the tokens differ.
func register(mux *http.ServeMux, s *stage.Stage, containers *metaapi.Containers) {
	open(mux, s, containers, "/instagram", "").Consents(mux, "ig_exchange_token", "ig_refresh_token")
	page := open(mux, s, containers, "/instagram-facebook", rolePage)
	mux.HandleFunc("GET /instagram-facebook/{version}/debug_token", page.DebugToken(page.Missing))
	login := &metaapi.Login{Scopes: loginScopes(), PageRole: rolePage, PageScope: pageScope, Instagram: true}
	login.Mount(mux, &page.API)
}

// open adds the calls at one host, for tokens with the role.
func open(mux *http.ServeMux, s *stage.Stage, containers *metaapi.Containers, prefix, role string) *api {
	a := &api{API: metaapi.API{
		Service: stage.Service{
			Stage: s, Network: channel.NetworkInstagram, Prefix: prefix, Roles: []string{role}, Steps: metaapi.Fetches,
		},
		Containers: containers, ErrorType: "OAuthException", Limit: 80002,
		Usage: "instagram", Posts: 100, Days: 30,
	}}
	const (
		status     = stage.StepStatus
		publishing = scopeBasic + " " + scopePublish
		measuring  = scopeBasic + " " + scopeInsights
	)
	limit := metaapi.LimitNode("ContentPublishingLimit")
	a.Missing, a.Rules = a.Unknown(http.StatusNotFound, 100), a.rules()
	if role == rolePage {
		a.Refused = a.byPerson
	}
	a.openComments()
	a.Handle(mux, append(a.commentRoutes(), []metaapi.Route{
		{Pattern: "POST /{user}/media", Step: stage.StepCreate, Scopes: publishing, Serve: a.create},
		{Pattern: "POST /{user}/media_publish", Step: stage.StepCommit, Scopes: publishing, Serve: a.PublishContainer},
		{Pattern: "GET /{user}/media", Step: status, Scopes: scopeBasic, Node: mediaNode(), Serve: a.feed},
		{Pattern: "GET /{user}/stories", Step: status, Scopes: scopeBasic, Node: mediaNode(), Serve: a.stories},
		{Pattern: "GET /{user}/content_publishing_limit", Step: status, Scopes: publishing, Node: limit, Serve: a.Quota},
		{Pattern: "GET /{id}/insights", Step: status, Scopes: measuring, Node: metaapi.InsightsNode(""), Serve: a.insights},
		{Pattern: "GET /{id}", Step: status, Scopes: scopeBasic, Serve: a.read},
	}...))
	return a
}

// byPerson shows a container to the token of a person of Facebook Login, and refuses all others.
func (a *api) byPerson(r stage.Request, reason error) stage.Response {
	person, err := a.Stage.Tokens.Access(network, stage.AccessToken(r.Request, r.Values), "instagram_basic")
	if err != nil || person.Role != metaapi.RoleUser || !strings.HasSuffix(r.Pattern, "/{version}/{id}") {
		return a.Refuse(r, reason)
	}
	for _, page := range []string{"", "-shop", "-archive", "-group"} {
		if c, ok := a.Of(person.Account+page, r.PathValue("id")); ok {
			return a.status(r, c)
		}
	}
	return a.NotFound()
}

// read returns a container's status, a post, or the account.
func (a *api) read(r stage.Request) stage.Response {
	id := r.PathValue("id")
	if id == "me" || id == r.Account {
		return a.user(r)
	}
	hidden := slices.Contains(a.Roles, rolePage) && strings.HasPrefix(r.Account, hiding)
	if c, created := a.Of(r.Account, id); created && !hidden {
		return a.status(r, c)
	}
	if post, published := a.media(r); published {
		return a.Show(r, mediaNode(), a.show(r, post), "id")
	}
	return a.NotFound()
}

// user returns the account. With Instagram Login it has other fields than at the Graph API of Facebook.
func (a *api) user(r stage.Request) stage.Response {
	name, of := stage.Username(r.Account), metaapi.InstagramUserNode("")
	shown := stage.Object{
		"followers_count": figures.Of(network, r.Account).Followers(a.Stage.Clock.Now()),
		"id":              r.Account, "username": name, "name": name,
		"profile_picture_url": a.Stage.Avatar(r.Request, r.Account),
		"media_count":         len(a.Stage.Ledger.List(ledger.Filter{Platform: network, Account: r.Account, Roots: true})),
	}
	if !slices.Contains(a.Roles, rolePage) {
		of = metaapi.InstagramUserNode("user_id,account_type")
		shown["user_id"], shown["account_type"] = r.Account, "BUSINESS"
	}
	return a.Show(r, of, shown)
}

// status returns a container's state as a code and in words.
func (a *api) status(r stage.Request, c metaapi.Container) stage.Response {
	state := a.Status(c)
	words := map[string]string{
		metaapi.InProgress: "In Progress: Media is still being processed.",
		metaapi.Finished:   "Finished: Media has been uploaded and it is ready to be published.",
		metaapi.Published:  "Published: Media has been successfully published.",
		metaapi.Expired:    "Expired: Media was not published within 24 hours.",
		metaapi.Failed:     c.Problem,
	}
	return a.Show(r, metaapi.NewNode("IGContainer{status,status_code}"), stage.Object{
		"id": c.ID, "status_code": state, "status": words[state],
	})
}

func mediaNode() *metaapi.Node {
	return metaapi.NewNode("IGMedia{caption,permalink,media_type,media_product_type,timestamp,shortcode,username," +
		"media_url,thumbnail_url,like_count,comments_count}")
}

// show returns a post in Instagram's JSON. A missing caption is left out.
func (a *api) show(r stage.Request, post ledger.Post) stage.Object {
	kind, product := a.kind(post)
	shown := stage.Object{
		"id": post.ID, "permalink": a.Stage.Base(r.Request) + stage.Page(post), "media_type": kind,
		"media_product_type": product, "timestamp": metaapi.Time(post.CreatedAt), "shortcode": post.ID,
		"username": post.Author,
	}
	if post.Text != "" {
		shown["caption"] = post.Text
	}
	return shown
}

// kind returns Instagram's media type and media product type of a post.
func (a *api) kind(post ledger.Post) (kind, product string) {
	created := a.Kind(post)
	kind, product = "IMAGE", "FEED"
	switch {
	case created == kindCarousel:
		kind = "CAROUSEL_ALBUM"
	case metaapi.IsVideo(post.Media):
		kind = kindVideo
	}
	switch created {
	case kindStory:
		product = "STORY"
	case kindReel:
		product = kindReel
	}
	return kind, product
}

// feed lists the account's posts and reels.
func (a *api) feed(r stage.Request) stage.Response { return a.list(r, ledger.Filter{}, false) }

// stories lists the stories of the last day. Older ones have expired.
func (a *api) stories(r stage.Request) stage.Response { return a.list(r, a.Recent(r.Account), true) }

// list returns one page of posts, newest first. paging.cursors.after points to the next page, and is set on the last
// page too.
func (a *api) list(r stage.Request, filter ledger.Filter, stories bool) stage.Response {
	fields, _ := a.Fields(r, mediaNode())
	list := a.List(r, filter, append(fields, "id"), func(post ledger.Post) stage.Object {
		if (a.Kind(post) == kindStory) != stories || post.Parent != "" {
			return nil
		}
		return a.show(r, post)
	})
	body := stage.Object{"data": list.Data}
	if len(list.Data) > 0 {
		body["paging"] = list.Cursors()
	}
	return stage.OK(body)
}

// insights returns the metrics of the account or of one of its posts.
func (a *api) insights(r stage.Request) stage.Response {
	if id := r.PathValue("id"); id == "me" || id == r.Account {
		return a.accountInsights(r)
	}
	return a.postInsights(r)
}

// accountInsights returns the account's metrics. Only reach is available per day. profile_views is no longer available.
func (a *api) accountInsights(r stage.Request) stage.Response {
	series := r.Values.Get("metric_type") == "time_series"
	return a.Measure(r, func(d figures.Day) map[string]int64 {
		return map[string]int64{
			"reach": d.Reach, "views": d.Impressions, "total_interactions": d.Engagements(),
			"profile_links_taps": d.WebsiteClicks, "likes": d.Likes, "comments": d.Comments, "shares": d.Shares,
			"saves": d.Saves,
		}
	}, func(requested metaapi.Insights) string {
		return stage.If(!requested.Bounded || r.Values.Get("period") != "day", metaapi.OnlyDays).
			Or(series && !slices.Equal(requested.Metrics, []string{"reach"}) || !series &&
				r.Values.Get("metric_type") != "total_value",
				"(#100) The metrics must be specified with another parameter metric_type").Fault
	}, func(name string, days []stage.Object, sum int64) stage.Object {
		if series {
			return metaapi.PerDay(name, days)
		}
		return metaapi.TotalValue(name, sum)
	})
}

// postInsights returns the metrics of a post. A story has other metrics, for one day only.
func (a *api) postInsights(r stage.Request) stage.Response {
	post, ok := a.media(r)
	_, product := a.kind(post)
	story, so := product == "STORY", figures.OfPost(post, a.Stage.Clock.Now())
	values := stage.Object{"views": so.Impressions, "reach": so.Reach, "shares": so.Shares}
	if story {
		values["replies"] = so.Comments
	} else {
		values["likes"], values["comments"], values["saved"] = so.Likes, so.Comments, so.Saves
		values["total_interactions"] = so.Likes + so.Comments + so.Saves + so.Shares
	}
	response := a.Lifetime(r, values)
	switch {
	case !ok, story && post.CreatedAt.Before(a.Recent("").Since):
		return a.NotFound()
	case !response.Refused && so.Reach < fewestViewers:
		return a.Error(10, 0, "(#10) Not enough viewers for the media to show insights")
	default:
		return response
	}
}
