package pinterestapi

import (
	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/services/sandbox/internal/token"
	"socialpub.internal/shared/domain/channel"
)

// Network declares Pinterest.
func Network() stage.Network {
	return stage.Network{
		ID: channel.NetworkPinterest,
		Tokens: []token.Policy{{
			Access: accessLife, Refresh: refreshLife, Rotates: true,
			Scopes: []string{scopeBoards, "boards:write", scopePins, "pins:write", scopeAccount},
		}},
		Mount: stage.Stateless(register),
	}
}
