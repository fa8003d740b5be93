package tiktokapi

import (
	"time"

	"fencepost.internal/services/sandbox/internal/token"
)

// roleBusiness is the role in the tokens of the business product, which has other applications.
const roleBusiness = "business"

// Scopes of the calls that the sandbox has.
const (
	scopeInfo     = "user.info.basic"
	scopeVideos   = "video.list"
	scopePublish  = "video.publish"
	scopeUpload   = "video.upload"
	scopeStats    = "user.info.stats"
	scopeInsights = "user.insights"
)

// policies returns the rules for tokens of the personal and of the business product.
func policies() []token.Policy {
	const day = 24 * time.Hour
	return []token.Policy{
		{
			Access: 2 * time.Hour, Refresh: 180 * day, Rotates: true,
			Scopes: []string{scopeInfo, "user.info.profile", scopeStats, scopeVideos, scopePublish, scopeUpload},
		},
		{
			Role: roleBusiness, Access: day, Refresh: 365 * day, Rotates: true,
			Scopes: []string{
				scopeInfo, "user.info.username", "user.info.profile", scopeStats, "user.account.type", scopeInsights, scopeVideos,
				"video.insights", scopePublish, scopeUpload,
			},
		},
	}
}
