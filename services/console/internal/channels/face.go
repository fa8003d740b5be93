package channels

import (
	"fencepost.internal/services/console/internal/frame"
)

// faced is a channel with the address of its avatar; empty: it has none, and shows its initial.
type faced struct {
	card

	Avatar string
}

// faced adds avatars to channels.
func (c *channels) faced(v *frame.Visit, cards []card) ([]faced, error) {
	avatars, err := c.app.Avatars(v.Request.Context(), v.Principal)
	list := make([]faced, len(cards))
	for i, one := range cards {
		list[i] = faced{one, avatars[one.ID]}
	}
	return list, err
}
