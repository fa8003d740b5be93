package blueskyapi

import (
	"errors"
	"net/http"
	"path/filepath"
	"time"

	"fencepost.internal/services/sandbox/internal/partfile"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

// Lifetimes of the tokens of the reference server.
const (
	accessLife  = 2 * time.Hour
	refreshLife = 90 * 24 * time.Hour
)

// ownLimits returns the limits of a repository: points for writes, of which a new record costs three.
func ownLimits() []stage.Limit {
	const create, hourly, daily = 3, 5000, 35_000
	return []stage.Limit{
		{Pattern: createRecord, Calls: hourly / create, Window: time.Hour},
		{Pattern: createRecord, Calls: daily / create, Window: 24 * time.Hour},
	}
}

// Network declares Bluesky. The reference server accepts a used refresh token for two more hours; the sandbox does not.
func Network() stage.Network {
	return stage.Network{
		ID:     channel.NetworkBluesky,
		Tokens: []token.Policy{{Access: accessLife, Refresh: refreshLife, Rotates: true}},
		Limits: ownLimits(),
		Mount:  mount,
	}
}

func mount(mux *http.ServeMux, s *stage.Stage, folder string) (stage.State, error) {
	blobs, err := openBlobs(filepath.Join(folder, "bluesky-blobs.jsonl"), s.Clock, s.Logger)
	if err != nil {
		return nil, err
	}
	transfers, err := partfile.Open[transfer](filepath.Join(folder, "bluesky-uploads"), s.Logger)
	if err != nil {
		return nil, errors.Join(err, blobs.Close())
	}
	stored := files{blobs: blobs, transfers: transfers}
	register(mux, s, stored)
	return stored, nil
}
