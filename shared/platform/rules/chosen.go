package rules

import (
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform"
)

// Chosen is the form in which a network publishes a post.
type Chosen struct {
	Row   Row
	Form  Form
	Limit int           // of the text with the options of the post, in the unit of the form
	Media []media.Asset // with the types as which the network gets them
}

// Choose returns the form in which the network of the channel type publishes the content, or the nearest one if it
// refuses the content. It returns false for a type that cannot be published to.
func (t Table) Choose(kind channel.Type, content platform.Content) (Chosen, bool) {
	row, ok := t.of(kind, content)
	if !ok {
		return Chosen{}, false
	}
	c := checker{row: row, content: content}
	c.contentType()
	return Chosen{
		Row: row, Form: c.form, Limit: c.form.Text.limit(content.Options), Media: c.content.Media,
	}, true
}
