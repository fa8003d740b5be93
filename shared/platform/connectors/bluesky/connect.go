package bluesky

import (
	"context"
	"net/http"
	"strings"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

var (
	_ platform.Enterer = (*Connector)(nil)
	_ platform.Revoker = (*Connector)(nil)
)

// Codes of entered values that Bluesky refuses.
const (
	CodePassword   = "APP_PASSWORD_REFUSED"
	CodeServerGone = "SERVER_NOT_FOUND"
)

// Fields returns the handle, an app password, and the server of accounts that Bluesky does not host.
func (c *Connector) Fields() []platform.Field {
	return []platform.Field{
		{Name: "handle", Label: "Handle", Hint: "alice.bsky.social, without the @"},
		{
			Name: "password", Label: "App password", Secret: true,
			Hint:  "Made at Settings, Privacy and security, App passwords. It is used once and not stored.",
			Codes: []string{CodePassword},
		},
		{Name: "server", Label: "Personal data server", Hint: "Only if Bluesky does not host the account.", Optional: true, Codes: []string{CodeServerGone}},
	}
}

// Enter logs in with an app password. The password is not stored: the tokens are renewed instead.
func (c *Connector) Enter(ctx context.Context, values map[string]string) ([]channel.Candidate, error) {
	server := strings.TrimRight(strings.TrimSpace(values["server"]), "/")
	handle := strings.TrimPrefix(strings.TrimSpace(values["handle"]), "@")
	client, err := c.servers.Of(platform.Account{Credentials: channel.Credentials{Server: server}})
	if err != nil {
		return nil, c.client.Fail(platform.ClassUser, CodeServerGone, err,
			"The server may not be called. Give its https URL, such as https://pds.example.com.")
	}
	var created struct {
		DID     string `json:"did"`
		Handle  string `json:"handle"`
		Access  string `json:"accessJwt"`
		Refresh string `json:"refreshJwt"`
	}
	response, err := client.AskIdentity(ctx, httpcall.Request{
		Method: http.MethodPost, Path: []string{"xrpc", "com.atproto.server.createSession"},
		JSON: map[string]string{"identifier": handle, "password": values["password"]}, Secrets: []string{values["password"]},
	}, func(response httpcall.Response) *platform.Failure {
		if response.Status == http.StatusUnauthorized {
			return client.Fail(platform.ClassUser, CodePassword, response.Cause("refused"),
				"Bluesky does not accept this handle with this app password.")
		}
		return failure(client, response)
	}, &created)
	if err != nil {
		return nil, err
	}
	if !didPattern.MatchString(created.DID) || !httpcall.Token(created.Access) || !httpcall.Token(created.Refresh) {
		return nil, client.Unclear(response, "no session in the response")
	}
	now := client.Now()
	credentials := channel.Credentials{
		AccessToken: created.Access, RefreshToken: created.Refresh, IssuedAt: now, Server: server,
		ExpiresAt: end(created.Access, now, accessLife), RefreshExpiresAt: end(created.Refresh, now, refreshLife),
	}
	candidate := channel.Candidate{
		Type: channel.Bluesky, ExternalID: created.DID, Name: created.Handle, Username: created.Handle, Credentials: credentials,
	}
	c.describe(ctx, client, &candidate)
	return []channel.Candidate{candidate}, nil
}

// Picture returns the address of the account's picture.
func (c *Connector) Picture(ctx context.Context, account platform.Account) (string, error) {
	client, err := c.servers.Of(account)
	if err != nil {
		return "", err
	}
	found, err := c.profile(ctx, client, account)
	return client.Permalink(found.Picture), err
}

// describe adds the name and the picture, if the profile can be read.
func (c *Connector) describe(ctx context.Context, client *httpcall.Client, candidate *channel.Candidate) {
	found, err := c.profile(ctx, client, platform.Account{ExternalID: candidate.ExternalID, Credentials: candidate.Credentials})
	if err != nil {
		return
	}
	if found.Name != "" {
		candidate.Name = found.Name
	}
	candidate.AvatarURL = client.Permalink(found.Picture)
}

// profile holds the name and the picture of an account.
type profile struct {
	Name    string `json:"displayName"`
	Picture string `json:"avatar"`
}

func (*Connector) profile(ctx context.Context, client *httpcall.Client, account platform.Account) (profile, error) {
	var found profile
	s := session{Client: client, account: account}
	request := httpcall.Request{Operation: "identify", Query: map[string][]string{"actor": {account.ExternalID}}}
	return found, s.ask(ctx, "app.bsky.actor.getProfile", request, &found)
}

// Revoke ends the session of the account's tokens.
func (c *Connector) Revoke(ctx context.Context, account platform.Account) error {
	client, err := c.servers.Of(account)
	if err != nil {
		return err
	}
	response, err := client.Call(ctx, withToken("com.atproto.server.deleteSession", account.Credentials.RefreshToken,
		httpcall.Request{Operation: "connect", Method: http.MethodPost}))
	if err == nil && !response.OK() {
		return failure(client, response)
	}
	return err
}

// RevokesConsent returns false: Revoke ends the tokens of the account alone.
func (*Connector) RevokesConsent() bool { return false }
