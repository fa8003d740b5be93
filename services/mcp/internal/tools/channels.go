package tools

import (
	"context"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/apperr"
)

// AllChannels is the empty input of list_channels.
type AllChannels struct{}

// Check implements apiforms.Body.
func (AllChannels) Check() []apperr.Field { return nil }

// Channels is the output of list_channels.
type Channels struct {
	Data []apiforms.Channel `json:"data" doc:"The channels of the workspace, oldest first."`
}

func (r *registrar) channels() {
	add(r, declaration{
		name: "list_channels", title: "List channels", scopes: []credential.Scope{credential.ChannelsRead}, readOnly: true,
		idempotent: true,
		description: "Lists the workspace's channels: the social accounts that posts are published to. Pass `id` as " +
			"channelIds of create_post and channelId of other tools. `capabilities.publish` reports whether posts can be " +
			"created for the channel, `isConnected` and `tokenStatus` whether they can be published now: if `isConnected` is " +
			"false or `tokenStatus` is NEEDS_RECONNECT, a person must reconnect the channel in the application, under Channels.",
	}, r.tools.listChannels)
}

func (t *Tools) listChannels(ctx context.Context, c call, _ AllChannels) (Channels, error) {
	found, err := t.cfg.App.Channels(ctx, c.principal)
	if err != nil {
		return Channels{}, err
	}
	return Channels{Data: apiforms.ToAPIChannels(found)}, nil
}
