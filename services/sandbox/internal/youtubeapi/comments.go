package youtubeapi

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"fencepost.internal/services/sandbox/internal/chats"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
)

const (
	scopeComments = "https://www.googleapis.com/auth/youtube.force-ssl"

	mostComments   = 100
	longestComment = 10_000
	// shownReplies is the number of replies that a thread shows.
	shownReplies = 5

	published = "published"
)

// units counts the units of the daily quota that calls about comments use, while the sandbox is strict.
type units struct {
	mu   sync.Mutex
	day  analytics.Date
	used int
}

const dailyUnits = 10_000

// costs serves a call of that many units.
func (a *api) costs(number int, serve func(stage.Request) stage.Response) func(stage.Request) stage.Response {
	return func(r stage.Request) stage.Response {
		a.units.mu.Lock()
		if today := a.Stage.Today(); today != a.units.day {
			a.units.day, a.units.used = today, 0
		}
		exhausted := a.Stage.Strict() && a.units.used+number > dailyUnits
		if !exhausted {
			a.units.used += number
		}
		a.units.mu.Unlock()
		if exhausted {
			return refuse(http.StatusForbidden, "quotaExceeded",
				"The request cannot be completed because you have exceeded your <a href=\"/youtube/v3/getting-started#quota\">quota</a>.")
		}
		return serve(r)
	}
}

// commentCalls are the calls about comments.
func (a *api) commentCalls() []stage.Route {
	const read, write = 1, 50
	a.board = stage.Board{
		Stage: a.Stage, Network: channel.NetworkYouTube, Kind: chats.Comment, Prefix: "Ugx", People: "UC", Floor: 1_000_000_000_000,
	}
	a.Stage.Forums[channel.NetworkYouTube] = a.board
	return []stage.Route{
		{Pattern: "GET /commentThreads", Step: stage.StepStatus, Scopes: scopeComments, Serve: a.costs(read, a.threads)},
		{Pattern: "POST /commentThreads", Step: stage.StepCommit, Scopes: scopeComments, Serve: a.costs(write, a.comment)},
		{Pattern: "GET /comments", Step: stage.StepStatus, Scopes: scopeComments, Serve: a.costs(read, a.replies)},
		{Pattern: "POST /comments", Step: stage.StepReply, Scopes: scopeComments, Serve: a.costs(write, a.reply)},
		{Pattern: "POST /comments/setModerationStatus", Step: stage.StepOther, Scopes: scopeComments, Serve: a.costs(write, a.moderate)},
	}
}

// visible returns the published comments directly below another one, or those that begin a thread, newest first.
func (a *api) visible(account, above string) []chats.Message {
	return slices.DeleteFunc(a.board.List(account, ""), func(m chats.Message) bool { return m.ReplyTo != above || m.Hidden })
}

// present returns a comment in YouTube's JSON. A text is plain only if the call asks for that.
func (a *api) present(r stage.Request, m chats.Message) stage.Object {
	name, id := "@"+m.Person.NameOf(), m.Person.ID
	own := stage.IsOwn(m)
	if own {
		name, id = "@"+stage.Username(m.Account), m.Account
	}
	text, updated := m.Text, m.At
	if r.Values.Get("textFormat") != "plainText" {
		text = strings.NewReplacer("&", "&amp;", "<", "&lt;", "\n", "<br>").Replace(text)
	}
	if m.EditedAt != nil {
		updated = *m.EditedAt
	}
	snippet := stage.Object{
		"textDisplay": text, "authorDisplayName": name, "authorChannelId": map[string]string{"value": id}, "likeCount": 0,
		"publishedAt": m.At.UTC().Format(time.RFC3339), "updatedAt": updated.UTC().Format(time.RFC3339), "channelId": m.Account,
	}
	if m.ReplyTo != "" {
		snippet["parentId"] = m.ReplyTo
	}
	if own {
		snippet["textOriginal"] = m.Text
	}
	return stage.Object{"kind": "youtube#comment", "id": m.ID, "snippet": snippet}
}

