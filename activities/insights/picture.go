package insights

import (
	"context"
	"log/slog"
	"slices"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// Pictures keeps copies of the pictures of accounts; see media.Pictures.
type Pictures interface {
	// Due reports whether the picture of a channel's account must be read.
	Due(ctx context.Context, id ident.Channel) (bool, error)
	// Take replaces the copy by that of the picture at an address; empty: the account has none.
	Take(ctx context.Context, id ident.Channel, address string) error
}

// picture copies the account's picture if it was not copied within a week. A network that does not say leaves the copy.
func (c *Collector) picture(ctx context.Context, found postgres.Collection) error {
	due, err := c.Pictures.Due(ctx, found.Channel.ID)
	if err != nil || !due {
		return err
	}
	link, _ := c.Networks.Link(found.Channel)
	var address string
	switch link := link.(type) {
	case platform.PictureReader:
		err = c.ask(ctx, found, func(ctx context.Context, a platform.Account) (err error) {
			address, err = link.Picture(ctx, a)
			return err
		})
	case platform.Connecter:
		address, err = c.listed(ctx, found, link)
	default:
		return nil
	}
	if err != nil {
		c.Logger.InfoContext(ctx, "a network did not say which picture an account has",
			slog.String("channel_id", found.Channel.ID.String()), slog.Any("error", err))
		return nil
	}
	if err := c.Pictures.Take(ctx, found.Channel.ID, address); err != nil { // it is due again
		c.Logger.WarnContext(ctx, "the picture of an account was not stored",
			slog.String("channel_id", found.Channel.ID.String()), slog.Any("error", err))
	}
	return nil
}

// listed returns the address of the picture in the list of accounts. Where the account has a token of its own, only that of
// the person lists accounts. A refusal of the list says nothing of publishing, so it does not mark the channel.
func (c *Collector) listed(ctx context.Context, found postgres.Collection, link platform.Connecter) (string, error) {
	var address string
	read := func(ctx context.Context, a platform.Account) error {
		if a.Credentials.UserToken != "" {
			a.Credentials.AccessToken = a.Credentials.UserToken
		}
		accounts, err := link.Accounts(ctx, a.Credentials)
		at := slices.IndexFunc(accounts, func(one channel.Candidate) bool { return one.ExternalID == a.ExternalID })
		if at >= 0 {
			address = accounts[at].AvatarURL
		}
		return err
	}
	asking, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	return address, c.Access.Peek(asking, found.Channel, read)
}
