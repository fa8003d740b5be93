package facebookapi

import (
	"socialpub.internal/services/sandbox/internal/ledger"
	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/services/sandbox/internal/token"
	"socialpub.internal/shared/domain/channel"
)

// Network declares Facebook.
func Network() stage.Network {
	return stage.Network{
		ID:     channel.NetworkFacebook,
		IDs:    ledger.IDs{Prefix: func(account string) string { return account + "_" }},
		Tokens: []token.Policy{policy()},
		Mount:  stage.Stateless(register),
	}
}
