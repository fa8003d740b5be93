package metaapi

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
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
	API    *API
	Scopes []string
	// PageRole is the role in the tokens of Pages, and PageScope returns their scope for one of the person.
	PageRole  string
	PageScope func(scope string) string
	// Instagram adds the Instagram accounts that are linked to the Pages: to each but those of a business.
	Instagram bool
}

// visit is a call of a person.
type visit struct {
	*http.Request

	token.Grant
}

// Mount adds the calls.
func (l Login) Mount(mux *http.ServeMux) {
	a, at := l.API, l.API.Prefix+"/{version}"
	dialog := stage.Dialog{
		Network: a.Network, Path: at + "/dialog/oauth", Separator: ",", Life: 10 * time.Minute, Suffix: "#_=_",
		Roles: []string{RoleUser}, Picks: "the Pages",
	}
	a.Stage.Authorize(mux, dialog)
	dialog.Path = ""
	codes, exchange := http.NewServeMux(), "GET "+at+"/oauth/access_token"
	mismatch := a.Error(codeParameter, 36007, "Error validating verification code. Please make sure your redirect_uri is "+
		"identical to the one you used in the OAuth dialog request")
	a.Stage.AuthorizationServer(codes, stage.Authorization{
		Dialog: dialog, Tokens: map[string]string{exchange: stage.GrantCode}, Words: a.Words, Body: longLived, ClientFirst: true,
		Form: func(_ http.ResponseWriter, r *http.Request) (url.Values, error) {
			form := r.URL.Query()
			form.Set("grant_type", cmp.Or(form.Get("grant_type"), stage.GrantCode))
			return form, nil
		},
		Refusals: map[error]stage.Response{
			stage.ErrCredentials: a.Error(1, 0, "Error validating client secret."),
			stage.ErrCode:        a.Error(codeParameter, 36007, "This authorization code has expired."),
			stage.ErrClient:      mismatch, stage.ErrRedirect: mismatch, stage.ErrVerifier: mismatch,
		},
	})
	mux.HandleFunc(exchange, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("grant_type") != "fb_exchange_token" {
			codes.ServeHTTP(w, r)
			return
		}
		l.extend(r).Write(w)
	})
	const own, business = "/me/", "/{business}/"
	for call, c := range map[string]struct {
		scope string
		of    *Node
		serve func(visit) stage.Response
	}{
		"GET " + own + "permissions":       {"", NewNode("Permission", "permission", "status"), l.permissions},
		"DELETE " + own + "permissions":    {"", nil, l.withdraw},
		"GET " + own + "accounts":          {"pages_show_list", PageNode().Plus("tasks"), l.accounts},
		"GET " + own + "businesses":        {"business_management", NewNode("Business", "name"), l.businesses},
		"GET " + business + "owned_pages":  {"business_management", PageNode().Plus("permitted_tasks"), l.owned},
		"GET " + business + "client_pages": {"business_management", PageNode().Plus("permitted_tasks"), l.clients},
	} {
		method, path, _ := strings.Cut(call, " ")
		mux.HandleFunc(method+" "+at+path, func(w http.ResponseWriter, r *http.Request) {
			visit, bad := l.admit(r, c.scope, c.of)
			if !bad.Broken {
				bad.Fault = c.serve(visit)
			}
			bad.Fault.Write(w)
		})
	}
}

// longLived is the body of a response with a long-lived token.
func longLived(t stage.Tokens) any {
	return stage.Object{"access_token": t.Access, "token_type": "bearer", "expires_in": t.ExpiresIn}
}

// admit authenticates a person, and checks a permission and the requested fields.
func (l Login) admit(r *http.Request, scope string, of *Node) (visit, stage.Check) {
	grant, err := l.person(stage.AccessToken(r, r.URL.Query()))
	bad := stage.If(!Versioned(r), l.API.Unknown(http.StatusBadRequest, codePath)).
		Or(err != nil, l.API.Error(codeToken, 0, invalidToken)).
		Or(scope != "" && !grant.Has(scope), l.API.Error(200, 0, "(#200) Requires "+scope+" permission to manage the object"))
	if of != nil && !bad.Broken {
		_, bad = l.API.Fields(stage.Request{Values: r.URL.Query()}, of)
	}
	return visit{r, grant}, bad
}

// person returns the grant of a person's token.
func (l Login) person(text string) (token.Grant, error) {
	grant, err := l.API.Stage.Tokens.Access(string(l.API.Network), text)
	if err == nil && grant.Role != RoleUser {
		err = token.ErrInvalid
	}
	return grant, err
}

