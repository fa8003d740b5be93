package metaapi

import (
	"cmp"
	"errors"
	"net/http"

	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
)

// DebugToken reports what a Page's token of the network allows and until when, to a caller with any token of the
// application. Without one, it calls refuse.
func DebugToken(s *stage.Stage, network string, refuse http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		values := r.URL.Query()
		if values.Get("input_token") == "" || stage.AccessToken(r, values) == "" {
			refuse(w, r)
			return
		}
		grant, err := s.Tokens.Access(network, values.Get("input_token"))
		if errors.Is(err, token.ErrInvalid) {
			stage.JSON(w, http.StatusOK, map[string]any{"data": map[string]any{
				"is_valid": false, "scopes": []string{},
				"error": map[string]any{"code": codeToken, "message": "Invalid OAuth access token - Cannot parse access token"},
			}})
			return
		}
		granular := make([]map[string]any, len(grant.Scopes))
		for i, scope := range grant.Scopes {
			granular[i] = map[string]any{"scope": scope, "target_ids": []string{grant.Account}}
		}
		stage.JSON(w, http.StatusOK, map[string]any{"data": map[string]any{
			"app_id": cmp.Or(grant.App, "sandbox-client"), "type": "PAGE", "application": "Sandbox",
			"data_access_expires_at": grant.DataExpiresAt.Unix(), "expires_at": 0,
			"is_valid": err == nil || errors.Is(err, token.ErrData), "issued_at": grant.IssuedAt.Unix(),
			"profile_id": grant.Account, "scopes": grant.Scopes, "granular_scopes": granular, "user_id": grant.Account,
		}})
	}
}
