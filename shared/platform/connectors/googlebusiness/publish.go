package googlebusiness

import (
	"context"
	"errors"
	"net/http"
	"regexp"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

const (
	// language is sent because Google requires one. The service does not know the post's language, and Google displays
	// the text unchanged.
	language      = "en"
	stateRejected = "REJECTED"
	stateInReview = "PROCESSING"
)

// postName matches a post's name; its last segment is the post's id. Other values are refused because the id becomes
// part of URLs.
var postName = regexp.MustCompile(
	`^accounts/[0-9A-Za-z_.@-]{1,100}/locations/[0-9A-Za-z_.@-]{1,100}/localPosts/([0-9A-Za-z_-]{1,100})$`)

var (
	errModerated = errors.New("the post has the state REJECTED")
	errNoFiles   = errors.New("googlebusiness: the content has attachments, but no files")
)

// localPost is a post in Google's API.
type localPost struct {
	Name       string `json:"name"`
	Summary    string `json:"summary"`
	TopicType  string `json:"topicType"`
	State      string `json:"state"`
	CreateTime string `json:"createTime"`
	SearchURL  string `json:"searchUrl"`
}

// id returns the last segment of the post's name, or an empty string if the name is malformed.
func (p localPost) id() string {
	parts := postName.FindStringSubmatch(p.Name)
	if parts == nil {
		return ""
	}
	return parts[1]
}

// Commit creates the local post.
//
// A post that Google has already refused is rejected, because it is not visible. The publication of a post that Google
// is still reviewing is marked as such.
func (c *Connector) Commit(
	ctx context.Context, account platform.Account, content platform.Content, _ platform.Handle,
) (platform.Publication, error) {
	posts, err := c.posts(account)
	if err != nil {
		return platform.Publication{}, err
	}
	wanted, err := body(ctx, content)
	if err != nil {
		return platform.Publication{}, c.client.Unreadable(err)
	}
	response, err := c.client.CommitCall(ctx, httpcall.Request{
		Operation: "publish",
		Method:    http.MethodPost,
		Path:      posts,
		Header:    bearer(account),
		JSON:      wanted,
		Secrets:   []string{account.Credentials.AccessToken},
	})
	if err != nil {
		return platform.Publication{}, err
	}
	if !response.OK() {
		return platform.Publication{}, c.failure(response)
	}
	var created localPost
	if err := response.Decode(&created); err != nil || created.id() == "" {
		return platform.Publication{}, c.client.Unclear(response, "success without the post's name")
	}
	if created.State != stateRejected && c.client.Permalink(created.SearchURL) == "" {
		created = c.look(ctx, account, posts, created)
	}
	if created.State == stateRejected {
		return platform.Publication{}, c.moderated()
	}
	return c.publication(created), nil
}

func (c *Connector) publication(p localPost) platform.Publication {
	return platform.Publication{
		ExternalID: p.id(), URL: c.client.Permalink(p.SearchURL), InReview: p.State == stateInReview,
	}
}

// Review reads the state of a post that Google has accepted. Google decides within seconds to days.
func (c *Connector) Review(
	ctx context.Context, account platform.Account, externalID string,
) (platform.Publication, error) {
	posts, err := c.posts(account)
	if err != nil {
		return platform.Publication{}, err
	}
	response, err := c.one(ctx, "review", account, posts, externalID)
	if err != nil {
		return platform.Publication{}, err
	}
	if failure := c.failure(response); !response.OK() && failure.Class == platform.ClassRefresh {
		return platform.Publication{}, failure
	}
	if !response.OK() { // a refused read says nothing about the post
		return platform.Publication{}, c.client.Unavailable(response.Cause("the post cannot be read"))
	}
	var seen localPost
	if err := response.Decode(&seen); err != nil || seen.id() != externalID {
		return platform.Publication{}, c.client.Unclear(response, "no post in the response")
	}
	if seen.State == stateRejected {
		return platform.Publication{}, c.moderated()
	}
	return c.publication(seen), nil
}

// one reads a post.
func (c *Connector) one(
	ctx context.Context, operation string, account platform.Account, posts []string, id string,
) (httpcall.Response, error) {
	return c.client.Call(ctx, httpcall.Request{
		Operation: operation,
		Path:      append(append([]string(nil), posts...), id),
		Header:    bearer(account),
		Secrets:   []string{account.Credentials.AccessToken},
	})
}

// look reads the post once more for the URL that the first response lacked. It returns the known post if the call
// fails.
func (c *Connector) look(ctx context.Context, account platform.Account, posts []string, known localPost) localPost {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	response, err := c.one(ctx, "permalink", account, posts, known.id())
	if err != nil || !response.OK() {
		return known
	}
	var seen localPost
	if err := response.Decode(&seen); err != nil || seen.id() != known.id() {
		return known
	}
	return seen
}

func (c *Connector) moderated() *platform.Failure {
	return c.client.Fail(platform.ClassRejected, CodePolicy, errModerated,
		"Google refused the post because its content breaks Google's rules, for example by a phone number in the text. "+
			"Change it, then publish it again.")
}
