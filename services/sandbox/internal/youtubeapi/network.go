package youtubeapi

import (
	"socialpub.internal/services/sandbox/internal/googletoken"
	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/services/sandbox/internal/token"
	"socialpub.internal/shared/domain/channel"
)

// Network declares YouTube.
func Network() stage.Network {
	return stage.Network{
		ID:     channel.NetworkYouTube,
		Tokens: []token.Policy{{Access: googletoken.Life, Scopes: []string{scopeRead, scopeAnalytics}}},
		Mount:  stage.Stateless(register),
	}
}
