package app

import (
	"context"
	"strings"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/access"
)

// locate sets the server and the redirect address of the attempt. Every server has a redirect address of its own, so
// that a server cannot pass on the code of another one (RFC 9700 §4.4.2.2).
func (c *Connections) locate(link platform.Connecter, a *channel.Attempt) error {
	a.Redirect = c.Redirect(a.Type)
	hosted, ok := link.(platform.Hosted)
	if !ok {
		return nil
	}
	server, err := hosted.Server(a.Server)
	if err != nil {
		return apperr.Invalid([]apperr.Field{{
			Pointer: "/" + hosted.ServerField().Name, Message: platform.FailureOf(err).Message,
		}})
	}
	a.Server, a.Redirect = server, redirectAt(a.Redirect, hostOf(server))
	return nil
}

// redirectAt returns the redirect address for a server, by its host; empty: of a network with one server.
func redirectAt(address, host string) string {
	if host == "" {
		return address
	}
	return address + "/" + host
}

// hostOf returns the host in the URL of a server.
func hostOf(server string) string {
	_, host, _ := strings.Cut(server, "://")
	return host
}

// serverOf returns the URL of a channel's server; empty on a network with one server.
func (c *Connections) serverOf(of channel.Channel, held channel.Credentials) string {
	link, _ := c.links.Link(of)
	if hosted, ok := link.(platform.Hosted); ok {
		return hosted.ServerOf(access.AccountOf(of, held))
	}
	return held.Server
}

// Held returns the way in which a channel was connected, and the URL of its server.
func (c *Connections) Held(
	ctx context.Context, p Principal, id ident.Channel,
) (variant channel.Variant, server string, err error) {
	if err := p.Require(credential.ChannelsConnect); err != nil {
		return "", "", err
	}
	found, err := c.channels.For(p.Channels).Get(ctx, p.WorkspaceID, id)
	if err != nil {
		return "", "", err
	}
	held, _, err := c.channels.Credentials(ctx, found.ID)
	return held.Variant, c.serverOf(found, held), err
}
