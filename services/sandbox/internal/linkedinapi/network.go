package linkedinapi

import (
	"net/http"
	"path/filepath"
	"time"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
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
		// LinkedIn does not publish its limits. Integrators report 150 posts a day for each member.
		Limits: []stage.Limit{{Pattern: "POST /linkedin/rest/posts", Calls: 150, Window: 24 * time.Hour}},
		Mount:  mount,
	}
}

func mount(mux *http.ServeMux, s *stage.Stage, folder string) (stage.State, error) {
	assets, err := OpenAssets(filepath.Join(folder, "linkedin-assets"), s.Clock, s.Logger)
	if err != nil {
		return nil, err
	}
	register(mux, s, assets)
	return assets, nil
}
