package googlebusinessapi

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/chats"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
)

const (
	mostReviews  = 50
	longestReply = 4_096 // bytes
)

// reviewCalls are the calls about the reviews of a location. People rate it in the sandbox's control API.
func (a *api) reviewCalls() []stage.Route {
	const reviews = " /v4/accounts/{account}/locations/{location}/reviews"
	a.board = stage.Board{
		Stage: a.Stage, Network: channel.NetworkGoogleBusiness, Kind: chats.Review, Prefix: "AbFvOq", Floor: 1_000_000_000_000,
	}
	a.Stage.Forums[channel.NetworkGoogleBusiness] = a.board
	return []stage.Route{
		{Pattern: "GET" + reviews, Step: stage.StepStatus, Scopes: scopeManage, Serve: a.listReviews},
		{Pattern: "GET" + reviews + "/{id}", Step: stage.StepStatus, Scopes: scopeManage, Serve: a.oneReview},
		{Pattern: "PUT" + reviews + "/{id}/reply", Step: stage.StepReply, Scopes: scopeManage, Serve: a.replyTo},
	}
}

// changed returns when a review was written or last changed.
func changed(m chats.Message) time.Time {
	if m.EditedAt != nil {
		return *m.EditedAt
	}
	return m.At
}

// present returns a review in Google's JSON, with the newest reply to it.
func (a *api) presentReview(m chats.Message) stage.Object {
	shown := stage.Object{
		"name": m.Account + "/reviews/" + m.ID, "reviewId": m.ID,
		"reviewer":   stage.Object{"displayName": m.Person.NameOf()},
		"starRating": []string{"STAR_RATING_UNSPECIFIED", "ONE", "TWO", "THREE", "FOUR", "FIVE"}[m.Rating],
		"createTime": m.At.UTC().Format(time.RFC3339Nano), "updateTime": changed(m).UTC().Format(time.RFC3339Nano),
	}
	if m.Text != "" {
		shown["comment"] = m.Text
	}
	for _, reply := range a.board.List(m.Account, "") {
		if reply.ReplyTo == m.ID {
			shown["reviewReply"] = a.presentReply(reply)
			break
		}
	}
	return shown
}

// presentReply returns a reply, with the state of its moderation, which is that of the account's posts.
func (a *api) presentReply(m chats.Message) stage.Object {
	state := "APPROVED"
	switch end, set := a.Stage.Reviewed(network, m.Account, m.At); {
	case set && end == stage.ReviewRefused:
		state = "REJECTED"
	case set && end == stage.ReviewNever:
		state = "PENDING"
	}
	return stage.Object{"comment": m.Text, "updateTime": m.At.UTC().Format(time.RFC3339Nano), "reviewReplyState": state}
}

// listReviews lists the reviews of a location.
func (a *api) listReviews(r stage.Request) stage.Response {
	size, ok := r.Int("pageSize", mostReviews, 1, mostReviews)
	order := r.Values.Get("orderBy")
	rule := stage.If(!ok, invalid("page_size", "Must be from 1 to 50")).
		Or(order != "" && order != "updateTime desc", invalid("order_by", "The sandbox supports only updateTime desc"))
	if rule.Broken {
		return rule.Fault
	}
	all := slices.DeleteFunc(a.board.List(r.Account, ""), stage.IsOwn)
	slices.SortStableFunc(all, func(a, b chats.Message) int { return changed(b).Compare(changed(a)) })
	page, next := stage.Paged(all, r.Values.Get("pageToken"), size)
	body := stage.Object{}
	if len(page) > 0 {
		body["reviews"], body["totalReviewCount"] = stage.Each(page, a.presentReview), len(all)
	}
	if next != "" {
		body["nextPageToken"] = next
	}
	return stage.OK(body)
}

func (a *api) review(r stage.Request) (chats.Message, stage.Rule[stage.Response]) {
	m, ok := a.board.Get(r.Account, r.PathValue("id"))
	return m, stage.If(!ok || stage.IsOwn(m), missing())
}

func (a *api) oneReview(r stage.Request) stage.Response {
	m, rule := a.review(r)
	if rule.Broken {
		return rule.Fault
	}
	return stage.OK(a.presentReview(m))
}

// replyTo stores the reply to a review, in place of the one before.
func (a *api) replyTo(r stage.Request) stage.Response {
	var body struct {
		Comment string `json:"comment"`
	}
	err := r.JSON(&body)
	m, rule := a.review(r)
	rule = rule.Or(err != nil, refuse(http.StatusBadRequest, "INVALID_ARGUMENT", "Invalid JSON payload received.")).
		Or(strings.TrimSpace(body.Comment) == "" || len(body.Comment) > longestReply, invalid("comment", "Must have 1 to 4096 bytes"))
	if rule.Broken {
		return rule.Fault
	}
	reply, err := a.board.Reply(a.board.NewID(m.At), body.Comment, m)
	return a.After(err, stage.OK(a.presentReply(reply)))
}
