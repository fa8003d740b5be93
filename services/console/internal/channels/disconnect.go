package channels

import (
	"net/http"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/kernel/ident"
)

// disconnectPage is the data of the page that asks before a channel is disconnected.
type disconnectPage struct {
	app.Disconnection

	Fault string
}

func (c *channels) disconnectPage(v *frame.Visit) error {
	return c.askToDisconnect(v, http.StatusOK, "")
}

func (c *channels) askToDisconnect(v *frame.Visit, status int, fault string) error {
	id, err := frame.PathID(v, "channel", ident.Parse[ident.Channel])
	if err != nil {
		return err
	}
	found, err := c.connections.Disconnection(v.Request.Context(), v.Principal, id)
	if err != nil {
		return err
	}
	return v.Page(frame.Page{
		Name: "channels/disconnect", Title: "Disconnect " + found.Channel.Name, Status: status,
		Data: disconnectPage{found, fault},
	})
}

func (c *channels) disconnect(v *frame.Visit) error {
	id, err := frame.PathID(v, "channel", ident.Parse[ident.Channel])
	if err != nil {
		return err
	}
	ctx := v.Request.Context()
	found, err := c.connections.Disconnection(ctx, v.Principal, id)
	if err != nil {
		return err
	}
	posts := v.Form("posts")
	if found.Scheduled > 0 && posts != "drafts" && posts != "keep" {
		return c.askToDisconnect(v, http.StatusUnprocessableEntity, "Choose what happens to the scheduled posts.")
	}
	revoked, err := c.connections.Disconnect(ctx, v.Principal, app.DisconnectChannel{
		Channel: id, Drafts: posts == "drafts", Revoke: v.Form("revoke") != "",
	})
	if err != nil {
		return err
	}
	return v.Done(v.Path("/channels/"+id.String()), disconnected(found, v.Form("revoke") != "", revoked))
}

// disconnected says what happened to the access at the network, and what the person can do about it.
func disconnected(of app.Disconnection, requested, revoked bool) string {
	notice, network := of.Channel.Name+" disconnected.", of.Channel.Type.Network().Name()
	switch {
	case revoked:
		return notice + " " + network + " revoked the access."
	case of.Revokes && requested:
		notice += " " + network + " still lists the access: another channel may need it, or the network did not accept the request."
	case of.Revokes, of.Removal == "":
		return notice
	default:
		notice += " The access at " + network + " stays."
	}
	if of.Removal == "" {
		return notice
	}
	return notice + " " + of.Removal
}
