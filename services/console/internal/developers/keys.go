package developers

import (
	"net/http"
	"slices"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/programs"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// keyItem is a key in the list.
type keyItem struct {
	credential.Key

	State, Tone string
	Usable      bool
	Test        bool
	Requests    string // path of its log of requests
}

// choice is a permission in the form, ticked or not.
type choice struct {
	programs.Permission

	Checked bool
}

// keysPage is the data of the keys' page.
type keysPage struct {
	Keys    []keyItem
	Test    string // path of the test workspace, from a live one; empty if there is none
	Mode    string // of the new key
	Secret  string // of the key that was created by this request
	Created credential.Key
	Name    string
	Expires string
	Choices []choice
	Lives   []string
	Faults  map[string]string
	Sample  string // a command that uses the new key
}

// lives are the lifetimes that the form offers, in days.
var lives = map[string]int{"30 days": 30, "90 days": 90, "1 year": 365}

const forever = "does not expire"

func (d *developers) keys(v *frame.Visit) error {
	return d.keysPage(v, http.StatusOK, keysPage{Expires: "1 year", Mode: string(v.Workspace.Mode())}, credential.DefaultScopes())
}

func (d *developers) keysPage(v *frame.Visit, status int, page keysPage, scopes []credential.Scope) error {
	found, err := d.app.Keys(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	test, tests, err := d.testKeys(v)
	if err != nil {
		return err
	}
	if page.Mode == "" {
		page.Mode = string(v.Workspace.Mode())
	}
	if page.Test = ""; !test.WorkspaceID.IsZero() {
		page.Test = "/w/" + test.WorkspaceID.String()
	}
	for _, key := range slices.Backward(append(found, tests...)) {
		item := d.keyItem(key)
		item.Requests = "/w/" + key.WorkspaceID.String() + "/developers/requests?credential=" + key.ID.String()
		page.Keys = append(page.Keys, item)
	}
	slices.SortStableFunc(page.Keys, func(a, b keyItem) int { return b.CreatedAt.Compare(a.CreatedAt) })
	for _, permission := range programs.Describe(credential.Scopes()) {
		page.Choices = append(page.Choices, choice{permission, slices.Contains(scopes, permission.Scope)})
	}
	page.Lives = []string{"30 days", "90 days", "1 year", forever}
	return v.Page(frame.Page{
		Name: "developers/keys", Title: "API keys", Status: status, Tabs: tabs("API keys"), Data: page,
	})
}

// testKeys returns the keys of the test workspace of a live one, with the visitor as its member; zero if there is none.
func (d *developers) testKeys(v *frame.Visit) (app.Principal, []credential.Key, error) {
	if v.Workspace.IsTest() {
		return app.Principal{}, nil, nil
	}
	test, err := d.app.TestPrincipal(v.Request.Context(), v.Principal, false)
	if apperr.Is(err, apperr.NotFound) {
		return app.Principal{}, nil, nil
	}
	if err != nil {
		return app.Principal{}, nil, err
	}
	keys, err := d.app.Keys(v.Request.Context(), test)
	return test, keys, err
}

func (d *developers) keyItem(key credential.Key) keyItem {
	item := keyItem{Key: key, State: "Active", Tone: "good", Usable: key.Valid(d.clock.Now()), Test: key.IsTest()}
	switch {
	case !key.RevokedAt.IsZero():
		item.State, item.Tone = "Revoked", ""
	case !item.Usable:
		item.State, item.Tone = "Expired", "warn"
	}
	return item
}

// createKey creates a key and shows its text once, in the response to the form.
func (d *developers) createKey(v *frame.Visit) error {
	page := keysPage{Name: v.Form("name"), Expires: v.Form("expires"), Mode: v.Form("mode")}
	in := app.NewKey{Name: page.Name}
	for _, scope := range v.Fields()["scope"] {
		in.Scopes = append(in.Scopes, credential.Scope(scope))
	}
	if days, ok := lives[page.Expires]; ok {
		in.ExpiresAt = d.clock.Now().UTC().Truncate(time.Millisecond).AddDate(0, 0, days)
	} else if page.Expires != forever {
		page.Faults = map[string]string{"expires": "Choose how long the key works."}
		return d.keysPage(v, http.StatusUnprocessableEntity, page, in.Scopes)
	}
	by := v.Principal
	if page.Mode == string(workspace.Test) {
		var err error
		if by, err = d.app.TestPrincipal(v.Request.Context(), by, true); err != nil {
			return err
		}
	}
	key, secret, err := d.app.CreateKey(v.Request.Context(), by, in)
	if faults, ok := frame.Faults(err); ok {
		page.Faults = faults
		return d.keysPage(v, http.StatusUnprocessableEntity, page, in.Scopes)
	}
	if err != nil {
		return err
	}
	return d.keysPage(v, http.StatusCreated, keysPage{
		Secret: secret, Created: key, Expires: "1 year", Mode: page.Mode,
		Sample: `curl -H "Authorization: Bearer ` + secret + `" ` + d.baseURL + "/v1/workspace",
	},
		credential.DefaultScopes())
}

func (d *developers) revokeKey(v *frame.Visit) error {
	id, err := frame.PathID(v, "key", ident.Parse[ident.Credential])
	if err != nil {
		return err
	}
	err = d.app.RevokeKey(v.Request.Context(), v.Principal, id)
	if apperr.Is(err, apperr.NotFound) {
		var test app.Principal
		if test, err = d.app.TestPrincipal(v.Request.Context(), v.Principal, false); err == nil {
			err = d.app.RevokeKey(v.Request.Context(), test, id)
		}
	}
	if err != nil {
		return err
	}
	return v.Done(v.Path("/developers/keys"), "Key revoked.")
}
