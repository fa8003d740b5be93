package youtube

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/comments"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
	"fencepost.internal/shared/platform/network"
)

var _ platform.Poller = (*Connector)(nil)

const (
	// pollEvery is the time between two rounds.
	pollEvery = 10 * time.Minute
	// keep is the time for which data that a person has not authorized may be stored without a refresh
	// (https://developers.google.com/youtube/terms/developer-policies, III.E.4).
	keep = 30 * 24 * time.Hour
	// commentsPage is the number of comments per page, the most that YouTube returns.
	commentsPage = "100"
	// scopeComments is the permission to read, write and moderate comments.
	scopeComments = scopePrefix + "youtube.force-ssl"
)

// Units of the daily quota, which all channels share
// (https://developers.google.com/youtube/v3/determine_quota_cost).
const (
	dailyUnits = 10_000
	readUnits  = 1
	writeUnits = 50
)

// units counts the units that this process has used on a day of YouTube.
type units struct {
	mu   sync.Mutex
	ends time.Time // of the day
	used int
}

// spend counts the units of a call.
func (u *units) spend(number int, now, ends time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !now.Before(u.ends) {
		u.used, u.ends = 0, ends
	}
	u.used += number
}

// halfUsed returns the end of the day if half of its units are used; zero otherwise.
func (u *units) halfUsed(now time.Time) time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.used < dailyUnits/2 || !now.Before(u.ends) {
		return time.Time{}
	}
	return u.ends
}

// words words the failures of calls about comments.
func (c *Connector) words() comments.Network {
	return comments.Network{Client: c.client, What: "comments"}
}

// reads reports whether the operator has turned comments on.
func (c *Connector) reads() bool { return network.Reads(c.config.Inbox, network.InboxComments) }

// Polling describes the polls of all comments of a channel and below its videos.
func (c *Connector) Polling(platform.Account) platform.Polling {
	if !c.reads() {
		return platform.Polling{}
	}
	return platform.Polling{Every: pollEvery, Scopes: []string{scopeComments}}
}

// comment is a comment in YouTube's JSON.
type comment struct {
	ID      string `json:"id"`
	Snippet struct {
		Text      string `json:"textDisplay"`
		Original  string `json:"textOriginal"` // only of the channel's own
		Author    string `json:"authorDisplayName"`
		AuthorID  id     `json:"authorChannelId"`
		Published string `json:"publishedAt"`
		Updated   string `json:"updatedAt"`
	} `json:"snippet"`
}

type id struct {
	Value string `json:"value"`
}

// thread is a comment with some of its replies.
type thread struct {
	Snippet struct {
		Video string  `json:"videoId"` // empty: below the channel
		Top   comment `json:"topLevelComment"`
		Total int     `json:"totalReplyCount"`
	} `json:"snippet"`
	Replies httpcall.Maybe[struct {
		Comments httpcall.Some[comment] `json:"comments"`
	}] `json:"replies"`
}

// Poll reads a page of the channel's comments with some of the replies, or the replies to one of them that has more. Polls
// stop for the day at half of the quota, so that answers are left.
func (c *Connector) Poll(ctx context.Context, account platform.Account, from platform.PollPlace) (platform.Polled, error) {
	if !usable(account) {
		return platform.Polled{}, c.client.Reconnect(errNoToken)
	}
	if ends := c.units.halfUsed(c.client.Now()); !ends.IsZero() {
		return platform.Polled{Cursor: from.Cursor, Pause: ends.Sub(c.client.Now())}, nil
	}
	round := comments.Resume(from)
	var found []comments.Comment
	var err error
	if len(round.Longer) > 0 {
		found, err = c.replies(ctx, account, &round)
	} else {
		found, err = c.threads(ctx, account, &round)
	}
	if err != nil {
		return platform.Polled{}, err
	}
	return round.Polled(account, found), nil
}

// threads reads a page of the channel's comments.
func (c *Connector) threads(ctx context.Context, account platform.Account, round *comments.Round) ([]comments.Comment, error) {
	query := url.Values{
		"part": {"snippet,replies"}, "allThreadsRelatedToChannelId": {account.ExternalID}, "order": {"time"},
		"maxResults": {commentsPage}, "textFormat": {"plainText"},
	}
	var page struct {
		Items httpcall.Some[thread] `json:"items"`
		Next  string                `json:"nextPageToken"`
	}
	if err := c.read(ctx, account, query, round.Page, &page, "commentThreads"); err != nil {
		return nil, err
	}
	var found []comments.Comment
	var times []time.Time
	for _, one := range page.Items {
		top, listed := one.Snippet.Top, one.Replies.Value.Comments
		times = append(times, top.at())
		with := top.person(account)
		found = append(found, c.show(account, one.Snippet.Video, top.ID, with, top))
		found = append(found, c.inThread(account, one.Snippet.Video, top.ID, with, listed)...)
		if one.Snippet.Total > len(listed) && commentID(top.ID) {
			round.Lengthen(comments.Longer{Thread: top.ID, Post: one.Snippet.Video, Person: with}, one.Snippet.Total)
		}
	}
	round.Read(page.Next, times...)
	return found, nil
}

