package fencepost

import "context"

// Channels are the operations of channels.
type Channels struct{ c *Client }

// List returns the channels that match, in one page.
func (r Channels) List(ctx context.Context, params ListChannelsParams, options ...CallOption) ([]Channel, error) {
	return value(call[[]Channel](ctx, r.c, opListChannels, nil, params.values(), nil, options))
}

// Get returns a channel.
func (r Channels) Get(ctx context.Context, id string, options ...CallOption) (*Channel, error) {
	return call[Channel](ctx, r.c, opGetChannel, []string{id}, nil, nil, options)
}

// GetSchedule returns the posting schedule of a channel and its next slots.
func (r Channels) GetSchedule(ctx context.Context, id string, options ...CallOption) (*ChannelSchedule, error) {
	return call[ChannelSchedule](ctx, r.c, opGetChannelSchedule, []string{id}, nil, nil, options)
}

// GetQuota returns how many posts the network still accepts.
func (r Channels) GetQuota(ctx context.Context, id string, options ...CallOption) (*Quota, error) {
	return call[Quota](ctx, r.c, opGetChannelQuota, []string{id}, nil, nil, options)
}

// ListPinterestBoards returns the boards of a Pinterest account.
func (r Channels) ListPinterestBoards(ctx context.Context, id string, options ...CallOption) ([]PinterestBoard, error) {
	return value(call[[]PinterestBoard](ctx, r.c, opListPinterestBoards, []string{id}, nil, nil, options))
}

// GetTikTokCreatorInfo returns what a TikTok account allows.
func (r Channels) GetTikTokCreatorInfo(ctx context.Context, id string, options ...CallOption) (*CreatorInfo, error) {
	return call[CreatorInfo](ctx, r.c, opGetTikTokCreatorInfo, []string{id}, nil, nil, options)
}
