package operator

import (
	"context"
	"errors"

	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// Reconnection names a channel to connect again and its credentials. Without new credentials, the channel keeps the
// stored ones.
type Reconnection struct {
	Workspace string
	Channel   string
	Given     Given
	SkipCheck bool // do not check the credentials with the network
}

// ConnectChannel connects a channel again after its network has accepted the credentials, and returns it. changed is
// false if the channel was connected already. It refuses a channel that NEEDS_RECONNECT without new credentials,
// because the stored ones do not work.
func (o *Operator) ConnectChannel(ctx context.Context, in Reconnection) (c channel.Channel, changed bool, err error) {
	if !in.SkipCheck {
		if err := o.verifyReconnection(ctx, in); err != nil {
			return channel.Channel{}, false, err
		}
	}
	err = o.change(ctx, in.Workspace, in.Channel, func(ctx context.Context, found channel.Channel) error {
		c, changed, err = o.connect(ctx, found, in.Given)
		return err
	})
	return c, changed, err
}

// verifyReconnection calls the network before the transaction, which must not wait for a network.
func (o *Operator) verifyReconnection(ctx context.Context, in Reconnection) error {
	var found channel.Channel
	err := o.change(ctx, in.Workspace, in.Channel, func(_ context.Context, c channel.Channel) error {
		found = c
		return nil
	})
	if err != nil {
		return err
	}
	if in.Given.IsZero() {
		return o.verifyKept(ctx, found)
	}
	var f faults
	credentials := f.credentials(found.Type, in.Given, o.now())
	if err := f.err(); err != nil {
		return err
	}
	stored, _, err := o.channels.Credentials(ctx, found.ID)
	if err != nil {
		return err
	}
	return o.verify(ctx, found, stored.Replaced(credentials, o.now()))
}

// verifyKept checks the stored credentials of a disconnected channel. It allows an expired access token that can be
// renewed.
func (o *Operator) verifyKept(ctx context.Context, c channel.Channel) error {
	if c.IsConnected || c.TokenStatus == channel.TokenNeedsReconnect {
		return nil
	}
	credentials, _, err := o.channels.Credentials(ctx, c.ID)
	if err != nil {
		return err
	}
	err = o.verify(ctx, c, credentials)
	if failure, ok := errors.AsType[*platform.Failure](err); ok && failure.Class == platform.ClassRefresh &&
		credentials.RefreshToken != "" {
		return nil
	}
	return err
}

func (o *Operator) connect(ctx context.Context, c channel.Channel, given Given) (channel.Channel, bool, error) {
	status := c.TokenStatus
	lost := status == channel.TokenNeedsReconnect
	if given.IsZero() && lost {
		return c, false, apperr.New(apperr.InvalidState,
			"Channel %s lost its access (NEEDS_RECONNECT) and needs new credentials. Give them with --%s", c.ID,
			MemberAccessToken)
	}
	if !given.IsZero() {
		var f faults
		now := o.now()
		credentials := f.credentials(c.Type, given, now)
		if err := f.err(); err != nil {
			return c, false, err
		}
		stored, _, err := o.channels.Credentials(ctx, c.ID)
		if err != nil {
			return c, false, err
		}
		credentials = stored.Replaced(credentials, now)
		c.TokenStatus = o.tokenStatus(c.Type, credentials, now)
		if err := o.channels.Replace(ctx, c, credentials); err != nil {
			return c, false, err
		}
	}
	switched, err := o.channels.SetConnected(ctx, c.WorkspaceID, c.ID, true)
	if c.IsConnected = true; err != nil {
		return c, false, err
	}
	changed := switched || lost
	if changed {
		err = o.emit(ctx, c)
	}
	if err == nil {
		err = o.channels.Announce(ctx, c.ID, status)
	}
	return c, changed, err
}

// DisconnectChannel stops publishing to a channel and keeps its posts and credentials. changed is false if the channel
// was disconnected already.
func (o *Operator) DisconnectChannel(
	ctx context.Context, workspace, id string,
) (c channel.Channel, changed bool, err error) {
	err = o.change(ctx, workspace, id, func(ctx context.Context, found channel.Channel) error {
		c = found
		changed, err = o.channels.SetConnected(ctx, c.WorkspaceID, c.ID, false)
		if c.IsConnected = false; err != nil || !changed {
			return err
		}
		return o.emit(ctx, c)
	})
	return c, changed, err
}

// longestTimeline is the maximum number of entries that Timeline returns.
const longestTimeline = 200

// Timeline returns the latest entries of a channel's timeline, oldest first: connections, renewals of its credentials
// and their refusals.
func (o *Operator) Timeline(ctx context.Context, workspace, id string) ([]channel.Note, error) {
	var notes []channel.Note
	err := o.change(ctx, workspace, id, func(ctx context.Context, c channel.Channel) (err error) {
		notes, err = o.channels.Timeline(ctx, c.ID, longestTimeline)
		return err
	})
	return notes, err
}

// change runs fn with the channel in one transaction. Changes of one channel are serialized, so that each change
// produces exactly one event.
func (o *Operator) change(
	ctx context.Context, workspace, id string, fn func(context.Context, channel.Channel) error,
) error {
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

// emit writes channel.connected or channel.disconnected, according to the channel's state, and the entries in its
// timeline and in the audit log.
func (o *Operator) emit(ctx context.Context, c channel.Channel) error {
	typ, kind, action := event.ChannelDisconnected, channel.NoteDisconnected, audit.ChannelDisconnected
	if c.IsConnected {
		typ, kind, action = event.ChannelConnected, channel.NoteConnected, audit.ChannelConnected
	}
	if err := o.records.Record(ctx, client(c.WorkspaceID), action, c.Name, ""); err != nil {
		return err
	}
	if err := o.channels.Note(ctx, c.ID, channel.Note{At: o.now(), Kind: kind, Detail: "By the operator."}); err != nil {
		return err
	}
	e, err := c.Event(typ, o.now())
	if err != nil {
		return err
	}
	return o.events.Insert(ctx, e, ident.Webhook{})
}
