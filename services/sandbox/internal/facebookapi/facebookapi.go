// Package facebookapi is the sandbox's Facebook API: posts, photos, reels, videos and stories of a Page.
package facebookapi

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/metaapi"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

const network = string(channel.NetworkFacebook)

// Permissions of Pages, and those that calls need together.
const (
	scopePages    = "pages_show_list"
	scopePublish  = "pages_manage_posts"
	scopeRead     = "pages_read_engagement"
	scopeInsights = "read_insights"

	publishing = scopeRead + " " + scopePublish
	measuring  = scopeRead + " " + scopeInsights
)

// business is the permission of a person that a Page does not have.
const business = "business_management"

// loginScopes are the permissions of a person.
func loginScopes() []string {
	return []string{scopePages, scopeRead, scopePublish, scopeInsights, scopeContent, scopeEngage, business}
}

// Network declares Facebook.
func Network() stage.Network {
	return stage.Network{
		ID:  channel.NetworkFacebook,
		IDs: ledger.IDs{Prefix: func(account string) string { return account + "_" }},
		Tokens: []token.Policy{
			metaapi.PageTokens("", scopePages, scopeRead, scopePublish, scopeInsights, scopeContent, scopeEngage), metaapi.UserTokens(loginScopes()...),
		},
		Reviews: append(stage.ReviewEnds(), stage.ReviewDraft),
		Mount:   metaapi.Mount("facebook-objects", "122", register),
	}
}

// api serves Facebook's calls.
type api struct {
	metaapi.API

	sessions           stage.Service // of applications that upload files
	posting, receiving stage.Locks   // by account, and by object
	comments           *metaapi.Comments
}

// register adds the calls under /facebook.
func register(mux *http.ServeMux, s *stage.Stage, objects *metaapi.Containers) {
	a := &api{API: metaapi.API{
		Service: stage.Service{
			Stage: s, Network: channel.NetworkFacebook, Prefix: "/facebook", Roles: []string{""},
		},
		Containers: objects, ErrorType: "OAuthException", Usage: "pages", Days: 93,
	}}
	a.Steps = a.steps
	a.Refused, a.Missing = a.refuse, a.Unknown(http.StatusBadRequest, 2500)
	calls := http.NewServeMux()
	const status, commit = stage.StepStatus, stage.StepCommit
	a.openComments()
	a.Handle(calls, append(a.commentCalls(), []metaapi.Route{
		{Pattern: "POST /{user}/feed", Step: commit, Scopes: publishing, Serve: a.create},
		{Pattern: "GET /{user}/feed", Step: status, Scopes: scopeRead, Serve: a.list},
		{Pattern: "GET /{user}/published_posts", Step: status, Scopes: scopeRead, Serve: a.list},
		{Pattern: "POST /{user}/photos", Step: stage.StepUpload, Scopes: publishing, Files: photoLimit, Serve: a.photo},
		{Pattern: "POST /{user}/photo_stories", Step: commit, Scopes: publishing, Serve: a.publishStory},
		{Pattern: "POST /{user}/videos", Step: commit, Scopes: publishing, Serve: a.publishVideo},
		{Pattern: "POST /{user}/video_reels", Step: commit, Scopes: publishing, Serve: a.inPhases(kindReel)},
		{Pattern: "POST /{user}/video_stories", Step: commit, Scopes: publishing, Serve: a.inPhases(kindStory)},
		{Pattern: "GET /{user}/videos", Step: status, Scopes: scopeRead, Serve: a.videos},
		{Pattern: "GET /{user}/stories", Step: status, Scopes: scopeRead, Serve: a.stories},
		{Pattern: "GET /{id}/insights", Step: status, Scopes: measuring, Node: metaapi.InsightsNode(""), Serve: a.insights},
		{Pattern: "GET /{id}", Step: status, Serve: a.read},
		{Pattern: "DELETE /{id}", Step: stage.StepOther, Scopes: publishing, Serve: a.remove},
	}...))
	a.Words.Limited = a.Error(80001, 0, "There have been too many calls to this Page account. Wait a bit and try again.")
	login := &metaapi.Login{Scopes: loginScopes(), PageScope: func(scope string) string {
		return strings.TrimPrefix(scope, business)
	}}
	login.Mount(calls, &a.API)
	debug := a.DebugToken(a.Invalid("(#100) You must provide an app access token, or a user access token that is an " +
		"owner or developer of the app"))
	calls.HandleFunc("GET /facebook/{version}/debug_token", debug)
	calls.HandleFunc("GET /facebook/debug_token", debug)
	s.ToPage(calls, channel.NetworkFacebook, "GET /facebook/{id}")
	s.ToPage(calls, channel.NetworkFacebook, "GET /facebook/reel/{id}/{$}")
	mux.HandleFunc("/facebook/", calls.ServeHTTP)
	sessions := a.registerUploads(calls)
	mux.HandleFunc("GET /facebook/{version}/{id}", func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.PathValue("id"), sessionPrefix) {
			sessions.ServeHTTP(w, r)
			return
		}
		calls.ServeHTTP(w, r)
	})
}

