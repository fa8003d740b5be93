package metaapi

import (
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

// RoleUser is the role in the tokens of a person who uses Facebook Login.
const RoleUser = "user"

const codeLife = 10 * time.Minute

// UserTokens returns the rules for tokens of persons.
func UserTokens(scopes ...string) token.Policy {
	const life = 60 * 24 * time.Hour
	return token.Policy{Role: RoleUser, Access: life, NoRefresh: true, Scopes: scopes}
}

// Login simulates Facebook Login: the dialog, the exchange of codes, and the lists of a person's Pages. The person of a
// name has three Pages: one of the same name, NAME-shop, NAME-archive without the right to publish, and NAME-group only
// through the business NAME Holding. A person whose name begins with "employee" may not list the Pages of the business.
type Login struct {
	Stage   *stage.Stage
	Network channel.Network
	Prefix  string // of the paths
	Scopes  []string
	// PageRole is the role in the tokens of Pages, and PageScope returns their scope for one of the person.
	PageRole  string
	PageScope func(scope string) string
	// Instagram adds the Instagram accounts that are linked to the Pages: to each but those of a business.
	Instagram bool
	// Error writes Meta's error shape.
	Error   func(w http.ResponseWriter, status, code, subcode int, message string)
	Dialect stage.Dialect
}

var loginVersion = regexp.MustCompile(`^v[1-9][0-9]{0,2}\.[0-9]$`)

// Mount adds the calls.
func (l Login) Mount(mux *http.ServeMux) {
	at := l.Prefix + "/{version}"
	l.Stage.Authorize(mux, stage.Dialog{
		Network: l.Network, Path: at + "/dialog/oauth", Separator: ",", Life: codeLife, Suffix: "#_=_",
		Role: stage.AnyScope(RoleUser, l.Scopes...), Picks: "the Pages",
	})
	mux.HandleFunc("GET "+at+"/oauth/access_token", l.exchange)
	mux.HandleFunc("GET "+at+"/me/permissions", l.listing("", NewNode("Permission", "permission", "status"), l.permissions))
	mux.HandleFunc("DELETE "+at+"/me/permissions", l.as("", l.withdraw))
	mux.HandleFunc("GET "+at+"/me/accounts", l.listing("pages_show_list", accountsNode(), l.accounts))
	mux.HandleFunc("GET "+at+"/me/businesses", l.listing("business_management", businessNode(), l.businesses))
	mux.HandleFunc("GET "+at+"/{business}/owned_pages", l.listing("business_management", businessPagesNode(), l.owned))
	mux.HandleFunc("GET "+at+"/{business}/client_pages", l.listing("business_management", businessPagesNode(), l.clients))
}

// as authenticates a person and checks a permission.
func (l Login) as(scope string, next func(http.ResponseWriter, *http.Request, token.Grant)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		grant, err := l.Stage.Tokens.Access(string(l.Network), stage.AccessToken(r, r.URL.Query()))
		switch {
		case !loginVersion.MatchString(r.PathValue("version")):
			l.Error(w, http.StatusBadRequest, 2500, 0, "Unknown path components")
		case err != nil || grant.Role != RoleUser:
			l.Error(w, http.StatusBadRequest, codeToken, 0, "Invalid OAuth access token - Cannot parse access token")
		case scope != "" && !grant.Has(scope):
			l.Error(w, http.StatusBadRequest, 200, 0, "(#200) Requires "+scope+" permission to manage the object")
		default:
			next(w, r, grant)
		}
	}
}

// listing is as for a call that returns objects of the type.
func (l Login) listing(
	scope string, of *Node, next func(http.ResponseWriter, *http.Request, token.Grant),
) http.HandlerFunc {
	return l.as(scope, func(w http.ResponseWriter, r *http.Request, grant token.Grant) {
		if !of.Refuses(w, r.URL.Query(), l.Error) {
			next(w, r, grant)
		}
	})
}

