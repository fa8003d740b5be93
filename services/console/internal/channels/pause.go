package channels

import (
	"net/http"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

func (c *channels) pause(v *frame.Visit) error {
	id, err := frame.PathID(v, "channel", ident.Parse[ident.Channel])
	if err != nil {
		return err
	}
	if err := c.app.PauseChannel(v.Request.Context(), v.Principal, id); err != nil {
		return err
	}
	return v.Done(v.Path("/channels/"+id.String()), "Channel paused.")
}

// resume ends the pause of a channel. Its late posts are published or moved.
func (c *channels) resume(v *frame.Visit) error {
	id, err := frame.PathID(v, "channel", ident.Parse[ident.Channel])
	if err != nil {
		return err
	}
	late, fault := frame.LateChoice(v)
	if fault == "" {
		if err = c.app.ResumeChannel(v.Request.Context(), v.Principal, id, late); err == nil {
			return v.Done(v.Path("/channels/"+id.String()), "Channel resumed.")
		}
		if fault = frame.Refusal(err, apperr.NoFreeSlot); fault == "" {
			return err
		}
	}
	return c.pageWith(v, http.StatusUnprocessableEntity, func(p *showPage) { p.Fault = fault })
}