// registerUploads adds the calls that receive videos. It returns that which reads an upload session.
func (a *api) registerUploads(calls *http.ServeMux) *http.ServeMux {
	a.sessions = stage.Service{
		Stage: a.Stage, Network: a.Network, Words: a.Words, Token: metaapi.AccessToken, Forms: true, Refused: a.Refuse,
		Access: a.application, Account: func(stage.Request) string { return "" },
	}
	a.sessions.HandleAt(calls, stage.Route{
		Pattern: "POST /facebook/{version}/{app}/uploads", Step: stage.StepCreate, Serve: a.announce,
	})
	sessions := http.NewServeMux()
	a.sessions.HandleAt(sessions, stage.Route{
		Pattern: "GET /facebook/{version}/{id}", Step: stage.StepStatus, Serve: a.readSession,
	})
	calls.HandleFunc("POST /facebook/{version}/{id}", a.postObject(a.transfer(&a.sessions, "", "File_offset", a.session,
		func(file metaapi.Container) any { return map[string]string{"h": handle(file)} })))
	calls.HandleFunc("POST /facebook/rupload/video-upload/{version}/{id}", a.transfer(&a.Service, publishing, "Offset",
		a.unsent, func(metaapi.Container) any { return map[string]bool{"success": true} }))
	return sessions
}

// steps returns the step of a call: the start of an upload in phases is a creation, and a comment below another one a reply.
func (a *api) steps(r stage.Request, step stage.Step) []stage.Step {
	_, replies := a.comments.Get(r.Account, r.PathValue("id"))
	switch {
	case r.URL.Query().Get("upload_phase") == "start":
		step = stage.StepCreate
	case step == stage.StepCommit && replies:
		step = stage.StepReply
	}
	return []stage.Step{step}
}

// refuse returns the response to a token that is not accepted, for the reason in the error. A person's token reads no
// Page.
func (a *api) refuse(r stage.Request, reason error) stage.Response {
	const docs = "Refer to https://developers.facebook.com/docs/apps/review/login-permissions#manage-pages for details."
	switch {
	case !metaapi.Versioned(r.Request):
		return a.Missing
	case metaapi.AccessToken(r) == "":
		return a.Error(104, 0, "An access token is required to request this resource.")
	case r.Grant.Role == metaapi.RoleUser:
		return a.NotFound()
	case !errors.Is(reason, token.ErrScope):
		return a.Refuse(r, reason)
	case r.Method != http.MethodGet:
		return a.Error(200, 0, "(#200) If posting to a page, both pages_read_engagement and pages_manage_posts are required "+
			"as an admin with sufficient administrative permission")
	case strings.HasSuffix(r.Pattern, "/insights"):
		return a.Error(10, 0, "(#10) This endpoint requires the 'read_insights' permission. "+docs)
	default:
		return a.Invalid("(#100) Object does not exist, cannot be loaded due to missing permission or reviewable feature, " +
			"or does not support this operation. This endpoint requires the 'pages_read_engagement' permission or the 'Page " +
			"Public Content Access' feature. " + docs)
	}
}

// The types of objects of the Graph API. Only fields that the sandbox serves, and a few others of the documentation,
// are known: a connector that requests another one is refused as by Facebook.

