package youtubeapi

import (
	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/shared/domain/channel"
)

// Network declares YouTube.
func Network() stage.Network {
	return stage.Network{
		ID:    channel.NetworkYouTube,
		Mount: stage.Stateless(register),
	}
}