// exchange exchanges a code, or a token for a long-lived one.
func (l Login) exchange(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("client_id") == "" || q.Get("client_secret") == "" || q.Get("client_secret") == stage.WrongSecret {
		l.Error(w, http.StatusBadRequest, 1, 0, "Error validating client secret.")
		return
	}
	answer := func(t stage.Tokens) {
		stage.JSON(w, http.StatusOK, map[string]any{
			"access_token": t.Access, "token_type": "bearer", "expires_in": t.ExpiresIn,
		})
	}
	if q.Get("grant_type") == "fb_exchange_token" {
		grant, err := l.Stage.Tokens.Access(string(l.Network), q.Get("fb_exchange_token"))
		if err != nil || grant.Role != RoleUser {
			l.Error(w, http.StatusBadRequest, codeToken, 0, "Invalid OAuth access token - Cannot parse access token")
			return
		}
		answer(l.Stage.TokensOf(string(l.Network), grant))
		return
	}
	l.Stage.Exchange(w, r, stage.Exchange{
		Network: l.Network, Code: q.Get("code"), App: q.Get("client_id"), Redirect: q.Get("redirect_uri"), Dialect: l.Dialect,
		Refused: func(w http.ResponseWriter, reason error) {
			message := "This authorization code has expired."
			if !errors.Is(reason, stage.ErrCode) {
				message = "Error validating verification code. Please make sure your redirect_uri is identical to the one you used " +
					"in the OAuth dialog request"
			}
			l.Error(w, http.StatusBadRequest, 100, 36007, message)
		},
	}, answer)
}

// permissions lists every permission, granted or declined.
func (l Login) permissions(w http.ResponseWriter, _ *http.Request, grant token.Grant) {
	data := make([]map[string]string, len(l.Scopes))
	for i, scope := range l.Scopes {
		status := "declined"
		if grant.Has(scope) {
			status = "granted"
		}
		data[i] = map[string]string{"permission": scope, "status": status}
	}
	stage.JSON(w, http.StatusOK, map[string]any{"data": data})
}

// withdraw ends the access of the application.
func (l Login) withdraw(w http.ResponseWriter, r *http.Request, _ token.Grant) {
	if err := l.Stage.Revoke(string(l.Network), stage.AccessToken(r, r.URL.Query())); err != nil {
		l.Dialect.Unavailable(w)
		return
	}
	stage.JSON(w, http.StatusOK, map[string]bool{"success": true})
}

// accounts lists the Pages that the person has directly, one on each page of the list: Meta may return fewer than asked.
func (l Login) accounts(w http.ResponseWriter, r *http.Request, grant token.Grant) {
	l.page(w, r, []map[string]any{
		l.of(grant, "", "MANAGE", "CREATE_CONTENT", "ANALYZE"), l.of(grant, "-shop", "CREATE_CONTENT", "ANALYZE"),
		l.of(grant, "-archive", "ANALYZE"),
	})
}

func (l Login) businesses(w http.ResponseWriter, r *http.Request, grant token.Grant) {
	l.page(w, r, []map[string]any{{"id": "biz-" + grant.Account, "name": grant.Account + " Holding"}})
}

// owned lists the Pages of a business.
func (l Login) owned(w http.ResponseWriter, r *http.Request, grant token.Grant) {
	if l.inBusiness(w, r, grant) {
		l.page(w, r, []map[string]any{l.of(grant, "-group")})
	}
}

func (l Login) clients(w http.ResponseWriter, r *http.Request, grant token.Grant) {
	if l.inBusiness(w, r, grant) {
		l.page(w, nil, nil)
	}
}

// inBusiness reports whether the person may list the Pages of the business. If not, it writes an error response.
func (l Login) inBusiness(w http.ResponseWriter, r *http.Request, grant token.Grant) bool {
	switch {
	case r.PathValue("business") != "biz-"+grant.Account:
		l.Error(w, http.StatusBadRequest, 100, 33, "Unsupported request. Object does not exist")
	case strings.HasPrefix(grant.Account, "employee"):
		l.Error(w, http.StatusBadRequest, 10, 0, "(#10) Application does not have permission for this action")
	default:
		return true
	}
	return false
}

