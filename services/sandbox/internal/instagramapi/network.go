package instagramapi

import (
	"net/http"
	"path/filepath"
	"time"

	"socialpub.internal/services/sandbox/internal/metaapi"
	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/services/sandbox/internal/token"
	"socialpub.internal/shared/domain/channel"
)

// Permissions of Instagram Login.
const (
	scopeBasic    = "instagram_business_basic"
	scopePublish  = "instagram_business_content_publish"
	scopeInsights = "instagram_business_manage_insights"
)

// dataAccess is the time after which a user of Facebook Login must log in again.
const dataAccess = 90 * 24 * time.Hour

// Permissions that calls need together.
func reading() []string    { return []string{scopeBasic} }
func publishing() []string { return []string{scopeBasic, scopePublish} }
func measuring() []string  { return []string{scopeBasic, scopeInsights} }

// Network declares Instagram.
func Network() stage.Network {
	return stage.Network{
		ID: channel.NetworkInstagram,
		Tokens: append(metaapi.LongLived(scopeBasic, scopePublish, scopeInsights), token.Policy{
			Role: rolePage, NoRefresh: true, DataAccess: dataAccess, Scopes: []string{scopeBasic, scopePublish, scopeInsights},
		}),
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
