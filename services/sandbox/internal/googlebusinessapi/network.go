package googlebusinessapi

import (
	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/shared/domain/channel"
)

// Network declares Google Business Profiles.
func Network() stage.Network {
	return stage.Network{
		ID:    channel.NetworkGoogleBusiness,
		Mount: stage.Stateless(register),
	}
}
