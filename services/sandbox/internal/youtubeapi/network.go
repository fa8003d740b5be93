package youtubeapi

import (
	"net/http"
	"path/filepath"

	"socialpub.internal/services/sandbox/internal/googletoken"
	"socialpub.internal/services/sandbox/internal/partfile"
	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/services/sandbox/internal/token"
	"socialpub.internal/shared/domain/channel"
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
