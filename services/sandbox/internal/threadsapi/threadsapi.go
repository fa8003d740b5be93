// Package threadsapi is the sandbox's Threads API: containers and the posts made from them.
package threadsapi

import (
	"encoding/json"
	"net/http"
	"strings"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/metaapi"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
)

// Permissions of Threads.
const (
	scopeBasic    = "threads_basic"
	scopePublish  = "threads_content_publish"
	scopeInsights = "threads_manage_insights"
	scopeDelete   = "threads_delete"
)

// Limits of Threads.
const (
	textLimit           = 500
	attachedLimit       = 10_000
	mostLinks           = 5
	pictureLimit        = 8 << 20
	videoLimit          = 1 << 30
	narrowest, broadest = 0.1, 10 // aspect ratio (width/height)
	altTextLimit        = 1_000   // characters
)

// The kinds of containers.
const (
	kindText     = "TEXT"
	kindImage    = "IMAGE"
	kindVideo    = "VIDEO"
	kindCarousel = "CAROUSEL"
)

// detailAttached is the detail with the long text that is attached to a post.
const detailAttached = "text_attachment"

// Network declares Threads.
func Network() stage.Network {
	return stage.Network{
		ID:     channel.NetworkThreads,
		Tokens: []token.Policy{metaapi.LongLived(scopeBasic, scopePublish, scopeInsights, scopeDelete, scopeReadReplies, scopeReplies)},
		Mount:  metaapi.Mount("threads-containers", "179", register),
	}
}

// api serves Threads' calls.
type api struct {
	metaapi.API

	replies    *metaapi.Comments
	publishing stage.Locks // by container
}

// register adds the calls under /threads.
func register(mux *http.ServeMux, s *stage.Stage, containers *metaapi.Containers) {
	a := &api{API: metaapi.API{
		Service:    stage.Service{Stage: s, Network: channel.NetworkThreads, Prefix: "/threads"},
		Containers: containers, ErrorType: "THApiException", Limit: 4, Usage: "threads", Posts: 250, Replies: 1000, Days: 93,
	}}
	a.Steps = a.steps
	a.openReplies()
	a.Missing, a.Rules = a.Unknown(http.StatusNotFound, 100), a.rules()
	const (
		status     = stage.StepStatus
		publishing = scopeBasic + " " + scopePublish
		measuring  = scopeBasic + " " + scopeInsights
		deleting   = scopeBasic + " " + scopeDelete
	)
	limit, metric := metaapi.LimitNode("ThreadsPublishingLimit"), metaapi.InsightsNode("")
	a.Handle(mux, append(a.replyRoutes(), []metaapi.Route{
		{Pattern: "POST /{user}/threads", Step: stage.StepCreate, Scopes: publishing, Serve: a.create},
		{Pattern: "POST /{user}/threads_publish", Step: stage.StepCommit, Scopes: publishing, Serve: a.publish},
		{Pattern: "GET /{user}/threads", Step: status, Scopes: scopeBasic, Node: mediaNode(), Serve: a.list},
		{Pattern: "GET /{user}/threads_publishing_limit", Step: status, Scopes: publishing, Node: limit, Serve: a.Quota},
		{
			Pattern: "GET /{user}/threads_insights", Step: status, Scopes: measuring, Serve: a.accountInsights,
			Node: metaapi.InsightsNode("link_total_values"),
		},
		{Pattern: "GET /{id}/insights", Step: status, Scopes: measuring, Node: metric, Serve: a.postInsights},
		{Pattern: "GET /{id}", Step: status, Scopes: scopeBasic, Serve: a.read},
		{Pattern: "DELETE /{id}", Step: stage.StepOther, Scopes: deleting, Serve: a.remove},
	}...))
	a.Consents(mux, "th_exchange_token", "th_refresh_token")
}

