package xapi

import (
	"net/http"
	"path/filepath"
	"time"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
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

// ownLimits returns X's rate limits: those of a user for each call, and those of the application for posts.
func ownLimits() []stage.Limit {
	limits := []stage.Limit{{
		Pattern: "POST /x/2/tweets", Calls: 10_000, Window: 24 * time.Hour, Shared: true,
	}}
	for pattern, calls := range map[string]int{
		"POST /x/2/tweets": 100, "DELETE /x/2/tweets/{id}": 50, "GET /x/2/tweets": 900, "GET /x/2/tweets/{id}": 900,
		"GET /x/2/users/{id}/tweets": 900, "GET /x/2/users/me": 75, "GET /x/2/media/upload": 1000,
		"POST /x/2/media/upload/initialize": 1875, "POST /x/2/media/upload/{id}/append": 1875,
		"POST /x/2/media/upload/{id}/finalize": 1875,
	} {
		limits = append(limits, stage.Limit{Pattern: pattern, Calls: calls, Window: window})
	}
	return limits
}

// Network declares X.
func Network() stage.Network {
	return stage.Network{
		ID:  channel.NetworkX,
		IDs: ledger.IDs{Floor: func(now time.Time) int64 { return (now.UnixMilli() - idEpoch) << idBits }},
		Tokens: []token.Policy{{
			Access: accessLife, Refresh: refreshLife, Rotates: true, Revokes: true, RenewalScope: scopeOffline,
			Scopes: []string{scopeRead, scopeWrite, scopeUsers, scopeMedia, scopeOffline},
		}},
		Limits: ownLimits(),
		Mount:  mount,
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
