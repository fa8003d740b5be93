package graph

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/oauth"
)

// shortLived is the response to the exchange of a code at Threads and at Instagram Login, which Instagram also wraps in a
// list.
type shortLived struct {
	AccessToken string         `json:"access_token"`
	Permissions httpcall.Scope `json:"permissions"`

	Data httpcall.Some[struct {
		AccessToken string         `json:"access_token"`
		Permissions httpcall.Scope `json:"permissions"`
	}] `json:"data"`
}

// flat returns the token and the permissions.
func (s shortLived) flat() (accessToken string, scope string) {
	if s.AccessToken == "" && len(s.Data) > 0 {
		return s.Data[0].AccessToken, string(s.Data[0].Permissions)
	}
	return s.AccessToken, string(s.Permissions)
}

// ExchangeCode exchanges the code of a login at Instagram or Threads for a token of an hour, and that for one of sixty
// days with the grant type. Instagram exchanges codes at another host than tokens.
func ExchangeCode(
	ctx context.Context, codes, tokens *httpcall.Client, app oauth.Application, grant string, code platform.Code,
) (channel.Credentials, error) {
	form := oauth.Form(code)
	form.Set("client_id", app.ID)
	form.Set("client_secret", app.Secret)
	var result shortLived
	response, err := oauth.Exchange(ctx, codes, httpcall.Request{
		Path: []string{"oauth", "access_token"}, Form: form, Secrets: []string{code.Code, app.Secret},
	}, &result)
	if err != nil {
		return channel.Credentials{}, err
	}
	short, scope := result.flat()
	if !httpcall.Token(short) {
		return channel.Credentials{}, tokens.Unclear(response, "no token in the response")
	}
	long, err := longLived(ctx, tokens, grant, app.Secret, short)
	long.Scope, long.ClientID = scope, app.ID
	return long, err
}

// longLived exchanges the token of an hour for one of sixty days at Threads or at Instagram Login.
func longLived(
	ctx context.Context, client *httpcall.Client, grant, secret, token string,
) (channel.Credentials, error) {
	var result struct {
		AccessToken string           `json:"access_token"`
		ExpiresIn   httpcall.Seconds `json:"expires_in"`
	}
	response, err := oauth.Exchange(ctx, client, httpcall.Request{
		Path:    []string{"access_token"},
		Query:   url.Values{"grant_type": {grant}, "client_secret": {secret}, "access_token": {token}},
		Secrets: []string{secret, token},
	}, &result)
	if err != nil {
		return channel.Credentials{}, err
	}
	if !httpcall.Token(result.AccessToken) {
		return channel.Credentials{}, client.Unclear(response, "no long-lived token in the response")
	}
	now := client.Now()
	ends := client.EndOf(result.ExpiresIn)
	if ends.IsZero() {
		ends = now.Add(tokenLife)
	}
	return channel.Credentials{AccessToken: result.AccessToken, IssuedAt: now, ExpiresAt: ends}, nil
}

// App points to the settings of the application registered at Meta for Facebook Login.
type App struct {
	ID     *string
	Secret *config.Secret
}

// FacebookWeb is the host of Facebook's dialogs.
const FacebookWeb = "https://www.facebook.com"

// Login connects accounts with Facebook Login: Pages, and the Instagram accounts that are linked to them.
type Login struct {
	Client           *httpcall.Client // of the Graph API
	OfficialAPI      string
	Version          string
	AppID, AppSecret string
	Scopes           platform.Scopes
	Class            func(httpcall.Response) *platform.Failure // of calls with the user's token
}

// AuthorizeURL returns Facebook's dialog. A permission that a person has unticked before is asked for again.
func (l Login) AuthorizeURL(consent platform.Consent) (platform.Authorization, error) {
	if err := oauth.App(l.Client, l.AppID, l.AppSecret); err != nil {
		return platform.Authorization{}, err
	}
	return oauth.Dialog{
		Page:     oauth.Page(l.Client.BaseURL(), l.OfficialAPI, FacebookWeb, "/"+l.Version+"/dialog/oauth"),
		ClientID: l.AppID, Scopes: l.Scopes.All(), Separator: ",", More: map[string]string{"auth_type": "rerequest"},
	}.URL(consent)
}

