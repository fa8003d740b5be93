package testnet

import (
	"context"
	"hash/crc32"
	"time"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/platform"
)

// followers is the number of followers of every test account.
const followers = 1000

// AccountInsights returns figures of today: the network reports only current ones.
func (p publisher) AccountInsights(
	_ context.Context, _ platform.Account, since, until analytics.Date,
) ([]analytics.ChannelDay, error) {
	today := analytics.DateOf(p.Clock.Now().UTC())
	if !today.Within(since, until) {
		return nil, nil
	}
	return []analytics.ChannelDay{{
		Date: today, ChannelFigures: analytics.ChannelFigures{Followers: new(int64(followers))},
	}}, nil
}

// PostInsights returns invented figures that depend only on the post and its age.
func (p publisher) PostInsights(
	ctx context.Context, _ platform.Account, posts []string,
) (map[string]analytics.PostFigures, error) {
	figures := make(map[string]analytics.PostFigures, len(posts))
	for _, id := range posts {
		found, err := p.Memory.Post(ctx, id)
		if err != nil || found.AcceptedAt.IsZero() {
			continue
		}
		days := int64(p.age(found)/(24*time.Hour)) + 1
		likes := int64(crc32.ChecksumIEEE([]byte(id))%90+10) * days //nolint:mnd // 10 to 99 a day
		figures[id] = analytics.PostFigures{
			Impressions: new(20 * likes), Likes: &likes, Comments: new(likes / 5), Shares: new(likes / 10), //nolint:mnd // plausible
		}
	}
	return figures, nil
}
