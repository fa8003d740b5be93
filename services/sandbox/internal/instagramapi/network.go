package instagramapi

import (
	"net/http"
	"path/filepath"
	"time"

	"fencepost.internal/services/sandbox/internal/metaapi"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
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

// loginScopes are the permissions of Facebook Login.
func loginScopes() []string {
	return []string{
		"instagram_basic", "instagram_content_publish", "instagram_manage_insights", "pages_show_list",
		"pages_read_engagement", "business_management",
	}
}

// pageScope returns the permission of Instagram Login that corresponds to one of Facebook Login; empty if there is none.
func pageScope(scope string) string {
	return map[string]string{
		"instagram_basic": scopeBasic, "instagram_content_publish": scopePublish, "instagram_manage_insights": scopeInsights,
	}[scope]
}

// Network declares Instagram.
func Network() stage.Network {
	return stage.Network{
		ID: channel.NetworkInstagram,
		Tokens: append(metaapi.LongLived(scopeBasic, scopePublish, scopeInsights), token.Policy{
			Role: rolePage, NoRefresh: true, DataAccess: dataAccess, Scopes: []string{scopeBasic, scopePublish, scopeInsights},
		}, metaapi.UserTokens(loginScopes()...)),
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
