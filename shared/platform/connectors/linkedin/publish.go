package linkedin

import (
	"context"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/comments"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// postURN matches a post's URN. Other values are refused because URNs become part of URLs.
var postURN = regexp.MustCompile(`^urn:li:(share|ugcPost|activity):[0-9]{1,20}$`)

// The visibilities of a post (docs/contract.md, Platform endpoints).
const (
	visiblePublic      = "PUBLIC"
	visibleConnections = "CONNECTIONS"
)

type createBody struct {
	Author          string       `json:"author"`
	Commentary      string       `json:"commentary"`
	Visibility      string       `json:"visibility"`
	Distribution    distribution `json:"distribution"`
	Content         *attached    `json:"content,omitempty"`
	LifecycleState  string       `json:"lifecycleState"`
	ReshareDisabled bool         `json:"isReshareDisabledByAuthor"`
}

type distribution struct {
	FeedDistribution string   `json:"feedDistribution"`
	TargetEntities   []string `json:"targetEntities"`
	ThirdParty       []string `json:"thirdPartyDistributionChannels"`
}

// Commit creates the post.
//
// Success is a 2xx response that names the post. LinkedIn occasionally returns 201 without the name. This is still a
// success, and repeating the call would publish twice. Any other response without a name leaves the outcome unknown.
func (c *Connector) Commit(
	ctx context.Context, account platform.Account, content platform.Content, handle platform.Handle,
) (platform.Publication, error) {
	author, err := c.author(account)
	if err != nil {
		return platform.Publication{}, err
	}
	if comments.IsFirst(content) {
		return c.commitFirst(ctx, account, author, content)
	}
	body, err := c.body(author, content, handle)
	if err != nil {
		return platform.Publication{}, err
	}
	began := c.client.Now()
	response, err := c.client.CommitCall(ctx, httpcall.Request{
		Operation: "publish",
		Method:    http.MethodPost,
		Path:      []string{"rest", "posts"},
		Header:    c.header(account),
		JSON:      body,
		Secrets:   []string{account.Credentials.AccessToken},
	})
	if err != nil {
		return platform.Publication{}, err
	}
	if !response.OK() {
		return platform.Publication{}, c.undecided(c.refused(ctx, account, author, response), response)
	}
	if urn := urnOf(response); urn != "" {
		return c.publication(urn), nil
	}
	if !created(response) {
		return platform.Publication{}, c.client.Unclear(response, "success without the post's id")
	}
	return c.unnamed(ctx, account, content, platform.Sent{Handle: handle, Text: content.Text, At: began}), nil
}

// undecided returns the failure of the call that publishes. A refusal that does not last says nothing about the content,
// and the post may exist all the same. On a page, its list decides. On a profile nothing does; there, LinkedIn refuses the
// next try as a duplicate if the post exists.
func (c *Connector) undecided(failure *platform.Failure, response httpcall.Response) *platform.Failure {
	if c.kind.listed && failure.Code == CodeConflict {
		return c.client.Unclear(response, "a refusal that does not last")
	}
	return failure
}

// body returns the request body, or a failure if the post must not be sent.
func (c *Connector) body(author string, content platform.Content, handle platform.Handle) (createBody, error) {
	urns, err := urnsOf(handle, content.Media, c.client.Now())
	if err != nil { // never publish a post without its images
		return createBody{}, c.client.Fail(platform.ClassTransient, platform.CodeMediaNotUploaded, err,
			"LinkedIn no longer has the attachments of the post.")
	}
	visibility := visiblePublic
	if requested := content.Options.Visibility; requested != "" && c.kind.channel == channel.LinkedInProfile {
		visibility = requested
	}
	if visibility != visiblePublic && visibility != visibleConnections { // never more widely visible than requested
		return createBody{}, c.client.Fail(platform.ClassRejected, CodeRefused, nil,
			"LinkedIn does not know this visibility. Choose PUBLIC or CONNECTIONS, then publish the post again.")
	}
	return createBody{
		Author: author, Commentary: escape(content.Text), Visibility: visibility, LifecycleState: "PUBLISHED",
		Distribution: distribution{FeedDistribution: "MAIN_FEED", TargetEntities: []string{}, ThirdParty: []string{}},
		Content:      attachedTo(content, urns),
	}, nil
}

// urnOf returns the post's URN from the response: from the documented header, or from the other headers that Rest.li
// uses.
func urnOf(response httpcall.Response) string {
	location, _ := url.PathUnescape(path.Base(response.Header.Get("Location")))
	for _, name := range []string{response.Header.Get("X-Restli-Id"), response.Header.Get("X-Linkedin-Id"), location} {
		if postURN.MatchString(name) {
			return name
		}
	}
	return ""
}

// created reports whether the response is LinkedIn's own and confirms a new post.
func created(response httpcall.Response) bool {
	return response.Status == http.StatusCreated &&
		(response.Header.Get("X-Restli-Protocol-Version") != "" || response.Header.Get("X-Li-Uuid") != "")
}

// unnamed handles a published post whose name the response lacks. It searches for the post, and returns a publication
// without id and URL if it does not find it.
func (c *Connector) unnamed(
	ctx context.Context, account platform.Account, content platform.Content, sent platform.Sent,
) platform.Publication {
	const timeout = 5 * time.Second
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	_, found, err := c.Reconcile(ctx, account, content, sent)
	if err != nil {
		return platform.Publication{}
	}
	return found
}

func (c *Connector) publication(urn string) platform.Publication {
	return platform.Publication{ExternalID: urn, URL: c.client.Permalink(c.permalink + "/feed/update/" + urn + "/")}
}
