package googlebusiness

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

var (
	_ platform.Connecter = (*Connector)(nil)
	_ platform.Revoker   = (*Connector)(nil)
)

// Official URLs of the APIs that list accounts and locations.
const (
	OfficialAccounts  = "https://mybusinessaccountmanagement.googleapis.com"
	OfficialLocations = "https://mybusinessbusinessinformation.googleapis.com"
)

const (
	accountsPage  = "20"  // per page, the most that Google returns
	locationsPage = "100" // the most that the network returns
	mostPages     = 50    // pages of a list that are read
)

// Scopes returns the only permission of Business Profiles.
func (c *Connector) Scopes(channel.Variant) platform.Scopes {
	return platform.Scopes{Needed: []string{"https://www.googleapis.com/auth/business.manage"}}
}

// AuthorizeURL returns Google's page.
func (c *Connector) AuthorizeURL(_ context.Context, consent platform.Consent) (platform.Authorization, error) {
	return c.tokens.AuthorizeURL(consent, c.Scopes(""))
}

// Exchange exchanges the code.
func (c *Connector) Exchange(ctx context.Context, code platform.Code) (channel.Credentials, error) {
	return c.tokens.Exchange(ctx, code)
}

// Revoke ends the access of the account's tokens.
func (c *Connector) Revoke(ctx context.Context, account platform.Account) error {
	return c.tokens.Revoke(ctx, account.Credentials)
}

// Accounts lists the locations of every account of the person. Their ids contain the account, which the API for posts
// needs.
func (c *Connector) Accounts(ctx context.Context, credentials channel.Credentials) ([]channel.Candidate, error) {
	var candidates []channel.Candidate
	type account struct {
		Name  string `json:"name"`
		Title string `json:"accountName"`
	}
	accounts, err := list[account](ctx, c, c.accounts, credentials, url.Values{"pageSize": {accountsPage}}, "accounts",
		"v1", "accounts")
	if err != nil {
		return nil, err
	}
	for _, owner := range accounts {
		id, ok := strings.CutPrefix(owner.Name, "accounts/")
		if !ok || id == "" {
			continue
		}
		found, err := list[location](ctx, c, c.locations, credentials, url.Values{
			"pageSize": {locationsPage}, "readMask": {"name,title,storefrontAddress,metadata"},
		}, "locations", "v1", "accounts", id, "locations")
		if err != nil {
			return nil, err
		}
		for _, one := range found {
			candidates = append(candidates, one.candidate(owner.Name, owner.Title, credentials))
		}
	}
	return candidates, nil
}

type location struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Address struct {
		Locality string   `json:"locality"`
		Lines    []string `json:"addressLines"`
	} `json:"storefrontAddress"`
	Metadata struct {
		Verified *bool `json:"hasVoiceOfMerchant"`
	} `json:"metadata"`
}

func (l location) candidate(account, owner string, credentials channel.Credentials) channel.Candidate {
	found := channel.Candidate{
		Type: channel.GoogleBusiness, ExternalID: account + "/" + l.Name, Name: l.Title, Owner: owner,
		Username:    strings.Join(append(l.Address.Lines, l.Address.Locality), ", "),
		Credentials: credentials,
	}
	if l.Metadata.Verified != nil && !*l.Metadata.Verified {
		found.Problem = "Google has not verified this location. Verify it in the Business Profile."
	}
	return found
}

// list reads every page of a list. The member is that of the elements in the response.
func list[T any](
	ctx context.Context, c *Connector, client *httpcall.Client, credentials channel.Credentials, query url.Values,
	member string, path ...string,
) ([]T, error) {
	var found []T
	for range mostPages {
		var response struct {
			Accounts  httpcall.Some[T] `json:"accounts"`
			Locations httpcall.Some[T] `json:"locations"`
			Next      string           `json:"nextPageToken"`
		}
		_, err := client.AskIdentity(ctx, httpcall.Request{
			Path: path, Query: query, Header: http.Header{"Authorization": {"Bearer " + credentials.AccessToken}},
			Secrets: []string{credentials.AccessToken},
		}, c.failure, &response)
		if err != nil {
			return nil, err
		}
		if member == "accounts" {
			found = append(found, response.Accounts...)
		} else {
			found = append(found, response.Locations...)
		}
		if response.Next == "" {
			break
		}
		query.Set("pageToken", response.Next)
	}
	return found, nil
}

// listClient returns the client of an API that lists accounts or locations: the official one with the official API for
// posts, and that API for any other, which replaces Google.
func listClient(config Config, official string) (*httpcall.Client, error) {
	if config.Wire.BaseURL == OfficialAPI {
		config.Wire.BaseURL = official
	}
	return httpcall.New(config.Wire)
}

// Configured reports whether the operator has configured an application.
func (c *Connector) Configured(channel.Variant) bool { return c.tokens.Configured() }

// RevokesConsent returns true: Revoke ends every consent of a person to the application.
func (*Connector) RevokesConsent() bool { return true }
