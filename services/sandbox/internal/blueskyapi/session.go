package blueskyapi

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"

	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

// appPassword is the form of an app password. The sandbox accepts every one.
var appPassword = regexp.MustCompile(`^[a-z0-9]{4}(-[a-z0-9]{4}){3}$`)

// login creates a session (com.atproto.server.createSession) for a handle and an app password.
func (a *API) login(w http.ResponseWriter, r *http.Request) {
	body, ok := stage.ReadBody(w, r)
	if !ok {
		return
	}
	var given struct {
		Identifier string `json:"identifier"`
		Password   string `json:"password"`
	}
	if json.Unmarshal(body, &given) != nil || given.Identifier == "" {
		refuse(w, http.StatusBadRequest, "InvalidRequest", "Input must have the property identifier")
		return
	}
	name, _ := strings.CutSuffix(strings.TrimPrefix(given.Identifier, plc), domain)
	if !appPassword.MatchString(given.Password) || strings.Contains(name, ".") {
		refuse(w, http.StatusUnauthorized, "AuthenticationRequired", "Invalid identifier or password")
		return
	}
	call := stage.Call{Network: channel.NetworkBluesky, Account: plc + name, Step: fault.StepToken}
	held, ok := a.stage.Enter(w, r, call, dialect{a})
	if !ok {
		return
	}
	made, err := a.stage.Tokens.Issue(network, token.Consent{Account: name})
	if err != nil {
		refuse(w, http.StatusUnauthorized, "AuthenticationRequired", "Invalid identifier or password")
		return
	}
	if held.Lost(w, r) {
		return
	}
	t := a.stage.TokensOf(network, made)
	stage.JSON(w, http.StatusOK, map[string]any{
		"did": plc + name, "handle": name + domain, "accessJwt": t.Access, "refreshJwt": t.Refresh, "active": true,
		"didDoc": document(name),
	})
}

// logout ends the session of a refresh token (com.atproto.server.deleteSession).
func (a *API) logout(w http.ResponseWriter, r *http.Request) {
	if _, ok := stage.ReadBody(w, r); !ok {
		return
	}
	if a.stage.Revoke(network, stage.Bearer(r)) != nil {
		refuse(w, http.StatusBadRequest, "InvalidToken", "Token could not be verified")
		return
	}
	w.WriteHeader(http.StatusOK)
}
