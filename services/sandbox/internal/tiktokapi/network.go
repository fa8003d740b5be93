package tiktokapi

import (
	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/shared/domain/channel"
)

// Network declares TikTok.
func Network() stage.Network {
	return stage.Network{
		ID:     channel.NetworkTikTok,
		Tokens: policies(),
		Mount:  stage.Stateless(register),
	}
}
