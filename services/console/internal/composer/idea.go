package composer

import (
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/kernel/ident"
)

// fromIdea shows a new post with what a card of a board has, or the person's scratch of that card.
func (c *composer) fromIdea(v *frame.Visit) error {
	id, err := ident.Parse[ident.IdeaCard](v.Query("idea"))
	if err != nil {
		return noPage()
	}
	kept, err := c.begun(v, id)
	if err != nil {
		return err
	}
	if kept != "" {
		v.Redirect(kept)
		return nil
	}
	channels, err := c.channels(v)
	if err != nil {
		return err
	}
	d, err := c.ofIdea(v, id, started(v, channels))
	if err != nil {
		return err
	}
	data := page{Scratch: ident.New[ident.Scratch]()}
	if data.look, err = c.examine(v, d, desk{channels: channels}); err != nil {
		return err
	}
	return c.page(v, data, 0)
}

// begun returns the address of the person's scratch of an idea; empty: there is none.
func (c *composer) begun(v *frame.Visit, id ident.IdeaCard) (string, error) {
	kept, err := c.app.Scratches(v.Request.Context(), v.Principal)
	if err != nil {
		return "", err
	}
	for _, one := range kept {
		d, err := restored(one.Content)
		if err != nil {
			return "", err
		}
		if d.Idea == id {
			return address(v, one.ID.String()), nil
		}
	}
	return "", nil
}

// ofIdea returns a draft with the texts and the files of an idea.
func (c *composer) ofIdea(v *frame.Visit, id ident.IdeaCard, d draft) (draft, error) {
	_, of, err := c.app.Idea(v.Request.Context(), v.Principal, id)
	if err != nil {
		return d, err
	}
	var texts []string
	for _, text := range []string{of.Title, of.Content, of.Link} {
		if text != "" {
			texts = append(texts, text)
		}
	}
	d.Idea, d.Text, d.Media = id, strings.Join(texts, "\n\n"), of.MediaIDs
	return d, nil
}
