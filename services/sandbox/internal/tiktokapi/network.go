package tiktokapi

import (
	"net/http"
	"path/filepath"
	"time"

	"fencepost.internal/services/sandbox/internal/partfile"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
)

// Network declares TikTok.
func Network() stage.Network {
	return stage.Network{
		ID:      channel.NetworkTikTok,
		Tokens:  policies(),
		Reviews: stage.ReviewEnds(),
		Limits: append(businessLimits(), []stage.Limit{
			{Pattern: "POST /tiktok/v2/post/publish/creator_info/query/{$}", Calls: 20, Window: time.Minute},
			{Pattern: "POST /tiktok/v2/post/publish/video/init/{$}", Calls: 6, Window: time.Minute},
			{Pattern: "POST /tiktok/v2/post/publish/inbox/video/init/{$}", Calls: 6, Window: time.Minute},
			{Pattern: "POST /tiktok/v2/post/publish/content/init/{$}", Calls: 6, Window: time.Minute},
			{Pattern: "POST /tiktok/v2/post/publish/status/fetch/{$}", Calls: 30, Window: time.Minute},
			{Pattern: "POST /tiktok/v2/video/list/{$}", Calls: 600, Window: time.Minute},
			{Pattern: "GET /tiktok/v2/user/info/{$}", Calls: 600, Window: time.Minute},
			{Pattern: "POST /tiktok/v2/video/query/{$}", Calls: 600, Window: time.Minute},
		}...),
		Mount: mount,
	}
}

func mount(mux *http.ServeMux, s *stage.Stage, folder string) (stage.State, error) {
	posts, err := partfile.Open[making](filepath.Join(folder, "tiktok-posts"), s.Logger)
	if err != nil {
		return nil, err
	}
	register(mux, s, posts)
	return posts, nil
}

// businessLimits returns the limits of the business product: the same for each call and account.
func businessLimits() []stage.Limit {
	const calls = 40
	patterns := []string{
		businessSettings, businessProfile, businessVideos, businessVideoPublish, businessPhotoPublish, businessStatus,
	}
	limits := make([]stage.Limit, 0, len(patterns))
	for _, pattern := range patterns {
		limits = append(limits, stage.Limit{Pattern: pattern, Calls: calls, Window: time.Minute})
	}
	return limits
}
