package developers

import (
	"net/http"
	"slices"
	"time"

	"fencepost.internal/services/console/internal/consent"
	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/ident"
)

// keyItem is a key in the list.
type keyItem struct {
	credential.Key

	State, Tone string
	Usable      bool
}

// choice is a permission in the form, ticked or not.
type choice struct {
	consent.Permission

	Checked bool
}

// keysPage is the data of the keys' page.
type keysPage struct {
	Keys    []keyItem
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
	return d.keysPage(v, http.StatusOK, keysPage{Expires: "1 year"}, credential.DefaultScopes())
}

func (d *developers) keysPage(v *frame.Visit, status int, page keysPage, scopes []credential.Scope) error {
	found, err := d.app.Keys(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	for _, key := range slices.Backward(found) {
		page.Keys = append(page.Keys, d.keyItem(key))
	}
	for _, permission := range consent.Describe(credential.Scopes()) {
		page.Choices = append(page.Choices, choice{permission, slices.Contains(scopes, permission.Scope)})
	}
	page.Lives = []string{"30 days", "90 days", "1 year", forever}
	return v.Page(frame.Page{
		Name: "developers/keys", Title: "API keys", Status: status, Tabs: tabs("API keys"), Data: page,
	})
}

func (d *developers) keyItem(key credential.Key) keyItem {
	item := keyItem{Key: key, State: "Active", Tone: "good", Usable: key.Valid(d.clock.Now())}
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
	page := keysPage{Name: v.Form("name"), Expires: v.Form("expires")}
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
	key, secret, err := d.app.CreateKey(v.Request.Context(), v.Principal, in)
	if faults, ok := frame.Faults(err); ok {
		page.Faults = faults
		return d.keysPage(v, http.StatusUnprocessableEntity, page, in.Scopes)
	}
	if err != nil {
		return err
	}
	return d.keysPage(v, http.StatusCreated, keysPage{
		Secret: secret, Created: key, Expires: "1 year",
		Sample: `curl -H "Authorization: Bearer ` + secret + `" ` + d.baseURL + "/v1/workspace",
	},
		credential.DefaultScopes())
}

func (d *developers) revokeKey(v *frame.Visit) error {
	id, err := frame.PathID(v, "key", ident.Parse[ident.Credential])
	if err != nil {
		return err
	}
	if err := d.app.RevokeKey(v.Request.Context(), v.Principal, id); err != nil {
		return err
	}
	return v.Done(v.Path("/developers/keys"), "Key revoked.")
}
