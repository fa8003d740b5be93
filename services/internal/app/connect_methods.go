package app

import (
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
)

// Redirect returns the address to register at the network, to which it sends people back.
func (c *Connections) Redirect(t channel.Type) string {
	address := c.appURL + "/connect/" + string(t.Network()) + "/callback"
	if link, _ := c.links.Link(channel.Channel{Type: t}); link != nil {
		if form, ok := link.(platform.Redirecter); ok {
			return form.Redirect(address)
		}
	}
	return address
}

// AppURL returns the address of the application, without a trailing slash.
func (c *Connections) AppURL() string { return c.appURL }

// Method is a way to connect accounts of a channel type.
type Method struct {
	Type       channel.Type
	Variant    channel.Variant
	Redirect   string           // to register at the network; empty if a person enters values
	Scopes     platform.Scopes  // that the network is asked for
	Fields     []platform.Field // that a person enters instead
	Server     *platform.Field  // that names the account's server; nil on a network with one server
	Configured bool             // the operator has configured the application
}

// configured reports whether accounts of the type can be connected in this way.
func (c *Connections) configured(t channel.Type, v channel.Variant) bool {
	link, _ := c.links.Link(channel.Channel{Type: t})
	connecter, ok := link.(platform.Connecter)
	return ok && connecter.Configured(v)
}

// Methods lists the methods by which this build can connect accounts, by channel type. The variants of a type are given.
func (c *Connections) Methods(variants func(channel.Type) []channel.Variant) []Method {
	var methods []Method
	for _, t := range channel.Types() {
		link, ok := c.links.Link(channel.Channel{Type: t})
		if !ok {
			continue
		}
		if enterer, ok := link.(platform.Enterer); ok {
			methods = append(methods, Method{Type: t, Fields: enterer.Fields(), Configured: true})
			continue
		}
		connecter, ok := link.(platform.Connecter)
		if !ok {
			continue
		}
		kinds := variants(t)
		if len(kinds) == 0 {
			kinds = []channel.Variant{""}
		}
		var server *platform.Field
		redirect := c.Redirect(t)
		if hosted, ok := link.(platform.Hosted); ok {
			server = new(hosted.ServerField())
			redirect = redirectAt(redirect, server.Usual)
		}
		for _, v := range kinds {
			methods = append(methods, Method{
				Type: t, Variant: v, Redirect: redirect, Scopes: connecter.Scopes(v),
				Server: server, Configured: connecter.Configured(v),
			})
		}
	}
	return methods
}
