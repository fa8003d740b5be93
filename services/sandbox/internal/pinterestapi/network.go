package pinterestapi

import (
	"net/http"
	"path/filepath"
	"time"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

// Network declares Pinterest.
func Network() stage.Network {
	return stage.Network{
		ID: channel.NetworkPinterest,
		Tokens: []token.Policy{{
			Access: accessLife, Refresh: refreshLife, Rotates: true,
			Scopes: []string{scopeBoards, scopeWriteBoards, scopePins, scopeWritePins, scopeAccount},
		}},
		Limits: []stage.Limit{{Calls: 100, Window: time.Second}},
		IDs:    ledger.IDs{Floor: func(now time.Time) int64 { return now.UnixMilli() << idBits }},
		Mount:  mount,
	}
}

// idBits are the bits of a pin's id after its time.
const idBits = 18

func mount(mux *http.ServeMux, s *stage.Stage, folder string) (stage.State, error) {
	videos, err := OpenVideos(filepath.Join(folder, "pinterest-videos"), s.Clock, s.Logger)
	if err != nil {
		return nil, err
	}
	mountCalls(mux, s, videos)
	return videos, nil
}