// page returns the page of a list that the call requests.
func page(r stage.Request, kind string, all []chats.Message, show func(chats.Message) stage.Object) stage.Response {
	size, ok := r.Int("maxResults", 20, 1, mostComments)
	if !ok {
		return badRequest("invalidParameter", "maxResults must be from 1 to 100.")
	}
	some, next := stage.Paged(all, r.Values.Get("pageToken"), size)
	body := stage.Object{
		"kind": kind, "items": stage.Each(some, show), "pageInfo": map[string]int{"totalResults": len(some), "resultsPerPage": size},
	}
	if next != "" {
		body["nextPageToken"] = next
	}
	return stage.OK(body)
}

// threads lists the comments of the token's channel or below one of its videos, newest first, each with some of its replies.
func (a *api) threads(r stage.Request) stage.Response {
	video, part := r.Values.Get("videoId"), r.Values.Get("part")
	rule := stage.If(video == "" && r.Values.Get("allThreadsRelatedToChannelId") != r.Account,
		refuse(http.StatusForbidden, "forbidden", "The sandbox shows the comments of the token's channel only.")).
		Or(part != "snippet,replies" && part != "snippet", badRequest("unexpectedPart", "The sandbox supports only snippet and replies.")).
		Or(r.Values.Get("order") != "time", badRequest("invalidParameter", "The sandbox supports only the order time."))
	if video != "" {
		v, hidden := a.commented(r, video)
		rule = rule.Or(hidden.Broken, hidden.Fault).Or(v.quiet(), commentsDisabled())
	}
	if rule.Broken {
		return rule.Fault
	}
	list := slices.DeleteFunc(a.visible(r.Account, ""), func(m chats.Message) bool { return video != "" && m.Post != video })
	return page(r, "youtube#commentThreadListResponse", list, func(m chats.Message) stage.Object {
		return a.thread(r, m, part != "snippet")
	})
}

// thread returns a comment with some of its replies.
func (a *api) thread(r stage.Request, m chats.Message, whole bool) stage.Object {
	replies := a.visible(m.Account, m.ID)
	shown := stage.Object{
		"kind": "youtube#commentThread", "id": m.ID, "snippet": stage.Object{
			"channelId": m.Account, "videoId": m.Post, "topLevelComment": a.present(r, m), "canReply": true, "isPublic": true,
			"totalReplyCount": len(replies),
		},
	}
	if len(replies) > 0 && whole {
		some := replies[max(0, len(replies)-shownReplies):]
		shown["replies"] = stage.Object{"comments": stage.Each(some, func(m chats.Message) stage.Object { return a.present(r, m) })}
	}
	return shown
}

// quiet reports whether the video takes no comments: they are turned off, or it is private or made for kids.
func (v video) quiet() bool {
	return strings.Contains(v.Snippet.Title, stage.NoComments) || v.Status.Privacy == privacyPrivate ||
		v.Status.MadeForKids != nil && *v.Status.MadeForKids
}

func commentsDisabled() stage.Response {
	return refuse(http.StatusForbidden, "commentsDisabled", "The video identified by the videoId parameter has disabled comments.")
}

// commented returns a video of the token's channel, which is the only one whose comments the sandbox shows.
func (a *api) commented(r stage.Request, id string) (video, stage.Rule[stage.Response]) {
	v, ok := a.files.Get(id)
	return v, stage.If(!ok || !v.exists() || v.Account != r.Account,
		refuse(http.StatusNotFound, "videoNotFound", "The video identified by the videoId parameter could not be found."))
}

