package xapi

import (
	"net/http"
	"path/filepath"
	"time"

	"socialpub.internal/services/sandbox/internal/ledger"
	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/services/sandbox/internal/token"
	"socialpub.internal/shared/domain/channel"
)

// An id has the milliseconds since idEpoch, then idBits bits.
const (
	idEpoch = 1288834974657
	idBits  = 22
)

// Lifetimes of tokens. X does not publish that of the refresh token; it is about half a year.
const (
	accessLife  = 2 * time.Hour
	refreshLife = 182 * 24 * time.Hour
)

// Scopes of X.
const (
	scopeRead    = "tweet.read"
	scopeWrite   = "tweet.write"
	scopeUsers   = "users.read"
	scopeMedia   = "media.write"
	scopeOffline = "offline.access"
)

// Scopes that calls need together.
func readPosts() []string  { return []string{scopeRead, scopeUsers} }
func writePosts() []string { return []string{scopeRead, scopeWrite, scopeUsers} }
func writeMedia() []string { return []string{scopeMedia} }

// Network declares X.
func Network() stage.Network {
	return stage.Network{
		ID:  channel.NetworkX,
		IDs: ledger.IDs{Floor: func(now time.Time) int64 { return (now.UnixMilli() - idEpoch) << idBits }},
		Tokens: []token.Policy{{
			Access: accessLife, Refresh: refreshLife, Rotates: true, Revokes: true, RenewalScope: scopeOffline,
			Scopes: []string{scopeRead, scopeWrite, scopeUsers, scopeMedia, scopeOffline},
		}},
		Mount: mount,
	}
}

func mount(mux *http.ServeMux, s *stage.Stage, folder string) (stage.State, error) {
	uploads, err := OpenUploads(filepath.Join(folder, "x-uploads"), s.Clock, s.Logger)
	if err != nil {
		return nil, err
	}
	register(mux, s, uploads)
	return uploads, nil
}
