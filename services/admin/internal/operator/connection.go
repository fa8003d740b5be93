package operator

import (
	"context"

	"socialpub.internal/shared/apperr"
	"socialpub.internal/shared/channel"
	"socialpub.internal/shared/event"
	"socialpub.internal/shared/ident"
)

// ConnectChannel connects a channel again, with fresh credentials when some are given, and returns it; false when it was
// connected already. A channel that NEEDS_RECONNECT is refused without fresh credentials: it would still not work.
func (o *Operator) ConnectChannel(ctx context.Context, workspace, id string, given Given) (c channel.Channel, changed bool, err error) {
	err = o.change(ctx, workspace, id, func(ctx context.Context, found channel.Channel) error {
		c, changed, err = o.connect(ctx, found, given)
		return err
	})
	return c, changed, err
}

func (o *Operator) connect(ctx context.Context, c channel.Channel, given Given) (channel.Channel, bool, error) {
	lost := c.TokenStatus == channel.TokenNeedsReconnect
	if given.IsZero() && lost {
		return c, false, apperr.New(apperr.InvalidState,
			"Channel %s lost its access (NEEDS_RECONNECT) and needs fresh credentials. Give them with --%s", c.ID, MemberAccessToken)
	}
	if !given.IsZero() {
		var f faults
		now := o.now()
		credentials := f.credentials(c.Type, given, now)
		if err := f.err(); err != nil {
			return c, false, err
		}
		c.TokenStatus = tokenStatus(c.Type, credentials, now)
		if err := o.channels.Replace(ctx, c, credentials); err != nil {
			return c, false, err
		}
	}
	switched, err := o.channels.SetConnected(ctx, c.WorkspaceID, c.ID, true)
	if c.IsConnected = true; err != nil || !switched && !lost {
		return c, false, err
	}
	return c, true, o.tell(ctx, c)
}

// DisconnectChannel ends publishing to a channel and keeps its posts and credentials; false when it was disconnected
// already.
func (o *Operator) DisconnectChannel(ctx context.Context, workspace, id string) (c channel.Channel, changed bool, err error) {
	err = o.change(ctx, workspace, id, func(ctx context.Context, found channel.Channel) error {
		c = found
		changed, err = o.channels.SetConnected(ctx, c.WorkspaceID, c.ID, false)
		if c.IsConnected = false; err != nil || !changed {
			return err
		}
		return o.tell(ctx, c)
	})
	return c, changed, err
}

// change runs fn with the channel, in one transaction. Changes of one channel come one after the other: what one of them tells
// of is not told by another.
func (o *Operator) change(ctx context.Context, workspace, id string, fn func(context.Context, channel.Channel) error) error {
	var f faults
	workspaceID, channelID := f.workspace(workspace), parseID[ident.Channel](&f, MemberChannelID, id, "admin channel list")
	if err := f.err(); err != nil {
		return err
	}
	if _, err := o.workspace(ctx, workspaceID); err != nil {
		return err
	}
	return o.db.WithinTx(ctx, func(ctx context.Context) error {
		found, err := o.channels.GetLocked(ctx, workspaceID, channelID)
		if apperr.Is(err, apperr.NotFound) {
			return apperr.New(apperr.NotFound, "Workspace %s has no channel %s. See: admin channel list --workspace %s",
				workspaceID, channelID, workspaceID)
		}
		if err != nil {
			return err
		}
		return fn(ctx, found)
	})
}

// tell writes channel.connected or channel.disconnected, whichever the channel is now.
func (o *Operator) tell(ctx context.Context, c channel.Channel) error {
	typ := event.ChannelDisconnected
	if c.IsConnected {
		typ = event.ChannelConnected
	}
	e, err := event.New(c.WorkspaceID, typ, o.now(), event.ChannelData{ChannelID: c.ID, Type: string(c.Type), Name: c.Name})
	if err != nil {
		return err
	}
	return o.events.Insert(ctx, e, ident.Webhook{})
}