// extend exchanges a token for a long-lived one.
func (l Login) extend(r *http.Request) stage.Response {
	q := r.URL.Query()
	if _, err := stage.FormClient("client_id")(r, q); err != nil {
		return l.API.Error(1, 0, "Error validating client secret.")
	}
	grant, err := l.person(q.Get("fb_exchange_token"))
	if err != nil {
		return l.API.Error(codeToken, 0, invalidToken)
	}
	return stage.OK(longLived(l.API.Stage.TokensOf(string(l.API.Network), grant)))
}

// permissions lists every permission, granted or declined.
func (l Login) permissions(v visit) stage.Response {
	return stage.OK(stage.Object{"data": stage.Each(l.Scopes, func(scope string) map[string]string {
		status := "declined"
		if v.Has(scope) {
			status = "granted"
		}
		return map[string]string{"permission": scope, "status": status}
	})})
}

// withdraw ends the access of the application.
func (l Login) withdraw(v visit) stage.Response {
	if l.API.Stage.Revoke(string(l.API.Network), stage.AccessToken(v.Request, v.URL.Query())) != nil {
		return l.API.Words.Unavailable
	}
	return stage.OK(map[string]bool{"success": true})
}

// accounts lists the Pages that the person has directly, one on each page of the list: Meta may return fewer than requested.
func (l Login) accounts(v visit) stage.Response {
	return l.page(v, l.of(v, "", "MANAGE", "CREATE_CONTENT", "ANALYZE"), l.of(v, "-shop", "CREATE_CONTENT", "ANALYZE"),
		l.of(v, "-archive", "ANALYZE"))
}

func (l Login) businesses(v visit) stage.Response {
	return l.page(v, stage.Object{"id": "biz-" + v.Account, "name": v.Account + " Holding"})
}

// owned lists the Pages of a business.
func (l Login) owned(v visit) stage.Response { return l.inBusiness(v, l.of(v, "-group")) }

func (l Login) clients(v visit) stage.Response { return l.inBusiness(v) }

// inBusiness lists Pages of a business, if the person may list them.
func (l Login) inBusiness(v visit, pages ...stage.Object) stage.Response {
	switch {
	case v.PathValue("business") != "biz-"+v.Account:
		return l.API.NotFound()
	case strings.HasPrefix(v.Account, "employee"):
		return l.API.Error(10, 0, "(#10) Application does not have permission for this action")
	default:
		return l.page(v, pages...)
	}
}

// of describes a Page with its own token.
func (l Login) of(v visit, suffix string, tasks ...string) stage.Object {
	name, scopes := v.Account+suffix, []string{}
	for _, scope := range v.Scopes {
		if own := l.PageScope(scope); own != "" && !slices.Contains(scopes, own) {
			scopes = append(scopes, own)
		}
	}
	page := stage.Object{
		"id": name, "name": strings.ToUpper(name[:1]) + name[1:], "username": name,
		"picture": stage.Object{"data": stage.Object{"url": ""}},
	}
	if len(tasks) > 0 {
		page["tasks"] = tasks
	}
	network := string(l.API.Network)
	issued, err := l.API.Stage.Tokens.Issue(network, token.Consent{Account: name, Role: l.PageRole, App: v.App, Scopes: scopes})
	if err == nil {
		page["access_token"] = issued.Access(network)
	}
	if l.Instagram && suffix != "-group" {
		page["instagram_business_account"] = stage.Object{
			"id": name, "username": name, "name": page["name"], "profile_picture_url": "",
		}
	}
	return page
}

// page returns the element of a list after the cursor, with the requested fields.
func (l Login) page(v visit, elements ...stage.Object) stage.Response {
	at, err := strconv.Atoi("0" + v.URL.Query().Get("after"))
	if err != nil || at >= len(elements) {
		return stage.OK(stage.Object{"data": []any{}})
	}
	paging := stage.Object{"cursors": map[string]string{"before": strconv.Itoa(at), "after": strconv.Itoa(at + 1)}}
	if at+1 < len(elements) {
		paging["next"] = l.API.Stage.Base(v.Request) + v.URL.Path + "?after=" + strconv.Itoa(at+1)
	}
	fields := stage.Each(SplitFields("id,"+v.URL.Query().Get("fields")), FieldName)
	return stage.OK(stage.Object{"data": []any{stage.Pick(fields, elements[at])}, "paging": paging})
}

// Consents adds the dialog of Threads or of Instagram Login, the exchange of codes, that for a long-lived token, and the
// renewal of tokens, with the grant types of the latter two.
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
			a.Error(codeToken, 0, invalidToken).Write(w)
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
			"is_valid": false, "scopes": []string{}, "error": stage.Object{"code": codeToken, "message": invalidToken},
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
