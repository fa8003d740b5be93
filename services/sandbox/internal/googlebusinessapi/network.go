package googlebusinessapi

import (
	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/services/sandbox/internal/token"
	"socialpub.internal/shared/domain/channel"
)

// Network declares Google Business Profiles.
func Network() stage.Network {
	return stage.Network{
		ID:     channel.NetworkGoogleBusiness,
		Tokens: []token.Policy{{Access: tokenLife, Scopes: []string{scopeManage}}},
		Mount:  stage.Stateless(register),
	}
}
