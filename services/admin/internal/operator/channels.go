package operator

import (
	"context"
	"errors"
	"strings"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// NewChannel holds the input for a channel. An empty time zone means the workspace's time zone.
type NewChannel struct {
	Workspace  string
	Type       string
	Name       string
	Username   string
	ExternalID string
	Timezone   string
	Given      Given
	SkipCheck  bool // store the credentials without checking them with the network
}

func (o *Operator) check(n NewChannel, now time.Time) (channel.Channel, channel.Credentials, error) {
	var f faults
	c := channel.Channel{
		WorkspaceID: f.workspace(n.Workspace), Type: f.channelType(n.Type), Name: f.text(MemberName, n.Name),
		Username: f.text(MemberUsername, n.Username), IsConnected: true, CreatedAt: now,
	}
	c.ExternalID = f.externalID(c.Type, n.ExternalID)
	if n.Timezone != "" {
		c.Timezone = f.timezone(n.Timezone)
	}
	credentials := f.credentials(c.Type, n.Given, now)
	if c.Type.Capabilities().Publish && n.Given.IsZero() {
		f.add(MemberAccessToken, "is required to publish to a %s channel", c.Type)
	}
	c.TokenStatus = o.tokenStatus(c.Type, credentials, now)
	return c, credentials, f.err()
}

func (f *faults) channelType(given string) channel.Type {
	t := channel.Type(strings.ToUpper(strings.TrimSpace(given)))
	switch {
	case t == "":
		f.add(MemberType, "is required; choose %s", oneOf(channel.Types()))
	case !t.Known():
		f.add(MemberType, "%q is not a channel type; the known types are %s", given,
			strings.ReplaceAll(oneOf(channel.Types()), " or ", " and "))
	}
	return t
}

// CreateChannel connects an account to a workspace after its network has accepted the credentials.
func (o *Operator) CreateChannel(ctx context.Context, in NewChannel) (channel.Channel, error) {
	c, credentials, err := o.check(in, o.now())
	if err != nil {
		return channel.Channel{}, err
	}
	w, err := o.workspace(ctx, c.WorkspaceID)
	if err != nil {
		return channel.Channel{}, err
	}
	if w.IsTest() {
		return channel.Channel{}, apperr.New(apperr.InvalidState,
			"Workspace %s is a test workspace. It has a channel of every type, and connects no account.", w.ID)
	}
	if c.ID = ident.New[ident.Channel](); c.Timezone == "" {
		c.Timezone = w.Timezone
	}
	if !in.SkipCheck {
		if err := o.verify(ctx, c, credentials); err != nil {
			return channel.Channel{}, err
		}
	}
	err = o.db.WithinTx(ctx, func(ctx context.Context) error {
		if err := o.channels.Insert(ctx, c, credentials); err != nil {
			return err
		}
		if err := o.emit(ctx, c); err != nil {
			return err
		}
		return o.channels.Announce(ctx, c.ID, "")
	})
	if errors.Is(err, postgres.ErrDuplicate) {
		return channel.Channel{}, apperr.New(apperr.InvalidState,
			"Workspace %s already has the %s account %s. Find it with: admin channel list --workspace %s; replace its "+
				"credentials with: admin channel connect",
			c.WorkspaceID, c.Type, c.ExternalID, c.WorkspaceID)
	}
	return c, err
}

// Channels lists a workspace's channels, oldest first.
func (o *Operator) Channels(ctx context.Context, workspace string) ([]channel.Channel, error) {
	w, err := o.Workspace(ctx, workspace)
	if err != nil {
		return nil, err
	}
	return o.channels.List(ctx, w.ID)
}
