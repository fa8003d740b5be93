package mastodon

import (
	"context"
	"errors"
	"html"
	"net/http"
	"strings"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

var _ platform.ReplyFinder = (*Connector)(nil)

var (
	errGone    = errors.New("the status that is answered does not exist")
	errUnclear = errors.New("the list of statuses does not show whether the answer exists")
)

// SendReply creates the status of an answer, as visible as the one that it answers. The key makes a repeated call return the first
// one, for an hour.
func (c *Connector) SendReply(ctx context.Context, account platform.Account, reply platform.Reply) (string, error) {
	s, err := c.open(account)
	if err != nil {
		return "", err
	}
	parent, err := s.status(ctx, reply.ReplyTo)
	if err != nil {
		return "", err
	}
	response, err := s.CommitCall(ctx, s.authorized(httpcall.Request{
		Operation: "reply", Method: http.MethodPost, Header: http.Header{"Idempotency-Key": {reply.ID.String()}},
		JSON: createBody{Status: addressed(reply), Visibility: parent.Visibility, ReplyTo: reply.ReplyTo},
	}, "v1", "statuses"))
	if err != nil {
		return "", s.ReplyFailure(err)
	}
	if !response.OK() {
		refused := failure(s.Client, response)
		if refused.Code == CodeRefused {
			refused.Message = "The Mastodon server refused the answer. Change it, then send it again."
		}
		return "", s.ReplyFailure(refused)
	}
	var created status
	if response.Decode(&created) != nil || !idPattern.MatchString(created.ID) {
		return "", s.ReplyFailure(s.Unclear(response, "success without the answer's ID"))
	}
	return created.ID, nil
}

// addressed returns the text of an answer with the mention of its person, without which the person is not notified.
func addressed(reply platform.Reply) string {
	mention := "@" + reply.Username
	if reply.Username == "" || strings.Contains(strings.ToLower(reply.Text), strings.ToLower(mention)) {
		return reply.Text
	}
	return mention + " " + reply.Text
}

// status reads a status.
func (s session) status(ctx context.Context, id string) (said, error) {
	if !idPattern.MatchString(id) {
		return said{}, s.Gone(errGone)
	}
	response, err := s.Call(ctx, s.authorized(httpcall.Request{Operation: "reply"}, "v1", "statuses", id))
	if err != nil {
		return said{}, err
	}
	var found said
	switch {
	case response.Status == http.StatusNotFound:
		return said{}, s.Gone(errGone)
	case !response.OK():
		return said{}, failure(s.Client, response)
	case response.Decode(&found) != nil || found.ID != id || found.Visibility == "":
		return said{}, s.Unclear(response, "not the status that was asked for")
	}
	return found, nil
}

// FindReply lists the statuses of the account since the call. An answer is the one with its text below the status that it answers;
// without one, it is absent: a repeated call within the hour has the same key, and would return what the list does not show yet.
func (c *Connector) FindReply(
	ctx context.Context, account platform.Account, reply platform.Reply, sentAt time.Time,
) (string, error) {
	s, err := c.open(account)
	if err != nil {
		return "", err
	}
	want, before := readback.Squeeze(plain(html.EscapeString(addressed(reply)))), ""
	const skew = 5 * time.Minute // between the clocks
	for range longestList {
		page, err := s.list(ctx, before)
		if err != nil {
			return "", err
		}
		for _, one := range page {
			if one.ReplyTo == reply.ReplyTo && compare(one.Content, want) != readback.None && idPattern.MatchString(one.ID) {
				return one.ID, nil
			}
		}
		last := len(page) - 1
		if last < 0 || page[last].CreatedAt.Before(sentAt.Add(-skew)) {
			return "", nil
		}
		before = page[last].ID
	}
	return "", errUnclear
}
