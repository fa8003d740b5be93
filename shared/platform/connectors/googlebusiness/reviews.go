package googlebusiness

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"time"

	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/comments"
	"fencepost.internal/shared/platform/connectors/internal/google"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/network"
)

var (
	_ platform.Poller      = (*Connector)(nil)
	_ platform.ReplyFinder = (*Connector)(nil)

	errReview = errors.New("the answer has no review to answer")
	errOpen   = errors.New("the answer is not at the review yet")
)

const (
	// pollEvery is the time between two rounds.
	pollEvery = 30 * time.Minute
	// reviewsPage is the number of reviews per page, the most that Google returns.
	reviewsPage = "50"
	// longestReply is the greatest size of an answer in bytes.
	longestReply = 4_096
	// replyRejected is the state of an answer that Google has removed after a check.
	replyRejected = "REJECTED"
)

// reviewPattern matches a review's ID.
var reviewPattern = regexp.MustCompile(`^[0-9A-Za-z_=.-]{1,200}$`)

// review is a review in Google's JSON.
type review struct {
	ID       string `json:"reviewId"`
	Reviewer struct {
		Name      string `json:"displayName"`
		Anonymous bool   `json:"isAnonymous"`
	} `json:"reviewer"`
	Stars   string                      `json:"starRating"`
	Text    string                      `json:"comment"`
	Created string                      `json:"createTime"`
	Updated string                      `json:"updateTime"`
	Reply   httpcall.Maybe[reviewReply] `json:"reviewReply"`
}

type reviewReply struct {
	Text    string `json:"comment"`
	Updated string `json:"updateTime,omitempty"`
	State   string `json:"reviewReplyState,omitempty"`
}

// id returns the ID of the answer. Google has one answer per review, and replaces it; each one has a time.
func (r reviewReply) id(review string) string {
	return review + "/" + strconv.FormatInt(moment(r.Updated).UnixMilli(), 10)
}

// moment returns a time of Google; zero for another text.
func moment(text string) time.Time {
	at, _ := time.Parse(time.RFC3339, text) // zero with an error
	return at.UTC()
}

func (c *Connector) words() comments.Network {
	return comments.Network{Client: c.client, What: "reviews"}
}

// Polling describes the polls of the reviews of a location.
func (c *Connector) Polling(platform.Account) platform.Polling {
	if !network.Reads(c.inbox, network.InboxReviews) {
		return platform.Polling{}
	}
	return platform.Polling{Every: pollEvery, Scopes: c.Scopes("").Needed}
}

// Poll reads a page of the location's reviews, the latest changed first.
func (c *Connector) Poll(ctx context.Context, account platform.Account, from platform.PollPlace) (platform.Polled, error) {
	path, err := c.reviews(account)
	if err != nil {
		return platform.Polled{}, err
	}
	round := comments.Resume(from)
	query := url.Values{"pageSize": {reviewsPage}, "orderBy": {"updateTime desc"}}
	if round.Page != "" {
		query.Set("pageToken", round.Page)
	}
	var page struct {
		Reviews httpcall.Some[review] `json:"reviews"`
		Next    string                `json:"nextPageToken"`
	}
	if err := c.readReviews(ctx, account, query, &page, path); err != nil {
		return platform.Polled{}, err
	}
	var found []comments.Comment
	var times []time.Time
	for _, one := range page.Reviews {
		times = append(times, moment(one.Updated))
		found = append(found, one.shown(round.Since)...)
	}
	round.Read(page.Next, times...)
	return round.Polled(account, found), nil
}

