package pinterestapi

import (
	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/shared/domain/channel"
)

// Network declares Pinterest.
func Network() stage.Network {
	return stage.Network{
		ID:    channel.NetworkPinterest,
		Mount: stage.Stateless(register),
	}
}
