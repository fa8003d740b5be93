package metaapi

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
)

// RoleUser is the role in the tokens of a person who uses Facebook Login.
const RoleUser = "user"

// UserTokens returns the rules for tokens of persons.
func UserTokens(scopes ...string) token.Policy {
	const life = 60 * 24 * time.Hour
	return token.Policy{Role: RoleUser, Access: life, NoRefresh: true, Scopes: scopes}
}

// Login simulates Facebook Login: the dialog, the exchange of codes, and the lists of a person's Pages. The person of a
// name has three Pages: one of the same name, NAME-shop, NAME-archive without the right to publish, and NAME-group only
// through the business NAME Holding. A person whose name begins with "employee" may not list the Pages of the business.
type Login struct {
	*API

	Scopes []string
	// PageRole is the role in the tokens of Pages, and PageScope returns their scope for one of the person.
	PageRole  string
	PageScope func(scope string) string
	// Instagram adds the Instagram accounts that are linked to the Pages: to each but those of a business.
	Instagram bool
}

// Mount adds the calls at the host of the network's API.
func (l *Login) Mount(mux *http.ServeMux, host *API) {
	l.API = &API{ErrorType: host.ErrorType, Service: stage.Service{
		Stage: host.Stage, Network: host.Network, Prefix: host.Prefix, Roles: []string{RoleUser}, Refused: l.refuse,
		Missing: host.Unknown(http.StatusBadRequest, codePath),
	}}
	l.prepare()
	const list, manage = "pages_show_list", "business_management"
	ofBusiness := PageNode("permitted_tasks")
	l.register(mux, []Route{
		{Pattern: "GET /me/permissions", Node: NewNode("Permission{permission,status}"), Serve: l.permissions},
		{Pattern: "DELETE /me/permissions", Serve: l.withdraw},
		{Pattern: "GET /me/accounts", Scopes: list, Node: PageNode("tasks"), Serve: l.accounts},
		{Pattern: "GET /me/businesses", Scopes: manage, Node: NewNode("Business{name}"), Serve: l.businesses},
		{Pattern: "GET /{business}/owned_pages", Scopes: manage, Node: ofBusiness, Serve: l.owned},
		{Pattern: "GET /{business}/client_pages", Scopes: manage, Node: ofBusiness, Serve: l.clients},
	})
	l.authorizations(mux)
}

// authorizations adds the dialog and the exchange of codes and of tokens.
func (l *Login) authorizations(mux *http.ServeMux) {
	dialog := stage.Dialog{
		Network: l.Network, Path: l.Prefix + "/{version}/dialog/oauth", Separator: ",", Life: 10 * time.Minute,
		Suffix: "#_=_", Roles: []string{RoleUser}, Picks: "the Pages",
	}
	l.Stage.Authorize(mux, dialog)
	dialog.Path = ""
	codes, exchange := http.NewServeMux(), "GET "+l.Prefix+"/{version}/oauth/access_token"
	const codeRefused = 36007
	mismatch := l.Error(codeParameter, codeRefused, "Error validating verification code. Please make sure your "+
		"redirect_uri is identical to the one you used in the OAuth dialog request")
	l.Stage.AuthorizationServer(codes, stage.Authorization{
		Dialog: dialog, Tokens: map[string]string{exchange: stage.GrantCode}, Words: l.Words, Body: longLived,
		ClientFirst: true, Form: func(_ http.ResponseWriter, r *http.Request) (url.Values, error) {
			form := r.URL.Query()
			form.Set("grant_type", cmp.Or(form.Get("grant_type"), stage.GrantCode))
			return form, nil
		},
		Refusals: map[error]stage.Response{
			stage.ErrCredentials: l.wrongSecret(), stage.ErrClient: mismatch, stage.ErrRedirect: mismatch,
			stage.ErrVerifier: mismatch,
			stage.ErrCode:     l.Error(codeParameter, codeRefused, "This authorization code has expired."),
		},
	})
	mux.HandleFunc(exchange, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("grant_type") != "fb_exchange_token" {
			codes.ServeHTTP(w, r)
			return
		}
		l.extend(r.URL.Query()).Write(w)
	})
}

func (l *Login) wrongSecret() stage.Response { return l.Error(1, 0, "Error validating client secret.") }

// longLived is the body of a response with a long-lived token.
func longLived(t stage.Tokens) any {
	return stage.Object{"access_token": t.Access, "token_type": "bearer", "expires_in": t.ExpiresIn}
}

