package linkedin

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// mostRoles is the maximum number of a member's pages that are read.
const mostRoles = "100"

// postingRoles returns the roles of a page's members that may publish.
func postingRoles() []string {
	return []string{"ADMINISTRATOR", "CONTENT_ADMINISTRATOR", "CONTENT_ADMIN", "DIRECT_SPONSORED_CONTENT_POSTER"}
}

// Identify reads the member of the access token, or the pages that this member may publish to.
func (c *Connector) Identify(ctx context.Context, account platform.Account) (platform.Identity, error) {
	author, err := c.author(account)
	if err != nil {
		return platform.Identity{}, err
	}
	found, err := c.identify(ctx, account, author)
	if err == nil && !strings.HasPrefix(account.ExternalID, c.kind.author) {
		found.ID = strings.TrimPrefix(found.ID, c.kind.author)
	}
	return found, err
}

// identify returns an identity whose id is a URN.
func (c *Connector) identify(ctx context.Context, account platform.Account, author string) (platform.Identity, error) {
	if c.kind.listed {
		return c.page(ctx, account, author)
	}
	var member struct {
		ID   string `json:"sub"`
		Name string `json:"name"`
	}
	response, err := c.askIdentity(ctx, account, httpcall.Request{Path: []string{"v2", "userinfo"}}, &member)
	if err != nil {
		return platform.Identity{}, err
	}
	if member.ID == "" {
		return c.client.Identity(response, "", "")
	}
	return c.client.Identity(response, c.kind.author+member.ID, member.Name)
}

// page returns the page of this URN if the member may publish to it, and otherwise the first page that the member may
// publish to.
func (c *Connector) page(ctx context.Context, account platform.Account, author string) (platform.Identity, error) {
	roles, response, err := c.roles(ctx, account)
	if err != nil {
		return platform.Identity{}, err
	}
	if roles == nil {
		return c.client.Identity(response, "", "")
	}
	var pages []string
	for _, one := range roles {
		if slices.Contains(postingRoles(), one.Role) && strings.HasPrefix(one.Organization, c.kind.author) {
			pages = append(pages, one.Organization)
		}
	}
	switch {
	case slices.Contains(pages, author):
		return platform.Identity{ID: author}, nil
	case len(pages) > 0:
		return platform.Identity{ID: pages[0]}, nil
	default:
		return platform.Identity{}, c.client.Fail(platform.ClassUser, CodeNoPage, response.Cause("no page"),
			"The LinkedIn member of this access token may not publish to any page.")
	}
}

// role is a role of a member at an organization.
type role struct {
	Role         string `json:"role"`
	Organization string `json:"organization"`
}

// roles returns the roles of the access token's member, with the response; nil if there is no list of them.
func (c *Connector) roles(ctx context.Context, account platform.Account) ([]role, httpcall.Response, error) {
	var result struct {
		Roles httpcall.Some[role] `json:"elements"`
	}
	response, err := c.askIdentity(ctx, account, httpcall.Request{
		Path:  []string{"rest", "organizationAcls"},
		Query: url.Values{"q": {"roleAssignee"}, "state": {"APPROVED"}, "count": {mostRoles}},
	}, &result)
	return result.Roles, response, err
}

func (c *Connector) askIdentity(
	ctx context.Context, account platform.Account, request httpcall.Request, into any,
) (httpcall.Response, error) {
	request.Header, request.Secrets = c.header(account), []string{account.Credentials.AccessToken}
	if request.Query.Has("q") {
		request.Header.Set("X-Restli-Method", "FINDER")
	}
	return c.client.AskIdentity(ctx, request, func(response httpcall.Response) *platform.Failure {
		failure := c.failure(account, response)
		if response.Status == http.StatusForbidden && failure.Class == platform.ClassReconnect {
			failure.Message = "LinkedIn does not let this access token read its account. Give it the scopes " +
				c.kind.identityScopes + "."
		}
		return failure
	}, into)
}
