package fencepost

import "context"

// Analytics are the figures of posts and channels. A figure that no network reports is nil.
type Analytics struct{ c *Client }

// GetPost returns the figures of a post, day by day.
func (r Analytics) GetPost(
	ctx context.Context, id string, params GetPostAnalyticsParams, options ...CallOption,
) (*PostAnalytics, error) {
	return call[PostAnalytics](ctx, r.c, opGetPostAnalytics, []string{id}, params.values(), nil, options)
}

// GetChannel returns the figures of a channel, day by day.
func (r Analytics) GetChannel(
	ctx context.Context, id string, params GetChannelAnalyticsParams, options ...CallOption,
) (*ChannelAnalytics, error) {
	return call[ChannelAnalytics](ctx, r.c, opGetChannelAnalytics, []string{id}, params.values(), nil, options)
}

// GetWorkspace returns the figures of all channels.
func (r Analytics) GetWorkspace(
	ctx context.Context, params GetWorkspaceAnalyticsParams, options ...CallOption,
) (*WorkspaceAnalytics, error) {
	return call[WorkspaceAnalytics](ctx, r.c, opGetWorkspaceAnalytics, nil, params.values(), nil, options)
}
