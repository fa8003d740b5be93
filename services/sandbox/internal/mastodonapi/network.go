package mastodonapi

import (
	"net/http"
	"path/filepath"
	"time"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

// Scopes of Mastodon.
const (
	scopeProfile = "profile" // since 4.3
	scopeAccount = "read:accounts"
	scopeRead    = "read:statuses"
	scopeWrite   = "write:statuses"
	scopeMedia   = "write:media"
)

// idBits is the number of bits after the milliseconds in an id.
const idBits = 16

// Network declares Mastodon. Its tokens have no end.
func Network() stage.Network {
	return stage.Network{
		ID:     channel.NetworkMastodon,
		IDs:    ledger.IDs{Floor: func(now time.Time) int64 { return now.UnixMilli() << idBits }},
		Tokens: []token.Policy{{NoRefresh: true, Scopes: []string{scopeProfile, scopeAccount, scopeRead, scopeWrite, scopeMedia}}},
		Limits: []stage.Limit{
			{Calls: 300, Window: 5 * time.Minute},
			{Pattern: uploadCall, Calls: 30, Window: 30 * time.Minute},
		},
		Mount: mount,
	}
}

func mount(mux *http.ServeMux, s *stage.Stage, folder string) (stage.State, error) {
	kept, err := openKept(filepath.Join(folder, "mastodon.jsonl"), s.Clock, s.Logger)
	if err != nil {
		return nil, err
	}
	register(mux, s, kept)
	return kept, nil
}
