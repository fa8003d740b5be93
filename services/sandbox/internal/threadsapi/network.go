package threadsapi

import (
	"net/http"
	"path/filepath"

	"fencepost.internal/services/sandbox/internal/metaapi"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
)

// Permissions of Threads.
const (
	scopeBasic    = "threads_basic"
	scopePublish  = "threads_content_publish"
	scopeInsights = "threads_manage_insights"
	scopeDelete   = "threads_delete"
)

// Permissions that calls need together.
func reading() []string    { return []string{scopeBasic} }
func publishing() []string { return []string{scopeBasic, scopePublish} }
func measuring() []string  { return []string{scopeBasic, scopeInsights} }
func deleting() []string   { return []string{scopeBasic, scopeDelete} }

// Network declares Threads.
func Network() stage.Network {
	return stage.Network{
		ID:     channel.NetworkThreads,
		Tokens: metaapi.LongLived(scopeBasic, scopePublish, scopeInsights, scopeDelete),
		Mount:  mount,
	}
}

func mount(mux *http.ServeMux, s *stage.Stage, folder string) (stage.State, error) {
	containers, err := metaapi.OpenContainers(metaapi.ContainersConfig{
		Path: filepath.Join(folder, "containers.jsonl"), Prefix: Prefix, Clock: s.Clock, Logger: s.Logger,
	})
	if err != nil {
		return nil, err
	}
	register(mux, s, containers)
	return containers, nil
}