// refuse returns the response to a person's token that is not accepted.
func (l *Login) refuse(r stage.Request, reason error) stage.Response {
	if !errors.Is(reason, token.ErrScope) || !Versioned(r.Request) {
		return l.Refuse(r, reason)
	}
	scope := "business_management"
	if strings.HasSuffix(r.Pattern, "accounts") {
		scope = "pages_show_list"
	}
	return l.Error(200, 0, "(#200) Requires "+scope+" permission to manage the object")
}

// extend exchanges a token for a long-lived one.
func (l *Login) extend(form url.Values) stage.Response {
	_, unknown := stage.FormClient("client_id")(nil, form)
	grant, err := l.Stage.Tokens.Access(string(l.Network), form.Get("fb_exchange_token"))
	bad := stage.If(unknown != nil, l.wrongSecret()).
		Or(err != nil || grant.Role != RoleUser, l.Error(codeToken, 0, unparsed))
	return bad.Else(stage.OK(longLived(l.Stage.TokensOf(string(l.Network), grant))))
}

// permissions lists every permission, granted or declined.
func (l *Login) permissions(r stage.Request) stage.Response {
	return stage.OK(stage.Object{"data": stage.Each(l.Scopes, func(scope string) map[string]string {
		status := "declined"
		if r.Grant.Has(scope) {
			status = "granted"
		}
		return map[string]string{"permission": scope, "status": status}
	})})
}

// withdraw ends the access of the application.
func (l *Login) withdraw(r stage.Request) stage.Response {
	return l.After(l.Stage.Revoke(string(l.Network), AccessToken(r)), stage.OK(map[string]bool{"success": true}))
}

// accounts lists the Pages that the person has directly, one on each page of the list: Meta may return fewer than
// requested.
func (l *Login) accounts(r stage.Request) stage.Response {
	return l.page(r, l.describe(r, "", "MANAGE", "CREATE_CONTENT", "ANALYZE"),
		l.describe(r, "-shop", "CREATE_CONTENT", "ANALYZE"), l.describe(r, "-archive", "ANALYZE"))
}

func (l *Login) businesses(r stage.Request) stage.Response {
	return l.page(r, stage.Object{"id": "biz-" + r.Account, "name": r.Account + " Holding"})
}

// owned lists the Pages of a business.
func (l *Login) owned(r stage.Request) stage.Response {
	return l.inBusiness(r, l.describe(r, "-group"))
}

func (l *Login) clients(r stage.Request) stage.Response { return l.inBusiness(r) }

// inBusiness lists Pages of a business, if the person may list them.
func (l *Login) inBusiness(r stage.Request, pages ...stage.Object) stage.Response {
	switch {
	case r.PathValue("business") != "biz-"+r.Account:
		return l.NotFound()
	case strings.HasPrefix(r.Account, "employee"):
		return l.Error(codeDenied, 0, denied)
	default:
		return l.page(r, pages...)
	}
}

// describe describes a Page with its own token.
func (l *Login) describe(r stage.Request, suffix string, tasks ...string) stage.Object {
	name, network, scopes := r.Account+suffix, string(l.Network), []string{}
	for _, scope := range r.Grant.Scopes {
		if own := l.PageScope(scope); own != "" {
			scopes = append(scopes, own)
		}
	}
	described := stage.Object{
		"id": name, "name": strings.ToUpper(name[:1]) + name[1:], "username": name,
		"picture": stage.Object{"data": stage.Object{"url": l.Stage.Avatar(r.Request, name)}},
	}
	if len(tasks) > 0 {
		described["tasks"] = tasks
	}
	consent := token.Consent{Account: name, Role: l.PageRole, App: r.Grant.App, Scopes: scopes}
	if issued, err := l.Stage.Tokens.Issue(network, consent); err == nil {
		described["access_token"] = issued.Access(network)
	}
	if l.Instagram && suffix != "-group" {
		described["instagram_business_account"] = stage.Object{
			"id": name, "username": name, "name": described["name"], "profile_picture_url": l.Stage.Avatar(r.Request, name),
		}
	}
	return described
}

