package operator

import (
	"context"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/apperr"
)

// CollectInsights requests an immediate collection of the figures of a channel and its posts, in addition to the daily
// one. A worker performs it. If a collection is running already, another one follows it.
func (o *Operator) CollectInsights(ctx context.Context, workspace, id string) (c channel.Channel, err error) {
	err = o.change(ctx, workspace, id, func(ctx context.Context, found channel.Channel) error {
		c = found
		switch {
		case !c.Type.Capabilities().Analytics:
			return apperr.New(apperr.InvalidState, "Channel %s is a %s; its network does not report figures.", c.ID, c.Type)
		case !c.IsConnected:
			return apperr.New(apperr.InvalidState, "Channel %s is disconnected. Connect it with: admin channel connect", c.ID)
		case c.TokenStatus == channel.TokenNeedsReconnect:
			return apperr.New(apperr.InvalidState,
				"Channel %s lost its access (NEEDS_RECONNECT). Replace its credentials with: admin channel connect", c.ID)
		}
		return o.insights.CollectNow(ctx, c.ID)
	})
	return c, err
}