// create creates a container. With auto_publish_text, Threads publishes a text in the same call.
func (a *api) create(r stage.Request) stage.Response {
	text, described := r.Values.Get("text"), r.Values.Get("alt_text")
	c := metaapi.Container{
		Account: r.Account, Kind: r.Values.Get("media_type"), Text: text, Item: r.Values.Get("is_carousel_item") == "true",
	}
	file := c.Kind == kindImage || c.Kind == kindVideo
	bad := stage.If(figures.Threads(text) > textLimit, a.Invalid("Param text must be at most 500 characters long.")).
		Or(figures.ThreadsLinks(text) > mostLinks, a.Invalid("THREADS_API__LINK_LIMIT_EXCEEDED")).
		Or(r.Values.Has(detailAttached) && c.Kind != kindText,
			a.Invalid("Param text_attachment is allowed for text posts only")).
		Or(described != "" && !file, a.Invalid("Param alt_text is allowed for images and videos only")).
		Or(figures.Characters(described) > altTextLimit, a.Invalid("Param alt_text must be at most 1000 characters long."))
	if !bad.Broken {
		bad = a.fill(r, &c)
	}
	if !bad.Broken {
		bad = a.repliesTo(r, &c)
	}
	if !bad.Broken {
		bad = a.set(r, &c)
	}
	if c.Kind != kindText || r.Values.Get("auto_publish_text") != "true" || bad.Broken {
		return a.Store(c, bad)
	}
	c, err := a.Create(c)
	if err != nil {
		return a.Broken
	}
	return a.Release(r, c)
}

// rules returns Threads' rules for containers. The subcodes of images are Instagram's.
func (a *api) rules() metaapi.Rules {
	missing := a.Error(24, 4279009, "The requested resource does not exist: Media Not Found")
	image := func(subcode int) stage.Response { return a.Error(100, subcode, "The image cannot be used.") }
	const failed = "FAILED_PROCESSING_VIDEO"
	return metaapi.Rules{
		Fewest: 2, Most: 20, Count: a.Invalid("Param children must have 2 to 20 items"), Unknown: missing,
		States: map[string]stage.Response{
			metaapi.InProgress: missing, metaapi.Failed: missing, metaapi.Expired: missing,
		},
		Images: map[metaapi.Verdict]stage.Response{
			metaapi.Unreachable: image(2207052), metaapi.TooLarge: image(2207004), metaapi.WrongFormat: image(2207005),
			metaapi.WrongShape: image(2207009),
		},
		Videos: map[metaapi.Verdict]string{
			metaapi.Unreachable: "FAILED_DOWNLOADING_VIDEO", metaapi.TooLarge: failed, metaapi.WrongFormat: failed,
		},
	}
}

// fill adds the content of its kind to a container.
func (a *api) fill(r stage.Request, c *metaapi.Container) stage.Check {
	switch c.Kind {
	case kindText:
		return a.text(r, c)
	case kindImage:
		return a.file(r, c, "image_url", metaapi.Requirements{
			Formats: []string{media.ContentTypeJPEG, media.ContentTypePNG}, Limit: pictureLimit, Narrow: narrowest,
			Wide: broadest,
		})
	case kindVideo:
		return a.file(r, c, "video_url", metaapi.Videos(videoLimit))
	case kindCarousel:
		return a.Carousel(r, c)
	default:
		return stage.Refused(a.Invalid("Param media_type must be one of {TEXT, IMAGE, VIDEO, CAROUSEL}"))
	}
}

// text checks a text, and the long text that is attached to it.
func (a *api) text(r stage.Request, c *metaapi.Container) stage.Check {
	var attached struct {
		Text string `json:"plaintext"`
	}
	err := json.Unmarshal([]byte(r.Values.Get(detailAttached)), &attached)
	broken := err != nil || attached.Text == "" || figures.Characters(attached.Text) > attachedLimit
	if !broken {
		c.Details = map[string]string{detailAttached: attached.Text}
	}
	return stage.If(strings.TrimSpace(c.Text) == "" || c.Item,
		a.Invalid("Param text must not be empty, and a text is no item of a carousel")).
		Or(r.Values.Has(detailAttached) && broken,
			a.Invalid("Param text_attachment must have a plaintext of at most 10000 characters"))
}

// file fetches an image or a video.
func (a *api) file(r stage.Request, c *metaapi.Container, name string, required metaapi.Requirements) stage.Check {
	if r.Values.Get(name) == "" {
		return stage.Refused(a.Invalid("Param " + name + " is required for media_type " + c.Kind))
	}
	return a.Attach(r, c, r.Values.Get(name), required)
}

func mediaNode() *metaapi.Node {
	return metaapi.NewNode("ThreadsMedia{text,media_type,media_product_type,username,shortcode,permalink,timestamp," +
		"media_url,thumbnail_url,alt_text,link_attachment_url,topic_tag,text_attachment}")
}