// of describes a Page with its own token.
func (l Login) of(grant token.Grant, suffix string, tasks ...string) map[string]any {
	name := grant.Account + suffix
	var scopes []string
	for _, scope := range grant.Scopes {
		if own := l.PageScope(scope); own != "" && !slices.Contains(scopes, own) {
			scopes = append(scopes, own)
		}
	}
	page := map[string]any{
		"id": name, "name": strings.ToUpper(name[:1]) + name[1:], "username": name,
		"picture": map[string]any{"data": map[string]any{"url": ""}},
	}
	if len(tasks) > 0 {
		page["tasks"] = tasks
	}
	made, err := l.Stage.Tokens.Issue(string(l.Network), token.Consent{
		Account: name, Role: l.PageRole, App: grant.App, Scopes: append([]string{}, scopes...),
	})
	if err == nil {
		page["access_token"] = made.Access(string(l.Network))
	}
	if l.Instagram && suffix != "-group" {
		page["instagram_business_account"] = map[string]any{
			"id": name, "username": name, "name": page["name"], "profile_picture_url": "",
		}
	}
	return page
}

// page writes one element of a list after the cursor, with the requested fields. A nil request is an empty list.
func (l Login) page(w http.ResponseWriter, r *http.Request, elements []map[string]any) {
	if r == nil {
		stage.JSON(w, http.StatusOK, map[string]any{"data": []any{}})
		return
	}
	at, err := strconv.Atoi("0" + r.URL.Query().Get("after"))
	if err != nil || at >= len(elements) {
		stage.JSON(w, http.StatusOK, map[string]any{"data": []any{}})
		return
	}
	paging := map[string]any{"cursors": map[string]string{"before": strconv.Itoa(at), "after": strconv.Itoa(at + 1)}}
	if at+1 < len(elements) {
		paging["next"] = l.Stage.Base(r) + r.URL.Path + "?after=" + strconv.Itoa(at+1)
	}
	shown := map[string]any{"id": elements[at]["id"]}
	for _, field := range SplitFields(r.URL.Query().Get("fields")) {
		if value, ok := elements[at][FieldName(field)]; ok {
			shown[FieldName(field)] = value
		}
	}
	stage.JSON(w, http.StatusOK, map[string]any{"data": []any{shown}, "paging": paging})
}

// Consents adds the dialog of Threads or of Instagram Login, and the exchanges of codes and of tokens. The grant is that
// of the exchange for a long-lived token.
func (d Door) Consents(mux *http.ServeMux, prefix, grant string, scopes ...string) {
	d.Stage.Authorize(mux, stage.Dialog{
		Network: d.Network, Path: prefix + "/oauth/authorize", Separator: ",", Life: time.Hour, Suffix: "#_",
		Role: stage.AnyScope(d.Role, scopes...),
	})
	mux.HandleFunc("POST "+prefix+"/oauth/access_token", func(w http.ResponseWriter, r *http.Request) {
		form, err := stage.ReadTokenForm(w, r)
		if err != nil || form.Get("grant_type") != "authorization_code" {
			d.codeRefused(w, "Invalid platform app")
			return
		}
		if form.Get("client_id") == "" || form.Get("client_secret") == "" || form.Get("client_secret") == stage.WrongSecret {
			d.codeRefused(w, "Error validating client secret.")
			return
		}
		d.Stage.Exchange(w, r, stage.Exchange{
			Network: d.Network, Code: form.Get("code"), App: form.Get("client_id"), Redirect: form.Get("redirect_uri"), Dialect: d,
			Refused: func(w http.ResponseWriter, _ error) { d.codeRefused(w, "Invalid authorization code") },
		}, func(t stage.Tokens) {
			stage.JSON(w, http.StatusOK, map[string]any{
				"access_token": t.Access, "user_id": t.Account, "permissions": strings.Join(t.Scopes, ","),
			})
		})
	})
	mux.HandleFunc("GET "+prefix+"/access_token", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		held, err := d.Stage.Tokens.Access(string(d.Network), q.Get("access_token"))
		if err != nil || q.Get("grant_type") != grant || q.Get("client_secret") == "" {
			d.refused(w, held, token.ErrInvalid)
			return
		}
		t := d.Stage.TokensOf(string(d.Network), held)
		stage.JSON(w, http.StatusOK, map[string]any{
			"access_token": t.Access, "token_type": "bearer", "expires_in": t.ExpiresIn,
		})
	})
}

// codeRefused writes the response of the two networks to a code, which has another form than their other errors.
func (Door) codeRefused(w http.ResponseWriter, message string) {
	stage.JSON(w, http.StatusBadRequest, map[string]any{
		"error_type": "OAuthException", "code": http.StatusBadRequest, "error_message": message,
	})
}