const (
	attachment = "StoryAttachment{media_type,title,type,url,description,target:StoryAttachmentTarget{url}"
	postNode   = "Post{created_time,is_published,message,permalink_url,updated_time,status_type,shares," +
		"from:Profile{name},reactions:Profile{name},comments:Comment{message},attachments:" + attachment +
		",subattachments:" + attachment + "}}}"
	videoNode = "Video{status,published,permalink_url,description,created_time,title,post_id,length}"
	photoNode = "Photo{page_story_id,created_time,alt_text_custom,link,name}"
	storyNode = "PageStory{post_id,status,creation_time,media_type,media_id,url}"
)

// attachments returns the link, the photos or the video of a post in Facebook's JSON. It returns nil if there are none.
func attachments(post ledger.Post) any {
	target := func(m ledger.Media) stage.Object { return stage.Object{"target": map[string]string{"id": m.ID}} }
	one := stage.Object{}
	switch {
	case len(post.Media) > 1:
		one["media_type"], one["subattachments"] = "album", stage.Object{"data": stage.Each(post.Media, target)}
	case len(post.Media) == 1:
		one = target(post.Media[0])
		if one["media_type"] = "photo"; metaapi.IsVideo(post.Media) {
			one["media_type"] = "video"
		}
	case post.Details[detailLink] != "":
		one["media_type"] = "link"
	default:
		return nil
	}
	return stage.Object{"data": []any{one}}
}

// show returns a post in Facebook's JSON, with its counts. Shares are omitted when there are none.
func (a *api) show(r stage.Request, post ledger.Post) stage.Object {
	at, id, so := metaapi.Time(post.CreatedAt), post.ID, figures.OfPost(post, a.Stage.Clock.Now())
	if !strings.HasPrefix(id, post.Account+"_") { // the post of a video
		id = post.Account + "_" + id
	}
	counted := func(count int64) stage.Object {
		return stage.Object{"data": []any{}, "summary": stage.Object{"total_count": count}}
	}
	shown := stage.Object{
		"id": id, "created_time": at, "from": map[string]string{"id": post.Account, "name": post.Author},
		"is_published": true,
		"message":      strings.TrimSpace(post.Text), "permalink_url": a.Stage.Base(r.Request) + stage.Page(post),
		"updated_time": at, "reactions": counted(so.Likes), "comments": counted(so.Comments),
	}
	if files := attachments(post); files != nil {
		shown["attachments"] = files
	}
	if so.Shares > 0 {
		shown["shares"] = map[string]int64{"count": so.Shares}
	}
	return shown
}

// read returns the Page, a photo, a video or a post.
func (a *api) read(r stage.Request) stage.Response {
	id := r.PathValue("id")
	if id == "me" || id == r.Account {
		followers := figures.Of(network, r.Account).Followers(a.Stage.Clock.Now())
		return a.Show(r, metaapi.PageNode(""), stage.Object{
			"id": r.Account, "name": r.Account, "followers_count": followers, "fan_count": followers - followers/20,
		})
	}
	if found, ok := a.object(r.Account, id); ok {
		return a.readObject(r, found)
	}
	if m, ok := a.comments.Get(r.Account, id); ok {
		return a.Show(r, a.comments.Node, a.showComment(r, m), "created_time", "message")
	}
	if post, ok := a.shown(r, id); ok {
		return a.Show(r, metaapi.NewNode(postNode), a.show(r, post), "created_time", "message")
	}
	return a.NotFound()
}

// shown returns the post with the id. A video in the feed is shown by a post whose id ends in that of the video.
func (a *api) shown(r stage.Request, id string) (ledger.Post, bool) {
	post, ok := a.Post(r, id)
	if !ok {
		post, ok = a.Post(r, strings.TrimPrefix(id, r.Account+"_"))
	}
	return post, ok && post.Parent == ""
}

func (a *api) remove(r stage.Request) stage.Response {
	if m, ok := a.comments.Get(r.Account, r.PathValue("id")); ok {
		if bad := a.comments.Permitted(r, scopeEngage); bad.Broken {
			return bad.Fault
		}
		return a.comments.Delete(m)
	}
	return a.Delete(r, r.PathValue("id"), a.NotFound(), stage.OK(map[string]bool{"success": true}))
}

