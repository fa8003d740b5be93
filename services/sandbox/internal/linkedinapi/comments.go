package linkedinapi

import (
	"fmt"
	"math"
	"net/http"
	"strings"

	"fencepost.internal/services/sandbox/internal/chats"
	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
)

const (
	// The permissions of pages to write and to read comments.
	writeFeed = "w_organization_social_feed"
	readFeed  = "r_organization_social_feed"

	longestComment = 1_250
	firstComment   = 7_400_000_000_000_000_000 // lowest number of an id

	sharePrefix, activityPrefix = "urn:li:share:", "urn:li:activity:"
)

// commentRoutes are the calls about comments. Only applications with the Community Management API have the versioned ones.
func (a *api) commentRoutes() []stage.Route {
	a.board = stage.Board{Stage: a.Stage, Network: channel.NetworkLinkedIn, Kind: chats.Comment, Floor: firstComment}
	a.Stage.Forums[channel.NetworkLinkedIn] = a.board
	var routes []stage.Route
	for _, version := range []string{"/rest", "/v2"} {
		path := version + "/socialActions/{urn}/comments"
		routes = append(routes,
			stage.Route{Pattern: "POST " + path, Step: stage.StepCommit, Serve: a.comment},
			stage.Route{Pattern: "GET " + path, Step: stage.StepStatus, Serve: a.listComments})
	}
	return routes
}

// commented returns the post in the path, which may also be named as the activity that it began.
func (a *api) commented(r stage.Request) (ledger.Post, stage.Rule[stage.Response]) {
	urn := r.PathValue("urn")
	if number, ok := strings.CutPrefix(urn, activityPrefix); ok {
		urn = sharePrefix + number
	}
	post, ok := a.Stage.Ledger.Get(network, urn)
	return post, stage.If(!ok || post.Parent != "", problem(http.StatusNotFound, 0, "NOT_FOUND",
		"com.linkedin.restli.client.RestLiResponseException: Response status 404, serviceErrorMessage: Received error for "+urn+
			" from domain authorization endpoint: 404"))
}

// partner refuses a call of the versioned resource by an application for members, and one without the permission of pages.
func partner(r stage.Request, scope, method string) stage.Rule[stage.Response] {
	versioned := strings.HasPrefix(r.URL.Path, "/linkedin/rest/")
	return stage.If(versioned && (r.Grant.Role != roleOrganization || !r.Grant.Has(scope)),
		denied("partnerApiSocialActions."+method+"."+r.Header.Get("Linkedin-Version")))
}

// comment adds a comment of the token's member or organization below a post. LinkedIn documents that an author can turn
// comments off, but not the words of the refusal.
func (a *api) comment(r stage.Request) stage.Response {
	var body struct {
		Actor   string `json:"actor"`
		Object  string `json:"object"`
		Message struct {
			Text string `json:"text"`
		} `json:"message"`
	}
	err := r.JSON(&body)
	r = actingFor(r, body.Actor)
	post, missing := a.commented(r)
	text := strings.TrimSpace(body.Message.Text)
	length := figures.UTF16(text)
	rule := stage.If(err != nil, invalid("The body is not a comment.")).
		Also(partner(r, writeFeed, "CREATE")).
		Or(!mayPost(r, body.Actor), denied("socialActions.CREATE as "+body.Actor)).
		Also(missing).
		Or(body.Object != r.PathValue("urn"), invalid("/object :: does not match the key of the resource")).
		Or(text == "", invalid("/message/text :: field is required but not found")).
		Or(length > longestComment, inputProblem(http.StatusBadRequest, "FIELD_LENGTH_TOO_LONG", fmt.Sprintf(
			"Comment text length (%d characters) exceeded the maximum allowed (%d characters)", length, longestComment))).
		Or(!stage.TakesComments(post), problem(http.StatusForbidden, 0, "FORBIDDEN", "Comments are disabled on this thread"))
	if rule.Broken {
		return rule.Fault
	}
	draft := a.Draft(r)
	draft.Author, draft.Text, draft.Origin = name(r.Account), text, body.Actor
	m, err := a.board.Comment(draft, post)
	return a.After(err, stage.Response{Status: http.StatusCreated, Body: a.showComment(m)}.With("X-Restli-Id", m.ID))
}

// listComments lists the comments below a post of the token's organization, newest first. Those of others require a
// permission that few applications have.
func (a *api) listComments(r stage.Request) stage.Response {
	post, missing := a.commented(r)
	r = actingFor(r, strings.TrimSpace(post.Origin))
	start, startOK := r.Int("start", 0, 0, math.MaxInt32)
	size, sizeOK := r.Int("count", 10, 1, 100)
	rule := partner(r, readFeed, "GET_ALL").Also(missing).
		Or(post.Origin != authorOf(r) || r.Grant.Role != roleOrganization, denied("socialActions.GET_ALL")).
		Or(!startOK || !sizeOK, illegal("The query's start or count cannot be used."))
	if rule.Broken {
		return rule.Fault
	}
	list := a.board.List(post.Account, post.ID)
	list = list[min(start, len(list)):]
	return elements(start, size, stage.Each(list[:min(size, len(list))], a.showComment))
}

// showComment returns a comment in LinkedIn's JSON. Its thread is the activity that the post began.
func (a *api) showComment(m chats.Message) stage.Object {
	activity := activityPrefix + strings.TrimPrefix(m.Post, sharePrefix)
	actor := person + m.Person.ID
	if stage.IsOwn(m) {
		own, _ := a.Stage.Ledger.Get(network, m.ID)
		actor = own.Origin
	}
	stamp := stage.Object{"actor": actor, "time": m.At.UnixMilli()}
	return stage.Object{
		"actor": actor, "commentUrn": "urn:li:comment:(" + activity + "," + m.ID + ")", "created": stamp, "id": m.ID,
		"lastModified": stamp, "message": stage.Object{"attributes": []any{}, "text": m.Text}, "object": activity,
	}
}