// read returns a container's status, a post, or the account.
func (a *api) read(r stage.Request) stage.Response {
	id := r.PathValue("id")
	if id == "me" || id == r.Account {
		name := stage.Username(r.Account)
		of := metaapi.NewNode("ThreadsUser{username,name,is_verified,threads_profile_picture_url,threads_biography}")
		return a.Show(r, of, stage.Object{
			"id": r.Account, "username": name, "name": name, "is_verified": false,
			"threads_profile_picture_url": a.Stage.Avatar(r.Request, r.Account),
		})
	}
	if c, ok := a.Of(r.Account, id); ok {
		shown := stage.Object{"id": c.ID, "status": a.Status(c)}
		if shown["status"] == metaapi.Failed {
			shown["error_message"] = c.Problem
		}
		return a.Show(r, metaapi.NewNode("ThreadsContainer{status,error_message}"), shown)
	}
	if post, ok := a.Post(r, id); ok {
		return a.Show(r, mediaNode(), a.show(r, post))
	}
	return a.NotFound()
}

// show returns a post in Threads' JSON.
func (a *api) show(r stage.Request, post ledger.Post) stage.Object {
	kind := kindImage
	switch {
	case len(post.Media) == 0:
		kind = "TEXT_POST"
	case len(post.Media) > 1:
		kind = "CAROUSEL_ALBUM"
	case metaapi.IsVideo(post.Media):
		kind = kindVideo
	}
	shown := stage.Object{
		"id": post.ID, "text": post.Text, "media_type": kind, "username": post.Author, "shortcode": post.ID,
		"permalink": a.Stage.Base(r.Request) + stage.Page(post), "timestamp": metaapi.Time(post.CreatedAt),
	}
	if attached := post.Details[detailAttached]; attached != "" {
		shown[detailAttached] = map[string]string{"plaintext": attached}
	}
	return shown
}

// list returns one page of the account's posts without its replies, newest first. paging.cursors.after is set while more follow.
func (a *api) list(r stage.Request) stage.Response {
	list := a.List(r, ledger.Filter{}, nil, func(post ledger.Post) stage.Object {
		if post.Parent != "" {
			return nil
		}
		return a.show(r, post)
	})
	body := stage.Object{"data": list.Data}
	if list.More {
		body["paging"] = stage.Object{"cursors": map[string]string{"after": list.After}}
	}
	return stage.OK(body)
}

func (a *api) remove(r stage.Request) stage.Response {
	id := r.PathValue("id")
	return a.Delete(r, id, a.NotFound(), stage.OK(stage.Object{"success": true, "deleted_id": id}))
}

// accountInsights returns the account's metrics: views per day, the current number of followers, and all others as a
// sum over the requested days.
func (a *api) accountInsights(r stage.Request) stage.Response {
	metrics := func(d figures.Day) map[string]int64 {
		return map[string]int64{
			"views": d.Impressions, "likes": d.Likes, "replies": d.Comments, "reposts": d.Shares - d.Shares/3,
			"quotes": d.Shares / 3, "clicks": d.WebsiteClicks, "followers_count": d.Followers,
		}
	}
	return a.Measure(r, metrics, nil, func(name string, days []stage.Object, sum int64) stage.Object {
		switch name {
		case "views":
			return metaapi.PerDay(name, days)
		case "followers_count":
			return metaapi.TotalValue(name, figures.Of(string(a.Network), r.Account).Followers(a.Stage.Clock.Now()))
		case "clicks":
			return stage.Object{
				"name": name, "period": "day", "title": name, "description": name, "id": r.Account + "/insights/" + name,
				"link_total_values": []stage.Object{{"value": sum, "link_url": "https://example.com/"}},
			}
		default:
			return metaapi.TotalValue(name, sum)
		}
	})
}

// postInsights returns the metrics of a post.
func (a *api) postInsights(r stage.Request) stage.Response {
	post, ok := a.Post(r, r.PathValue("id"))
	if !ok {
		return a.NotFound()
	}
	so := figures.OfPost(post, a.Stage.Clock.Now())
	return a.Lifetime(r, stage.Object{
		"views": so.Impressions, "likes": so.Likes, "replies": so.Comments, "reposts": so.Shares / 2, "quotes": so.Shares / 4,
		"shares": so.Shares - so.Shares/2 - so.Shares/4,
	})
}
