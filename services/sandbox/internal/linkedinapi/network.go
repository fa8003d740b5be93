package linkedinapi

import (
	"time"

	"socialpub.internal/services/sandbox/internal/ledger"
	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/shared/domain/channel"
)

// idBits are the bits of an id after its time.
const idBits = 22

// Network declares LinkedIn.
func Network() stage.Network {
	return stage.Network{
		ID: channel.NetworkLinkedIn,
		IDs: ledger.IDs{
			Prefix: func(string) string { return "urn:li:share:" },
			Floor:  func(now time.Time) int64 { return now.UnixMilli() << idBits }, // milliseconds since 1970
		},
		Tokens: policies(),
		Mount:  stage.Stateless(register),
	}
}