// Exchange exchanges the code for a user's token of about sixty days, with the permissions that the user has left
// ticked.
func (l Login) Exchange(ctx context.Context, code platform.Code) (channel.Credentials, error) {
	short, err := l.token(ctx, url.Values{"redirect_uri": {code.Redirect}, "code": {oauth.Clean(code.Code)}}, code.Code)
	if err != nil {
		return channel.Credentials{}, err
	}
	long, err := l.token(ctx, url.Values{
		"grant_type": {"fb_exchange_token"}, "fb_exchange_token": {short.AccessToken},
	}, short.AccessToken)
	if err != nil {
		return channel.Credentials{}, err
	}
	long.Scope, err = l.granted(ctx, long.AccessToken)
	return long, err
}

func (l Login) token(ctx context.Context, query url.Values, secret string) (channel.Credentials, error) {
	query.Set("client_id", l.AppID)
	query.Set("client_secret", l.AppSecret)
	var result struct {
		AccessToken string           `json:"access_token"`
		ExpiresIn   httpcall.Seconds `json:"expires_in"`
	}
	response, err := oauth.Exchange(ctx, l.Client, httpcall.Request{
		Path: []string{l.Version, "oauth", "access_token"}, Query: query, Secrets: []string{secret, l.AppSecret},
	}, &result)
	if err != nil {
		return channel.Credentials{}, err
	}
	if !httpcall.Token(result.AccessToken) {
		return channel.Credentials{}, l.Client.Unclear(response, "no token in the response")
	}
	return channel.Credentials{
		AccessToken: result.AccessToken, IssuedAt: l.Client.Now(), ExpiresAt: l.Client.EndOf(result.ExpiresIn), ClientID: l.AppID,
	}, nil
}

// get reads with the user's token.
func (l Login) get(ctx context.Context, token string, query url.Values, into any, path ...string) error {
	_, err := l.Client.AskIdentity(ctx, httpcall.Request{
		Path: append([]string{l.Version}, path...), Query: query,
		Header: http.Header{"Authorization": {"Bearer " + token}}, Secrets: []string{token},
	}, l.Class, into)
	return err
}

func (l Login) granted(ctx context.Context, token string) (string, error) {
	var response struct {
		Data httpcall.Some[struct {
			Permission string `json:"permission"`
			Status     string `json:"status"`
		}] `json:"data"`
	}
	if err := l.get(ctx, token, nil, &response, "me", "permissions"); err != nil {
		return "", err
	}
	var granted []string
	for _, one := range response.Data {
		if one.Status == "granted" && httpcall.Token(one.Permission) {
			granted = append(granted, one.Permission)
		}
	}
	return strings.Join(granted, " "), nil
}

// Page is a Facebook Page that a user may manage.
type Page struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Username    string   `json:"username"`
	AccessToken string   `json:"access_token"`
	Tasks       []string `json:"tasks"`           // of the person; only me/accounts has them
	Permitted   []string `json:"permitted_tasks"` // of the business; only the Pages of its clients have them
	Picture     httpcall.Maybe[struct {
		Data picture `json:"data"`
	}] `json:"picture"`
	Instagram httpcall.Maybe[professional] `json:"instagram_business_account"`

	Business string `json:"-"` // name of the business that has it; empty: the user has it directly
}

type picture struct {
	URL string `json:"url"`
}

type professional struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Username string `json:"username"`
	Picture  string `json:"profile_picture_url"`
}

const (
	pageLimit  = "100"
	mostPages  = 50 // pages of a list that are read
	pageFields = "id,name,username,access_token,picture{url}"
)

// Pages lists the user's Pages: those of /me/accounts, and those that a business adds. Facebook refuses a field that a
// list does not have, so each list has its own (developers.facebook.com/docs/graph-api/reference/user/accounts and
// …/docs/marketing-api/reference/business/client_pages). The given fields are added to those of a Page.
func (l Login) Pages(ctx context.Context, token, fields string) ([]Page, error) {
	fields = strings.TrimSuffix(pageFields+","+fields, ",")
	found, err := l.list(ctx, token, fields+",tasks", "me", "accounts")
	if err != nil {
		return nil, err
	}
	added, err := l.ofBusinesses(ctx, token, fields)
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	known := make(map[string]bool)
	for _, page := range found {
		known[page.ID] = true
	}
	for _, page := range added {
		if !known[page.ID] {
			known[page.ID] = true
			found = append(found, page)
		}
	}
	return found, nil
}