// shown returns a review and the answer to it, if one of them is not older than the time.
func (r review) shown(since time.Time) []comments.Comment {
	if !reviewPattern.MatchString(r.ID) {
		return nil
	}
	person := inbox.Identity{ID: "review/" + r.ID, Name: r.Reviewer.Name} // Google has no IDs of people
	written := comments.Comment{
		Kind: inbox.Reviews, ID: r.ID, Thread: r.ID, Person: person, Text: r.Text, At: moment(r.Created),
		Rating: slices.Index([]string{"ONE", "TWO", "THREE", "FOUR", "FIVE"}, r.Stars) + 1,
	}
	if edited := moment(r.Updated); edited.After(written.At) {
		written.EditedAt = edited
	}
	reply := r.Reply.Value
	own := comments.Comment{
		Kind: inbox.Reviews, ID: reply.id(r.ID), Thread: r.ID, ReplyTo: r.ID, Own: true, Person: person, Text: reply.Text,
		At: moment(reply.Updated),
	}
	if reply.State == replyRejected {
		own.Refused = "Google has removed the answer because it breaks Google’s rules. Change it, then send it again."
	}
	if written.Latest().Before(since) && own.At.Before(since) {
		return nil
	}
	return []comments.Comment{written, own}
}

// reviews returns the path of the location's reviews.
func (c *Connector) reviews(account platform.Account) ([]string, error) {
	path, err := c.posts(account)
	if err == nil {
		path[len(path)-1] = "reviews"
	}
	return path, err
}

// readReviews makes a call that reads.
func (c *Connector) readReviews(
	ctx context.Context, account platform.Account, query url.Values, into any, path []string,
) error {
	response, err := c.client.Call(ctx, httpcall.Request{
		Operation: "reviews", Path: path, Query: query, Header: bearer(account), Secrets: []string{account.Credentials.AccessToken},
	})
	switch {
	case err != nil:
		return err
	case !response.OK() && response.Status == http.StatusNotFound:
		return c.words().Gone(response.Cause("refused"))
	case !response.OK():
		return c.words().Unread(c.failure(response), lacks(response))
	case response.Decode(into) != nil:
		return c.client.Unclear(response, "not a listing of reviews")
	}
	return nil
}

// lacks returns the permission that the connection lacks; empty: the error has another reason. A person without a role at the
// location lacks it too.
func lacks(response httpcall.Response) string {
	if response.Status == http.StatusForbidden && !google.ErrorOf(response).AtService() {
		return "business.manage"
	}
	return ""
}

// SendReply answers a review. It replaces an earlier answer.
func (c *Connector) SendReply(ctx context.Context, account platform.Account, reply platform.Reply) (string, error) {
	path, err := c.reviews(account)
	switch {
	case err != nil:
		return "", err
	case !reviewPattern.MatchString(reply.Thread):
		return "", c.words().Gone(errReview)
	case len(reply.Text) > longestReply:
		return "", c.words().TooLong(nil)
	}
	response, err := c.client.CommitCall(ctx, httpcall.Request{
		Operation: "reply", Method: http.MethodPut, Path: append(path, reply.Thread, "reply"), JSON: reviewReply{Text: reply.Text},
		Header: bearer(account), Secrets: []string{account.Credentials.AccessToken},
	})
	if err != nil {
		return "", c.client.ReplyFailure(err)
	}
	if !response.OK() {
		return "", c.unsent(response)
	}
	var sent reviewReply
	if response.Decode(&sent) != nil || moment(sent.Updated).IsZero() {
		return "", c.client.ReplyFailure(c.client.Unclear(response, "success without the answer"))
	}
	return sent.id(reply.Thread), nil
}

func (c *Connector) unsent(response httpcall.Response) *platform.Failure {
	if response.Status == http.StatusNotFound {
		return c.words().Gone(response.Cause("refused"))
	}
	return c.words().Unsent(c.failure(response), lacks(response))
}

// FindReply reads the answer to the review.
func (c *Connector) FindReply(
	ctx context.Context, account platform.Account, reply platform.Reply, sentAt time.Time,
) (string, error) {
	path, err := c.reviews(account)
	if err != nil {
		return "", err
	}
	var found review
	if err := c.readReviews(ctx, account, nil, &found, append(path, reply.Thread)); err != nil {
		return "", err
	}
	sent, listed := platform.Sent{At: sentAt}, found.Reply.Value
	switch {
	case listed.Text == reply.Text && !moment(listed.Updated).Before(sent.Earliest()):
		return listed.id(reply.Thread), nil
	case c.client.Now().Before(sent.Latest()):
		return "", c.client.Unavailable(errOpen)
	}
	return "", nil
}