// page returns the element of a list after the cursor, with the requested fields.
func (l *Login) page(r stage.Request, elements ...stage.Object) stage.Response {
	at, err := strconv.Atoi("0" + r.Values.Get("after"))
	if err != nil || at >= len(elements) {
		return stage.OK(stage.Object{"data": []any{}})
	}
	paging := stage.Object{"cursors": map[string]string{"before": strconv.Itoa(at), "after": strconv.Itoa(at + 1)}}
	if at+1 < len(elements) {
		paging["next"] = l.Stage.Base(r.Request) + r.URL.Path + "?after=" + strconv.Itoa(at+1)
	}
	fields := stage.Each(SplitFields("id,"+r.Values.Get("fields")), FieldName)
	return stage.OK(stage.Object{"data": []any{stage.Pick(fields, elements[at])}, "paging": paging})
}

// Consents adds the dialog of Threads or of Instagram Login, the exchange of codes, that for a long-lived token, and
// the renewal of tokens, with the grant types of the latter two.
func (a *API) Consents(mux *http.ServeMux, exchange, renewal string) {
	codeRefused := func(message string) stage.Response { // has another form than the other errors
		return stage.Refuse(http.StatusBadRequest, stage.Object{
			"error_type": "OAuthException", "code": http.StatusBadRequest, "error_message": message,
		})
	}
	network := string(a.Network)
	a.Stage.AuthorizationServer(mux, stage.Authorization{
		Dialog: stage.Dialog{
			Network: a.Network, Path: a.Prefix + "/oauth/authorize", Separator: ",", Life: time.Hour, Suffix: "#_",
		},
		Tokens: map[string]string{"POST " + a.Prefix + "/oauth/access_token": stage.GrantCode}, Words: a.Words,
		Body: func(t stage.Tokens) any {
			return stage.Object{"access_token": t.Access, "user_id": t.Account, "permissions": strings.Join(t.Scopes, ",")}
		},
		Refusals: map[error]stage.Response{
			stage.ErrGrantType: codeRefused("Invalid platform app"), stage.ErrCode: codeRefused("Invalid authorization code"),
			stage.ErrCredentials: codeRefused("Error validating client secret."),
		},
	})
	a.Stage.AuthorizationServer(mux, stage.Authorization{
		Dialog: stage.Dialog{Network: a.Network}, LongLived: true, Refused: a.refused, Words: a.Words, Body: longLived,
		Tokens: map[string]string{"GET " + a.Prefix + "/refresh_access_token": renewal},
		Form: func(_ http.ResponseWriter, r *http.Request) (url.Values, error) {
			q := r.URL.Query()
			q.Set("refresh_token", q.Get("access_token"))
			return q, nil
		},
		Client:   func(*http.Request, url.Values) (string, error) { return "", nil },
		Refusals: map[error]stage.Response{stage.ErrGrantType: a.Words.Rejected},
	})
	mux.HandleFunc("GET "+a.Prefix+"/access_token", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		held, err := a.Stage.Tokens.Access(network, q.Get("access_token"))
		if err != nil || q.Get("grant_type") != exchange || q.Get("client_secret") == "" {
			a.Error(codeToken, 0, unparsed).Write(w)
			return
		}
		stage.OK(longLived(a.Stage.TokensOf(network, held))).Write(w)
	})
}

// DebugToken reports what a Page's token of the network allows and until when, to a caller with any token of the
// application. Without one, it responds with refusal.
func (a *API) DebugToken(refusal stage.Response) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { a.debug(r, refusal).Write(w) }
}

func (a *API) debug(r *http.Request, refusal stage.Response) stage.Response {
	values := r.URL.Query()
	if values.Get("input_token") == "" || stage.AccessToken(r, values) == "" {
		return refusal
	}
	grant, err := a.Stage.Tokens.Access(string(a.Network), values.Get("input_token"))
	if errors.Is(err, token.ErrInvalid) {
		return stage.OK(stage.Object{"data": stage.Object{
			"is_valid": false, "scopes": []string{}, "error": stage.Object{"code": codeToken, "message": unparsed},
		}})
	}
	return stage.OK(stage.Object{"data": stage.Object{
		"app_id": cmp.Or(grant.App, "sandbox-client"), "type": "PAGE", "application": "Sandbox",
		"data_access_expires_at": grant.DataExpiresAt.Unix(), "expires_at": 0,
		"is_valid": err == nil || errors.Is(err, token.ErrData), "issued_at": grant.IssuedAt.Unix(),
		"profile_id": grant.Account, "scopes": grant.Scopes, "user_id": grant.Account,
		"granular_scopes": stage.Each(grant.Scopes, func(scope string) stage.Object {
			return stage.Object{"scope": scope, "target_ids": []string{grant.Account}}
		}),
	}})
}
