package composer

import (
	"net/http"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// copying opens the composer with the content of a post, without its channel and the options of its network, as a scratch of
// the person. Only published posts are offered for it, but any post can be copied.
func (c *composer) copying(v *frame.Visit) error {
	id, err := frame.PathID(v, "post", ident.Parse[ident.Post])
	if err != nil {
		return err
	}
	of, err := c.app.Post(v.Request.Context(), v.Principal, id)
	if apperr.Is(err, apperr.NotFound) {
		v.Say(http.StatusNotFound, "Post not found", "It was deleted, or it belongs to another workspace.")
		return nil
	}
	if err != nil {
		return err
	}
	d := draftOf([]post.Post{of}, true)
	d.Channels, d.Options, d.When = nil, nil, atSlot
	content, err := d.usable(v).encoded()
	if err != nil {
		return err
	}
	saved, _, err := c.app.SaveScratch(v.Request.Context(), v.Principal, ident.New[ident.Scratch](), 0, content)
	if err != nil {
		return err
	}
	v.Redirect(address(v, saved.ID.String()))
	return nil
}
