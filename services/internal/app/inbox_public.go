package app

import (
	"context"
	"errors"
	"strings"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/access"
)

// Limit returns the limit of answers of channels of a type.
func (a *Inbox) Limit(t channel.Type) inbox.Limit { return a.rules.Reply(t) }

// Moderation returns what the account of a conversation can do with what people wrote.
func (a *Inbox) Moderation(of postgres.Shown) platform.Moderation {
	link, _ := a.connectors.Link(channel.Channel{Type: of.ChannelType})
	moderator, ok := link.(platform.Moderator)
	if !ok || of.Kind != inbox.Comments {
		return platform.Moderation{}
	}
	return moderator.Moderation(platform.Account{Type: of.ChannelType})
}

// Hide hides a message at its network, or shows it again. INVALID_STATE with the network's reason if that was not possible.
func (a *Inbox) Hide(ctx context.Context, p Principal, id ident.Conversation, message ident.Message, hidden bool) error {
	return a.moderate(ctx, p, id, message, func(ctx context.Context, link platform.Moderator, account platform.Account, m inbox.Message) error {
		return link.Hide(ctx, account, m.ExternalID, hidden)
	}, func(ctx context.Context, m inbox.Message) error { return a.conversations.Hide(ctx, m, hidden) })
}

// Remove removes a message from its network. INVALID_STATE with the network's reason if that was not possible.
func (a *Inbox) Remove(ctx context.Context, p Principal, id ident.Conversation, message ident.Message) error {
	return a.moderate(ctx, p, id, message, func(ctx context.Context, link platform.Moderator, account platform.Account, m inbox.Message) error {
		return link.Remove(ctx, account, m.ExternalID)
	}, a.conversations.Remove)
}

// moderate calls the network, and then records what it did. Both may be repeated.
func (a *Inbox) moderate(
	ctx context.Context, p Principal, id ident.Conversation, message ident.Message,
	call func(context.Context, platform.Moderator, platform.Account, inbox.Message) error,
	record func(context.Context, inbox.Message) error,
) error {
	if err := p.Require(credential.InboxReply); err != nil {
		return err
	}
	of, err := a.Conversation(ctx, p, id)
	if err != nil {
		return err
	}
	m, err := a.conversations.Message(ctx, of.ID, message)
	if err != nil {
		return err
	}
	c, err := a.channels.Get(ctx, of.WorkspaceID, of.ChannelID)
	if err != nil {
		return err
	}
	link, _ := a.connectors.Link(c)
	moderator, ok := link.(platform.Moderator)
	if !ok || m.Direction != inbox.In || m.ExternalID == "" || !c.IsConnected {
		return apperr.New(apperr.InvalidState, "This cannot be hidden or removed from here.")
	}
	err = a.access.Do(ctx, moderator, c, func(ctx context.Context, account platform.Account) error {
		return call(ctx, moderator, account, m)
	})
	if failure, is := errors.AsType[*platform.Failure](err); is {
		return apperr.New(apperr.InvalidState, "%s", failure.Message)
	}
	if err != nil {
		return err
	}
	return record(ctx, m)
}

// PublicInbox is the state of what people write in public to a channel.
type PublicInbox struct {
	Offered bool // the network can be asked, and the operator lets it
	On      bool
	Fault   string // why it is not read; empty: it is, or will be
	Adds    string // the permissions that a new connection adds; empty: none are missing
}

// PublicInbox returns the state of what people write in public to a channel of the workspace.
func (a *Inbox) PublicInbox(ctx context.Context, _ Principal, c channel.Channel) (PublicInbox, error) {
	link, _ := a.connectors.Link(c)
	poller, ok := link.(platform.Poller)
	if !ok || c.IsTest || !c.IsConnected {
		return PublicInbox{}, nil
	}
	credentials, _, err := a.channels.Credentials(ctx, c.ID)
	if err != nil {
		return PublicInbox{}, err
	}
	polling := poller.Polling(access.AccountOf(c, credentials))
	known, err := a.polls.Public(ctx, c.ID)
	missing, _ := (platform.Scopes{Needed: polling.Scopes}).Missing(credentials.Scope)
	return PublicInbox{
		Offered: polling.Every > 0, On: known.On, Fault: known.Fault, Adds: strings.Join(missing, ", "),
	}, err
}

// SetPublicInbox turns the inbox in public of a channel on or off. NOT_FOUND if the workspace has no such channel.
func (a *Inbox) SetPublicInbox(ctx context.Context, p Principal, id ident.Channel, on bool) error {
	if err := p.Require(credential.ChannelsConnect); err != nil {
		return err
	}
	c, err := a.channels.For(p.Channels).Get(ctx, p.WorkspaceID, id)
	if err != nil {
		return err
	}
	return a.polls.SetPublic(ctx, c.ID, on)
}
