package linkedin

import (
	"context"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"time"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
)

// postURN is the shape of a post's name. Anything else in its place is refused: it would end up in addresses.
var postURN = regexp.MustCompile(`^urn:li:(share|ugcPost|activity):[0-9]{1,20}$`)

// Who may see a post (specification, Platform-specific creation endpoints).
const (
	visiblePublic      = "PUBLIC"
	visibleConnections = "CONNECTIONS"
)

type createBody struct {
	Author          string       `json:"author"`
	Commentary      string       `json:"commentary"`
	Visibility      string       `json:"visibility"`
	Distribution    distribution `json:"distribution"`
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
// Success is an answer of 2xx that names the post. LinkedIn now and then says 201 and leaves the name out: that is a yes all
// the same, and repeating the call would publish twice. Any other answer without a name leaves open what happened.
func (c *Connector) Commit(
	ctx context.Context, account platform.Account, content platform.Content, _ platform.Handle,
) (platform.Publication, error) {
	author, err := c.author(account)
	if err != nil {
		return platform.Publication{}, err
	}
	body, err := c.body(author, content)
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
		return platform.Publication{}, c.failure(account, response)
	}
	if urn := urnOf(response); urn != "" {
		return c.publication(urn), nil
	}
	if !created(response) {
		return platform.Publication{}, c.client.Unclear(response, "success without the post's id")
	}
	return c.unnamed(ctx, account, content, began), nil
}

// body is the post as it is sent, or a failure when it must not be sent.
func (c *Connector) body(author string, content platform.Content) (createBody, error) {
	if len(content.Media) > 0 { // never a post without its pictures
		return createBody{}, c.client.Fail(platform.ClassRejected, CodeAttachments, nil,
			"On LinkedIn, attachments are not supported yet. Remove them, then publish the post again.")
	}
	visibility := visiblePublic
	if asked := content.Options.Visibility; asked != "" && c.kind.channel == channel.LinkedInProfile {
		visibility = asked
	}
	if visibility != visiblePublic && visibility != visibleConnections { // not published more openly than was asked for
		return createBody{}, c.client.Fail(platform.ClassRejected, CodeRefused, nil,
			"LinkedIn does not know this visibility. Choose PUBLIC or CONNECTIONS, then publish the post again.")
	}
	return createBody{
		Author: author, Commentary: escape(content.Text), Visibility: visibility, LifecycleState: "PUBLISHED",
		Distribution: distribution{FeedDistribution: "MAIN_FEED", TargetEntities: []string{}, ThirdParty: []string{}},
	}, nil
}

// urnOf is the name that the answer gives the post: in the header meant for it, else where Rest.li puts it too.
func urnOf(response httpcall.Response) string {
	location, _ := url.PathUnescape(path.Base(response.Header.Get("Location")))
	for _, name := range []string{response.Header.Get("X-Restli-Id"), response.Header.Get("X-Linkedin-Id"), location} {
		if postURN.MatchString(name) {
			return name
		}
	}
	return ""
}

// created reports an answer that is LinkedIn's own and says that there is a new post.
func created(response httpcall.Response) bool {
	return response.Status == http.StatusCreated &&
		(response.Header.Get("X-Restli-Protocol-Version") != "" || response.Header.Get("X-Li-Uuid") != "")
}

// unnamed is a post that is out and whose name the answer left out: it is looked up as far as that goes, and stays without
// name and link otherwise.
func (c *Connector) unnamed(ctx context.Context, account platform.Account, content platform.Content, began time.Time) platform.Publication {
	const patience = 5 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, found, err := c.Reconcile(ctx, account, content, platform.Sent{Text: content.Text, At: began})
	if err != nil {
		return platform.Publication{}
	}
	return found
}

func (c *Connector) publication(urn string) platform.Publication {
	return platform.Publication{ExternalID: urn, URL: c.client.Permalink(c.permalink + "/feed/update/" + urn + "/")}
}
