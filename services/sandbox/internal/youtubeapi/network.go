package youtubeapi

import (
	"net/http"
	"path/filepath"

	"fencepost.internal/services/sandbox/internal/googletoken"
	"fencepost.internal/services/sandbox/internal/partfile"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
)

// Network declares YouTube.
func Network() stage.Network {
	return stage.Network{
		ID: channel.NetworkYouTube,
		Tokens: []token.Policy{{
			Access: googletoken.Life, Scopes: []string{scopeRead, scopeAnalytics, scopeUpload, scopeWrite},
		}},
		Reviews: stage.ReviewEnds(),
		Mount:   mount,
	}
}

func mount(mux *http.ServeMux, s *stage.Stage, folder string) (stage.State, error) {
	files, err := partfile.Open[video](filepath.Join(folder, "youtube-videos"), s.Logger)
	if err != nil {
		return nil, err
	}
	register(mux, s, files)
	return files, nil
}
