package facebookapi

import (
	"net/http"
	"path/filepath"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/metaapi"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

// Network declares Facebook.
func Network() stage.Network {
	return stage.Network{
		ID:      channel.NetworkFacebook,
		IDs:     ledger.IDs{Prefix: func(account string) string { return account + "_" }},
		Tokens:  []token.Policy{policy(), metaapi.UserTokens(loginScopes()...)},
		Reviews: append(stage.ReviewEnds(), stage.ReviewDraft),
		Mount:   mount,
	}
}

func mount(mux *http.ServeMux, s *stage.Stage, folder string) (stage.State, error) {
	o, err := openObjects(filepath.Join(folder, "facebook-objects"), s.Clock, s.Logger)
	if err != nil {
		return nil, err
	}
	register(mux, s, o)
	return o, nil
}
