package googlebusiness

import (
	"context"
	"errors"
	"net/http"
	"regexp"

	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
)

const (
	// language is told because Google asks for one. The service does not know the post's, and Google shows the text as it is.
	language      = "en"
	topicStandard = "STANDARD"
	stateRejected = "REJECTED"
)

// postName is the shape of a post's name; its last part is the post's id. Anything else in its place is refused: it would
// end up in addresses.
var postName = regexp.MustCompile(`^accounts/[0-9A-Za-z_.@-]{1,100}/locations/[0-9A-Za-z_.@-]{1,100}/localPosts/([0-9A-Za-z_-]{1,100})$`)

var errModerated = errors.New("the post has the state REJECTED")

type createBody struct {
	LanguageCode string `json:"languageCode"`
	Summary      string `json:"summary"`
	TopicType    string `json:"topicType"`
}

// localPost is a post as Google shows it.
type localPost struct {
	Name       string `json:"name"`
	Summary    string `json:"summary"`
	TopicType  string `json:"topicType"`
	State      string `json:"state"`
	CreateTime string `json:"createTime"`
	SearchURL  string `json:"searchUrl"`
}

// id is the last part of the post's name; empty when it has not the shape of one.
func (p localPost) id() string {
	parts := postName.FindStringSubmatch(p.Name)
	if parts == nil {
		return ""
	}
	return parts[1]
}

// Commit creates the local post.
//
// A post that Google still looks at (PROCESSING) counts as published: nothing that this service does makes it appear sooner.
// One that it has refused already is rejected: nobody sees it.
func (c *Connector) Commit(
	ctx context.Context, account platform.Account, content platform.Content, _ platform.Handle,
) (platform.Publication, error) {
	posts, err := c.posts(account)
	if err != nil {
		return platform.Publication{}, err
	}
	if len(content.Media) > 0 {
		return platform.Publication{}, c.client.Fail(platform.ClassRejected, CodeMedia, nil,
			"This service publishes to Google Business without photos for now. Remove them, then publish the post again.")
	}
	response, err := c.client.CommitCall(ctx, httpcall.Request{
		Operation: "publish",
		Method:    http.MethodPost,
		Path:      posts,
		Header:    bearer(account),
		JSON:      createBody{LanguageCode: language, Summary: content.Text, TopicType: topicStandard},
		Secrets:   []string{account.Credentials.AccessToken},
	})
	if err != nil {
		return platform.Publication{}, err
	}
	if !response.OK() {
		return platform.Publication{}, c.failure(response)
	}
	var made localPost
	if err := response.Decode(&made); err != nil || made.id() == "" {
		return platform.Publication{}, c.client.Unclear(response, "success without the post's name")
	}
	if made.State != stateRejected && c.client.Permalink(made.SearchURL) == "" {
		made = c.look(ctx, account, posts, made)
	}
	if made.State == stateRejected {
		return platform.Publication{}, c.moderated()
	}
	return platform.Publication{ExternalID: made.id(), URL: c.client.Permalink(made.SearchURL)}, nil
}

// look reads the post again, once, for the link that the first answer did not have; what was known when that fails.
func (c *Connector) look(ctx context.Context, account platform.Account, posts []string, known localPost) localPost {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	response, err := c.client.Call(ctx, httpcall.Request{
		Operation: "permalink",
		Path:      append(append([]string(nil), posts...), known.id()),
		Header:    bearer(account),
		Secrets:   []string{account.Credentials.AccessToken},
	})
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
		"Google refused the post because its content breaks Google's rules; a phone number in the text is enough. Change it, then publish it again.")
}
