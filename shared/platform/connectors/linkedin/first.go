package linkedin

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/comments"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

// commentsPage is the number of comments per page.
const commentsPage = 100

// Formats of the id of a comment, and of its URN, which names its thread.
var (
	commentID  = regexp.MustCompile(`^[0-9]{1,20}$`)
	commentURN = regexp.MustCompile(`^urn:li:comment:\((urn:li:(activity|share|ugcPost):([0-9]{1,20})),[0-9]{1,20}\)$`)
)

type newComment struct {
	Actor   string      `json:"actor"`
	Object  string      `json:"object"`
	Message commentText `json:"message"`
}

// commentText is the text of a comment, which is not in the little format.
type commentText struct {
	Text string `json:"text"`
}

// comment is a comment in LinkedIn's JSON.
type comment struct {
	ID      string      `json:"id"`
	URN     string      `json:"commentUrn"`
	OldURN  string      `json:"$URN"` // of the API without versions
	Actor   string      `json:"actor"`
	Message commentText `json:"message"`
	Created struct {
		Time int64 `json:"time"` // milliseconds
	} `json:"created"`
}

// words words the failures of calls about comments.
func (c *Connector) words() comments.Network {
	return comments.Network{Client: c.client, What: "comments"}
}

// commentsPath returns the path of the comments below a post. LinkedIn serves the versioned resource to applications with the
// Community Management API alone, which those of profiles do not have. Theirs is the resource without versions.
func (c *Connector) commentsPath(post string) []string {
	api := "v2"
	if c.kind.listed {
		api = "rest"
	}
	return []string{api, "socialActions", post, "comments"}
}

// commitFirst publishes the first comment below a post.
func (c *Connector) commitFirst(
	ctx context.Context, account platform.Account, author string, content platform.Content,
) (platform.Publication, error) {
	root := content.ReplyTo.RootID
	if !postURN.MatchString(root) {
		return platform.Publication{}, c.client.ParentGone(*content.ReplyTo, httpcall.ErrNoParent)
	}
	began := c.client.Now()
	response, err := c.client.CommitCall(ctx, httpcall.Request{
		Operation: "publish", Method: http.MethodPost, Path: c.commentsPath(root), PathKeys: true, Header: c.header(account),
		JSON:    newComment{Actor: author, Object: root, Message: commentText{content.Text}},
		Secrets: []string{account.Credentials.AccessToken},
	})
	if err != nil {
		return platform.Publication{}, c.words().FirstFailure(err)
	}
	if !response.OK() {
		return platform.Publication{}, c.unwritten(account, *content.ReplyTo, response)
	}
	var one comment
	if response.Decode(&one) != nil || !commentID.MatchString(one.ID) {
		one = comment{ID: response.Header.Get("X-Restli-Id")}
	}
	if commentID.MatchString(one.ID) {
		return c.firstPublication(root, one), nil
	}
	if !created(response) {
		return platform.Publication{}, c.words().FirstFailure(c.client.Unclear(response, "success without the comment's id"))
	}
	return c.unnamed(ctx, account, content, platform.Sent{Text: content.Text, At: began}), nil
}

// firstPublication returns the publication of a comment. LinkedIn names its thread by the URN of the activity, which may
// differ from that of the post.
func (c *Connector) firstPublication(post string, one comment) platform.Publication {
	thread, short := post, ""
	for _, urn := range []string{one.URN, one.OldURN} {
		if named := commentURN.FindStringSubmatch(urn); named != nil {
			thread, short = named[1], named[2]+":"+named[3]
		}
	}
	link := c.permalink + "/feed/update/" + thread + "/"
	if short != "" {
		link += "?" + url.Values{"commentUrn": {"urn:li:comment:(" + short + "," + one.ID + ")"}}.Encode()
	}
	return platform.Publication{ExternalID: one.ID, URL: c.client.Permalink(link)}
}