// replies reads a page of the replies to the next comment that has more than its list shows.
func (c *Connector) replies(ctx context.Context, account platform.Account, round *comments.Round) ([]comments.Comment, error) {
	of := round.Longer[0]
	list, next, err := c.below(ctx, account, of.Thread, of.Page)
	if err != nil && platform.FailureOf(err).Code != comments.CodeGone {
		return nil, err
	}
	if round.Longer[0].Page = next; next == "" {
		round.Longer = round.Longer[1:]
	}
	return c.inThread(account, of.Post, of.Thread, of.Person, list), nil
}

// below reads a page of the replies to a comment.
func (c *Connector) below(
	ctx context.Context, account platform.Account, parent, from string,
) (list []comment, next string, err error) {
	var page struct {
		Items httpcall.Some[comment] `json:"items"`
		Next  string                 `json:"nextPageToken"`
	}
	query := url.Values{
		"part": {"snippet"}, "parentId": {parent}, "maxResults": {commentsPage}, "textFormat": {"plainText"},
	}
	err = c.read(ctx, account, query, from, &page, "comments")
	return page.Items, page.Next, err
}

// read makes a call that reads comments.
func (c *Connector) read(
	ctx context.Context, account platform.Account, query url.Values, from string, into any, path string,
) error {
	if from != "" {
		query.Set("pageToken", from)
	}
	c.units.spend(readUnits, c.client.Now(), c.quotaEnd())
	response, err := c.client.Call(ctx, httpcall.Request{
		Operation: "comments", Path: []string{path}, Query: query, Header: bearer(account),
		Secrets: []string{account.Credentials.AccessToken},
	})
	switch {
	case err != nil:
		return err
	case !response.OK():
		return c.unreadComments(response)
	case response.Decode(into) != nil:
		return c.client.Unclear(response, "not a listing of comments")
	}
	return nil
}

// inThread returns the replies to a comment. The person is the one who began the conversation, if it was not the channel.
func (c *Connector) inThread(
	account platform.Account, video, top string, with inbox.Identity, list []comment,
) []comments.Comment {
	var found []comments.Comment
	for _, one := range slices.SortedFunc(slices.Values(list), func(a, b comment) int { return a.at().Compare(b.at()) }) {
		found = append(found, c.show(account, video, top, with, one))
		if person := one.person(account); person.ID != "" {
			with = person
		}
	}
	return found
}

// show returns a comment. The person is the one to whom the channel wrote it, if it did.
func (c *Connector) show(
	account platform.Account, video, top string, to inbox.Identity, one comment,
) comments.Comment {
	shown := comments.Comment{
		Kind: inbox.Comments, ID: one.ID, Thread: top, Post: video, Own: one.isOf(account), Person: to,
		Text: one.Snippet.Text, At: one.at(),
	}
	if !commentID(one.ID) {
		shown.ID = ""
	}
	if one.ID != top {
		shown.ReplyTo = top
	}
	if !shown.Own {
		shown.Person = one.person(account)
	}
	if edited := moment(one.Snippet.Updated); edited.After(shown.At) {
		shown.EditedAt = edited
	}
	link := c.permalink + "/channel/" + account.ExternalID + "/community?lc=" + url.QueryEscape(one.ID)
	if video != "" {
		link = c.commentLink(video, one.ID)
	}
	shown.Permalink = c.client.Permalink(link)
	return shown
}

// commentLink returns the address of a comment below a video.
func (c *Connector) commentLink(video, id string) string {
	return c.permalink + "/watch?" + url.Values{"v": {video}, "lc": {id}}.Encode()
}

func (one comment) at() time.Time { return moment(one.Snippet.Published) }

// isOf reports whether the channel wrote the comment.
func (one comment) isOf(account platform.Account) bool {
	return one.Snippet.AuthorID.Value == account.ExternalID
}

// person returns the author; a zero one if it is the channel. YouTube's names of people are their handles.
func (one comment) person(account platform.Account) inbox.Identity {
	if one.isOf(account) {
		return inbox.Identity{}
	}
	person := inbox.Identity{ID: one.Snippet.AuthorID.Value, Name: one.Snippet.Author}
	if person.ID == "" { // a deleted channel
		person.ID = "comment/" + one.ID
	}
	return person
}

// moment returns a time of YouTube; zero for another text.
func moment(text string) time.Time {
	at, _ := time.Parse(time.RFC3339, text) // zero with an error
	return at.UTC()
}

// commentID reports whether the text has the format of a comment's ID: that of its thread, a dot and its own.
func commentID(text string) bool { return commentPattern.MatchString(text) }

var errThread = errors.New("the answer has no comment to answer")

// change makes a call that sets the state of a comment.
func (c *Connector) change(ctx context.Context, account platform.Account, id, state string) error {
	c.units.spend(writeUnits, c.client.Now(), c.quotaEnd())
	response, err := c.client.Call(ctx, httpcall.Request{
		Operation: "moderate", Method: http.MethodPost, Path: []string{"comments", "setModerationStatus"},
		Query:  url.Values{"id": {id}, "moderationStatus": {state}},
		Header: bearer(account), Secrets: []string{account.Credentials.AccessToken},
	})
	if err != nil || response.OK() {
		return err
	}
	return c.unchanged(response)
}

// own returns the channel's own comments of a list, for the search for one of them.
func own(account platform.Account, list []comment) []readback.Listed {
	var found []readback.Listed
	for _, one := range list {
		if one.isOf(account) {
			found = append(found, readback.Listed{ID: one.ID, Text: one.Snippet.Text, At: one.at()})
		}
	}
	return found
}
