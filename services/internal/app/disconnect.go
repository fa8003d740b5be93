package app

import (
	"context"
	"log/slog"
	"time"

	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/access"
)

// Disconnection describes the effects of disconnecting a channel.
type Disconnection struct {
	Channel   channel.Channel
	Scheduled int  // posts with a time
	Revokes   bool // the network can be asked to revoke the tokens
	// Removal says what the person does at the network to end the access, if the service cannot or did not; empty: unknown.
	Removal string
}

// Disconnection returns what disconnecting a channel would affect.
func (c *Connections) Disconnection(ctx context.Context, p Principal, id ident.Channel) (Disconnection, error) {
	if err := p.Require(credential.ChannelsConnect); err != nil {
		return Disconnection{}, err
	}
	of, err := c.channels.For(p.Channels).Get(ctx, p.WorkspaceID, id)
	if err != nil {
		return Disconnection{}, err
	}
	scheduled, err := c.posts.ScheduledOn(ctx, id)
	link, _ := c.links.Link(of)
	effects := Disconnection{Channel: of, Scheduled: len(scheduled)}
	_, effects.Revokes = link.(platform.Revoker)
	if remover, ok := link.(platform.Remover); ok {
		effects.Removal = remover.Removal()
	}
	return effects, err
}

// DisconnectChannel is the input of Disconnect.
type DisconnectChannel struct {
	Channel ident.Channel
	Drafts  bool // SCHEDULED posts become drafts; otherwise they fail at their time
	Revoke  bool // the network is asked to revoke the tokens, if no other channel uses them
}

// Disconnect stops publishing to a channel, and keeps its posts and its schedule. It reports whether the network has
// revoked the tokens. A network that refuses does not prevent it.
func (c *Connections) Disconnect(ctx context.Context, p Principal, in DisconnectChannel) (revoked bool, err error) {
	if err := p.Require(credential.ChannelsConnect); err != nil {
		return false, err
	}
	var of channel.Channel
	err = c.db.WithinRetriedTx(ctx, func(ctx context.Context) error {
		of, err = c.channels.For(p.Channels).GetLocked(ctx, p.WorkspaceID, in.Channel)
		if err != nil {
			return err
		}
		if in.Drafts {
			if err := c.unschedule(ctx, p, of.ID); err != nil {
				return err
			}
		}
		changed, err := c.channels.SetConnected(ctx, p.WorkspaceID, of.ID, false)
		if of.IsConnected = false; err != nil || !changed {
			return err
		}
		if err := c.emit(ctx, p, of); err != nil {
			return err
		}
		return c.auditLog.Insert(ctx, entryOf(p, c.now(), audit.ChannelDisconnected, of.Name, of.Type.Network().Name()))
	})
	if err != nil || !in.Revoke {
		return false, err
	}
	return c.revoke(ctx, of), nil
}

// unschedule turns the SCHEDULED posts of a channel into drafts. A post that is being published is left alone.
func (c *Connections) unschedule(ctx context.Context, p Principal, id ident.Channel) error {
	posts, err := c.posts.ScheduledOn(ctx, id)
	if err != nil {
		return err
	}
	for _, one := range posts {
		one, planned, err := c.posts.StillPlanned(ctx, one)
		if err != nil {
			return err
		}
		if !planned {
			continue
		}
		change, err := one.Unschedule(c.now(), p.Actor())
		if err == nil {
			err = c.posts.Apply(ctx, change)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// revokeFor limits the call that revokes tokens.
const revokeFor = 10 * time.Second

// revoke asks the network to revoke the channel's tokens, unless another connected channel uses them: one consent may
// cover several organizations or locations. After that the channel needs a reconnect.
func (c *Connections) revoke(ctx context.Context, of channel.Channel) bool {
	ctx, cancel := context.WithTimeout(ctx, revokeFor)
	defer cancel()
	link, _ := c.links.Link(of)
	revoker, ok := link.(platform.Revoker)
	if !ok {
		return false
	}
	held, revision, err := c.channels.Credentials(ctx, of.ID)
	if err == nil {
		var shared bool
		if shared, err = c.shared(ctx, of, held, revoker.RevokesConsent()); shared {
			return false
		}
	}
	if err == nil {
		err = revoker.Revoke(ctx, access.AccountOf(of, held))
	}
	if err == nil {
		err = c.channels.NeedsReconnect(ctx, of.ID, revision)
	}
	if err != nil {
		c.log.WarnContext(ctx, "the tokens of a channel were not revoked", slog.String("channel_id", of.ID.String()),
			slog.Any("error", err))
	}
	return err == nil
}

// shared reports whether revoking the tokens could end another channel: one of the same consent, or of the same account
// in another workspace. Some networks end every consent of a person to the application at once.
func (c *Connections) shared(
	ctx context.Context, of channel.Channel, held channel.Credentials, whole bool,
) (bool, error) {
	shared, err := c.channels.ConnectedByOthers(ctx, of)
	if err != nil || shared {
		return shared, err
	}
	others, err := c.channels.List(ctx, of.WorkspaceID)
	if err != nil {
		return false, err
	}
	for _, other := range others {
		if other.ID == of.ID || !other.IsConnected {
			continue
		}
		if !whole && other.Type.Network() != of.Type.Network() {
			continue
		}
		theirs, _, err := c.channels.Credentials(ctx, other.ID)
		if err != nil {
			return false, err
		}
		if theirs.AccessToken == held.AccessToken || theirs.RefreshToken != "" && theirs.RefreshToken == held.RefreshToken ||
			whole && theirs.ClientID != "" && theirs.ClientID == held.ClientID {
			return true, nil
		}
	}
	return false, nil
}
