package instagramapi

import (
	"net/http"
	"path/filepath"

	"socialpub.internal/services/sandbox/internal/metaapi"
	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/shared/domain/channel"
)

// Network declares Instagram.
func Network() stage.Network {
	return stage.Network{
		ID:    channel.NetworkInstagram,
		Mount: mount,
	}
}

func mount(mux *http.ServeMux, s *stage.Stage, folder string) (stage.State, error) {
	containers, err := metaapi.OpenContainers(metaapi.ContainersConfig{
		Path: filepath.Join(folder, "instagram-containers.jsonl"), Prefix: Prefix, Clock: s.Clock, Logger: s.Logger,
	})
	if err != nil {
		return nil, err
	}
	register(mux, s, containers)
	return containers, nil
}