// comment adds a comment of the channel below one of its videos.
func (a *api) comment(r stage.Request) stage.Response {
	var body struct {
		Snippet struct {
			Channel string `json:"channelId"`
			Video   string `json:"videoId"`
			Top     struct {
				Snippet struct {
					Text string `json:"textOriginal"`
				} `json:"snippet"`
			} `json:"topLevelComment"`
		} `json:"snippet"`
	}
	err := r.JSON(&body)
	text := body.Snippet.Top.Snippet.Text
	v, missing := a.commented(r, body.Snippet.Video)
	rule := stage.If(err != nil || r.Values.Get("part") != "snippet",
		badRequest("invalidCommentThreadMetadata", "The comment thread is invalid.")).
		Or(body.Snippet.Channel == "" || body.Snippet.Video == "",
			badRequest("channelOrVideoIdMissing", "Each comment thread must be linked to a channel or video.")).
		Or(missing.Broken, missing.Fault).
		Or(body.Snippet.Channel != r.Account, refuse(http.StatusNotFound, "channelNotFound", "The channel cannot be found.")).
		Or(v.quiet(), commentsDisabled()).Also(wrongText(text))
	if rule.Broken {
		return rule.Fault
	}
	draft := a.Draft(r)
	draft.Text = text
	m, err := a.board.Comment(draft, ledger.Post{ID: v.ID})
	return a.After(err, stage.OK(a.thread(r, m, false)))
}

// wrongText refuses a text that no comment can have.
func wrongText(text string) stage.Rule[stage.Response] {
	return stage.If(strings.TrimSpace(text) == "", badRequest("commentTextRequired", "The comment must have a text.")).
		Or(len([]rune(text)) > longestComment, badRequest("commentTextTooLong", "The comment is too long."))
}

func notFound(reason string) stage.Response {
	return refuse(http.StatusNotFound, reason, "The comment cannot be found.")
}

// replies lists the replies to a comment.
func (a *api) replies(r stage.Request) stage.Response {
	top, ok := a.board.Get(r.Account, r.Values.Get("parentId"))
	if !ok || r.Values.Get("part") != "snippet" {
		return notFound("commentNotFound")
	}
	return page(r, "youtube#commentListResponse", a.visible(r.Account, top.ID), func(m chats.Message) stage.Object {
		return a.present(r, m)
	})
}

// reply adds a reply to a comment that begins a thread.
func (a *api) reply(r stage.Request) stage.Response {
	var body struct {
		Snippet struct {
			Parent string `json:"parentId"`
			Text   string `json:"textOriginal"`
		} `json:"snippet"`
	}
	err := r.JSON(&body)
	to, ok := a.board.Get(r.Account, body.Snippet.Parent)
	v, _ := a.files.Get(to.Post)
	rule := stage.If(err != nil || r.Values.Get("part") != "snippet", badRequest("invalidCommentMetadata", "The comment is invalid.")).
		Or(!ok, notFound("parentCommentNotFound")).
		Or(to.ReplyTo != "", badRequest("operationNotSupported", "The API user is not able to insert a comment in reply to a reply.")).
		Or(v.quiet(), commentsDisabled()).
		Also(wrongText(body.Snippet.Text))
	if rule.Broken {
		return rule.Fault
	}
	m, err := a.board.Reply(to.ID+"."+strings.TrimPrefix(a.board.NewID(to.At), a.board.Prefix), body.Snippet.Text, to)
	return a.After(err, stage.OK(a.present(r, m)))
}

// moderate sets the state of a comment. A rejected one cannot be listed.
func (a *api) moderate(r stage.Request) stage.Response {
	state, id := r.Values.Get("moderationStatus"), r.Values.Get("id")
	m, ok := a.board.Get(r.Account, id)
	rule := stage.If(!slices.Contains([]string{published, "heldForReview", "rejected"}, state),
		badRequest("operationNotSupported", "The moderation status is not supported.")).
		Or(!ok, notFound("commentNotFound"))
	if rule.Broken {
		return rule.Fault
	}
	_, err := a.Stage.Chats.Change(m.ID, func(m *chats.Message) {
		m.Hidden, m.Details = state != published, map[string]string{"moderationStatus": state}
	})
	return a.After(err, stage.Empty(http.StatusNoContent))
}