// ofBusinesses lists the Pages of the user's businesses. An employee may see few of them, and /me/accounts has most of
// them too, so a refused or failed call only leaves its Pages out. The error joins those of such calls.
func (l Login) ofBusinesses(ctx context.Context, token, fields string) ([]Page, error) {
	var businesses struct {
		Data httpcall.Some[struct {
			ID   string `json:"id"`
			Name string `json:"name"`
		}] `json:"data"`
	}
	failed := l.get(ctx, token, url.Values{"fields": {"id,name"}, "limit": {pageLimit}}, &businesses, "me", "businesses")
	var found []Page
	for _, business := range businesses.Data {
		for _, edge := range [][2]string{{"owned_pages", fields}, {"client_pages", fields + ",permitted_tasks"}} {
			pages, err := l.list(ctx, token, edge[1], business.ID, edge[0])
			failed = errors.Join(failed, err)
			for _, page := range pages {
				page.Business = business.Name
				found = append(found, page)
			}
		}
	}
	return found, failed
}

func (l Login) list(ctx context.Context, token, fields string, path ...string) ([]Page, error) {
	var found []Page
	query := url.Values{"fields": {fields}, "limit": {pageLimit}}
	for range mostPages {
		var response struct {
			Data   httpcall.Some[Page] `json:"data"`
			Paging struct {
				Next    string `json:"next"`
				Cursors struct {
					After string `json:"after"`
				} `json:"cursors"`
			} `json:"paging"`
		}
		if err := l.get(ctx, token, query, &response, path...); err != nil {
			return found, err
		}
		found = append(found, response.Data...)
		if response.Paging.Next == "" || response.Paging.Cursors.After == "" {
			break
		}
		query.Set("after", response.Paging.Cursors.After)
	}
	return found, nil
}

// MayPublish reports whether the user may publish for the Page. A list without tasks says nothing.
func (p Page) MayPublish() bool {
	tasks := append(slices.Clone(p.Tasks), p.Permitted...)
	return len(tasks) == 0 || slices.Contains(tasks, "CREATE_CONTENT") || slices.Contains(tasks, "MANAGE")
}

// Credentials returns those of the Page, with the user's token, which Meta wants for some calls, and the facts of the
// user's consent. Its dates are read after it is stored.
func (p Page) Credentials(user channel.Credentials, variant channel.Variant) channel.Credentials {
	return channel.Credentials{
		AccessToken: p.AccessToken, UserToken: user.AccessToken, Scope: user.Scope, ClientID: user.ClientID, Variant: variant,
	}
}

// Problem says why the Page cannot be connected; empty if it can.
func (p Page) Problem() string {
	switch {
	case !httpcall.Token(p.AccessToken):
		return "Facebook returned no token for this Page. Tick the Page in Facebook's dialog, and ask for a role on it."
	case !p.MayPublish():
		return "Your role on this Page does not allow publishing. Ask for the task to create content."
	default:
		return ""
	}
}

// Candidate returns the Page as an account to connect.
func (p Page) Candidate(client *httpcall.Client, user channel.Credentials) channel.Candidate {
	return channel.Candidate{
		Type: channel.FacebookPage, ExternalID: p.ID, Name: p.Name, Username: p.Username,
		AvatarURL: client.Permalink(p.Picture.Value.Data.URL), Owner: p.Business, Problem: p.Problem(),
		Credentials: p.Credentials(user, ""),
	}
}

// Linked returns the Instagram account that is linked to the Page; false if there is none.
func (p Page) Linked(client *httpcall.Client, user channel.Credentials) (channel.Candidate, bool) {
	account := p.Instagram.Value
	return channel.Candidate{
		Type: channel.InstagramProfessional, ExternalID: account.ID, Name: account.Name, Username: account.Username,
		AvatarURL: client.Permalink(account.Picture), Owner: "Page " + p.Name, Problem: p.Problem(),
		Credentials: p.Credentials(user, channel.FacebookLogin),
	}, account.ID != ""
}

// Revoke withdraws every permission of the application.
func (l Login) Revoke(ctx context.Context, token string) error {
	_, err := oauth.Exchange(ctx, l.Client, httpcall.Request{
		Method: http.MethodDelete, Path: []string{l.Version, "me", "permissions"},
		Header: http.Header{"Authorization": {"Bearer " + token}}, Secrets: []string{token},
	}, &struct{}{})
	return err
}
