package tiktokapi

import (
	"time"

	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/shared/domain/channel"
)

// Network declares TikTok.
func Network() stage.Network {
	return stage.Network{
		ID:     channel.NetworkTikTok,
		Tokens: policies(),
		Limits: []stage.Limit{
			{Pattern: "POST /tiktok/v2/post/publish/creator_info/query/{$}", Calls: 20, Window: time.Minute},
			{Pattern: "GET /tiktok/v2/user/info/{$}", Calls: 600, Window: time.Minute},
			{Pattern: "POST /tiktok/v2/video/query/{$}", Calls: 600, Window: time.Minute},
		},
		Mount: stage.Stateless(register),
	}
}