// reconcileFirst searches the comments below a post of a page. LinkedIn documents no order of them, so that all are read.
func (c *Connector) reconcileFirst(
	ctx context.Context, account platform.Account, author string, content platform.Content, sent platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	root := content.ReplyTo.RootID
	if !postURN.MatchString(root) {
		return platform.EvidenceUnclear, platform.Publication{}, nil
	}
	want, start := signatureOf(sent.Text), 0
	search := readback.NewSearchBy(sent, func(text string) readback.Match { return signatureOf(text).compare(want) })
	shown := make(map[string]comment)
	evidence, found, err := comments.Search(search, func() (comments.Page, error) {
		list, err := c.listComments(ctx, account, root, start)
		if err != nil {
			return comments.Page{}, err
		}
		start += commentsPage
		page := comments.Page{Last: len(list) == 0}
		for _, one := range list {
			if one.Actor == author || one.Actor == "" {
				shown[one.ID] = one
				page.Listed = append(page.Listed, one.listed())
			}
		}
		return page, nil
	})
	if evidence == platform.EvidenceFound {
		found = c.firstPublication(root, shown[found.ExternalID])
	}
	return evidence, found, err
}

// listed returns the comment for the search. One whose id is malformed, or whose author is not shown, has no ID.
func (one comment) listed() readback.Listed {
	listed := readback.Listed{Text: one.Message.Text}
	if one.Created.Time > 0 {
		listed.At = time.UnixMilli(one.Created.Time)
	}
	if one.Actor != "" && commentID.MatchString(one.ID) {
		listed.ID = one.ID
	}
	return listed
}

func (c *Connector) listComments(
	ctx context.Context, account platform.Account, post string, start int,
) ([]comment, error) {
	response, err := c.client.Call(ctx, httpcall.Request{
		Operation: "reconcile", Path: c.commentsPath(post), PathKeys: true, Header: c.header(account),
		Query:   url.Values{"start": {strconv.Itoa(start)}, "count": {strconv.Itoa(commentsPage)}},
		Secrets: []string{account.Credentials.AccessToken},
	})
	if err != nil {
		return nil, err
	}
	if !response.OK() {
		if response.Status == http.StatusForbidden {
			return nil, c.words().Unread(c.failure(account, response), scopeReadFeed)
		}
		return nil, c.failure(account, response)
	}
	var list struct {
		Elements []comment `json:"elements"`
	}
	if err := response.Decode(&list); err != nil || list.Elements == nil {
		return nil, c.client.Unclear(response, "not a listing of comments")
	}
	return list.Elements, nil
}

// createdAt returns when a post was created, which its id contains; zero for a malformed id.
func createdAt(urn string) time.Time {
	const below = 22 // bits after the milliseconds
	id, err := strconv.ParseUint(urn[strings.LastIndexByte(urn, ':')+1:], 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(int64(id >> below))
}

// unwritten returns the failure for a refused first comment. LinkedIn documents that an author can turn comments off, but not
// the words of the refusal. A refusal without a reason is not asked about: the comment is sent again later.
func (c *Connector) unwritten(
	account platform.Account, to platform.ReplyTo, response httpcall.Response,
) *platform.Failure {
	failure, cause := c.undecided(c.failure(account, response), response), response.Cause("refused")
	p, readable := problemOf(response)
	switch status := response.Status; {
	case !readable, failure.Class == platform.ClassUnknown:
		return c.words().FirstFailure(failure)
	case p.says("comment") && p.says("disabled", "turned off", "closed"):
		return c.words().Off(cause, "")
	case failure.Code == CodeTooLong:
		return c.words().FirstTooLong(cause)
	case status == http.StatusNotFound:
		return c.client.ParentMissing(to, createdAt(to.RootID), cause)
	case status == http.StatusForbidden && p.says("not enough permissions"):
		return c.words().Unwritten(failure, c.kind.commentScope)
	case failure.Class == platform.ClassReconnect && status == http.StatusForbidden, failure.Code == CodeConflict:
		return c.client.Fail(platform.ClassTransient, CodeForbidden, cause, "LinkedIn could not accept the first comment at this moment.")
	}
	return c.words().Unwritten(failure, "")
}