// list returns one page of the Page's posts, newest first. Stories are no posts.
func (a *api) list(r stage.Request) stage.Response {
	return a.page(r, postNode, ledger.Filter{}, func(post ledger.Post) stage.Object {
		if a.isStory(post) || post.Parent != "" {
			return nil
		}
		return a.show(r, post)
	}, "created_time", "message")
}

// videos lists the Page's videos of the feed and its reels, newest first.
func (a *api) videos(r stage.Request) stage.Response {
	return a.page(r, videoNode, ledger.Filter{}, func(post ledger.Post) stage.Object {
		if !metaapi.IsVideo(post.Media) || a.isStory(post) {
			return nil
		}
		return stage.Object{
			"id": post.ID, "description": strings.TrimSpace(post.Text), "created_time": metaapi.Time(post.CreatedAt),
			"permalink_url": "/reel/" + post.ID + "/", "published": true,
		}
	})
}

// stories lists the Page's stories of the last day, newest first.
func (a *api) stories(r stage.Request) stage.Response {
	return a.page(r, storyNode, a.Recent(r.Account), func(post ledger.Post) stage.Object {
		if !a.isStory(post) {
			return nil
		}
		kind, id := kindPhoto, post.ID
		if metaapi.IsVideo(post.Media) {
			kind, id = kindVideo, storyID(post.ID)
		}
		return stage.Object{
			"post_id": id, "status": "PUBLISHED", "creation_time": post.CreatedAt.Unix(), "media_type": kind,
			"media_id": post.Media[0].ID, "url": a.Stage.Base(r.Request) + stage.Page(post),
		}
	})
}

// page returns one page of a list. paging.next is set while more elements follow.
func (a *api) page(
	r stage.Request, of string, filter ledger.Filter, show func(ledger.Post) stage.Object, preset ...string,
) stage.Response {
	fields, bad := a.Fields(r, metaapi.NewNode(of), preset...)
	for _, name := range []string{"limit", "since", "until", "after"} {
		bad = bad.Or(r.Values.Has(name) && number(r, name) < 1,
			a.Invalid("(#100) Param "+name+" must be a positive number"))
	}
	if bad.Broken {
		return bad.Fault
	}
	list := a.List(r, filter, append(fields, "id"), show)
	body := stage.Object{"data": list.Data}
	if len(list.Data) > 0 {
		paging := list.Cursors()
		if list.More {
			query := url.Values(stage.Pick([]string{"fields", "limit", "since", "until"}, r.Values))
			query.Set("after", list.After)
			paging["next"] = a.Stage.Base(r.Request) + r.URL.Path + "?" + query.Encode()
		}
		body["paging"] = paging
	}
	return stage.OK(body)
}

// insights returns the metrics of the Page per day, or those of one of its posts.
func (a *api) insights(r stage.Request) stage.Response {
	if id := r.PathValue("id"); id != "me" && id != r.Account {
		return a.postInsights(r, id)
	}
	return a.Measure(r, func(d figures.Day) map[string]int64 {
		return map[string]int64{
			"page_follows": d.Followers, "page_media_view": d.Impressions, "page_total_media_view_unique": d.Reach,
			"page_views_total": d.ProfileViews, "page_total_actions": d.WebsiteClicks, "page_post_engagements": d.Engagements(),
		}
	}, func(requested metaapi.Insights) string {
		return stage.If(!requested.Bounded || r.Values.Get("period") != "day", metaapi.OnlyDays).Fault
	}, func(name string, days []stage.Object, _ int64) stage.Object { return metaapi.PerDay(name, days) })
}

func (a *api) postInsights(r stage.Request, id string) stage.Response {
	post, ok := a.shown(r, id)
	if !ok {
		return a.NotFound()
	}
	so := figures.OfPost(post, a.Stage.Clock.Now())
	return a.Lifetime(r, stage.Object{
		"post_media_view": so.Impressions, "post_total_media_view_unique": so.Reach, "post_clicks": so.Clicks,
		"post_reactions_by_type_total": map[string]int64{"like": so.Likes - so.Likes/5, "love": so.Likes / 5},
	})
}
