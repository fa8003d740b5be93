package xapi

import (
	"net/http"
	"path/filepath"
	"time"

	"socialpub.internal/services/sandbox/internal/ledger"
	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/shared/domain/channel"
)

// An id has the milliseconds since idEpoch, then idBits bits.
const (
	idEpoch = 1288834974657
	idBits  = 22
)

// Network declares X.
func Network() stage.Network {
	return stage.Network{
		ID:    channel.NetworkX,
		IDs:   ledger.IDs{Floor: func(now time.Time) int64 { return (now.UnixMilli() - idEpoch) << idBits }},
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
