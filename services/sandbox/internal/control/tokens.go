package control

import (
	"errors"
	"net/http"
	"time"

	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
)

// consent is the request body of issueTokens.
type consent struct {
	Platform   string   `json:"platform"`
	Account    string   `json:"account"`
	Role       string   `json:"role"`
	App        string   `json:"app"`
	Scopes     []string `json:"scopes"`
	AgeSeconds int64    `json:"ageSeconds"`
}

// issueTokens issues tokens as a user's consent does: to an application, with scopes, and some time ago.
func (a *API) issueTokens(w http.ResponseWriter, r *http.Request) {
	var want consent
	if !decode(w, r, &want, "a consent") {
		return
	}
	var faults []field
	platform, ok := a.networkOf(want.Platform)
	if !ok || platform == "" {
		faults = append(faults, field{"/platform", "must be " + oneOf(a.stage.Networks)})
	}
	if want.AgeSeconds < 0 || want.AgeSeconds > int64(farthest/time.Second) {
		faults = append(faults, field{"/ageSeconds", "must not be negative or too long ago"})
	}
	if faults != nil {
		problem(w, r, http.StatusUnprocessableEntity, "The consent is invalid.", faults)
		return
	}
	grant, err := a.stage.Tokens.Issue(platform, token.Consent{
		Account: want.Account, Role: want.Role, App: want.App, Scopes: want.Scopes,
		Age: time.Duration(want.AgeSeconds) * time.Second,
	})
	switch {
	case errors.Is(err, token.ErrScope):
		problem(w, r, http.StatusUnprocessableEntity, "The consent is invalid.",
			[]field{{"/scopes", "must be scopes of the network"}})
	case errors.Is(err, token.ErrInvalid):
		problem(w, r, http.StatusUnprocessableEntity, "The consent is invalid.",
			[]field{{"/account", "must be an account of the network, with one of its roles"}})
	case err != nil:
		problem(w, r, http.StatusInternalServerError, "The tokens cannot be written.", nil)
	default:
		var refresh any
		if a.stage.Tokens.HasRefresh(platform, grant) {
			refresh = grant.Refresh()
		}
		stage.JSON(w, http.StatusCreated, map[string]any{
			"accessToken": grant.Access(platform), "refreshToken": refresh, "scopes": grant.Scopes, "app": grant.App,
			"role": grant.Role, "issuedAt": stamp(grant.IssuedAt), "expiresAt": stamp(grant.ExpiresAt),
			"refreshExpiresAt": stamp(grant.RefreshExpiresAt), "dataAccessExpiresAt": stamp(grant.DataExpiresAt),
		})
	}
}
