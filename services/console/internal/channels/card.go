package channels

import (
	"fmt"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// card is a channel in the list.
type card struct {
	channel.Channel

	Health health
	Ends   string // the end of the access, if only a person can extend it
	Ahead  string // what happens to its scheduled posts, with times for Prose; empty: they are published
}

// cards returns the channels with their health and the ends of their access.
func (c *channels) cards(v *frame.Visit, found ...channel.Channel) ([]card, error) {
	ends, err := c.app.AccessEnds(v.Request.Context(), v.Principal)
	if err != nil {
		return nil, err
	}
	var stopped []ident.Channel
	for _, one := range found {
		if !one.Ready() || one.Paused() {
			stopped = append(stopped, one.ID)
		}
	}
	ahead, err := c.app.Ahead(v.Request.Context(), v.Principal, stopped)
	cards := make([]card, len(found))
	for i, one := range found {
		cards[i] = card{Channel: one, Health: healthOf(one), Ahead: aheadOf(one, ahead[one.ID])}
		if at := ends[one.ID]; !at.IsZero() && one.Ready() {
			cards[i].Ends = at.In(v.Zone()).Format("2 January 2006")
		}
	}
	return cards, err
}

// aheadOf says what happens to the scheduled posts of a channel that publishes nothing.
func aheadOf(c channel.Channel, ahead postgres.Ahead) string {
	posts := "1 scheduled post"
	if ahead.Posts > 1 {
		posts = fmt.Sprintf("%d scheduled posts", ahead.Posts)
	}
	first := ", the first at " + event.FormatTime(ahead.First) + "."
	switch {
	case ahead.Posts == 0:
		return ""
	case c.Paused() && ahead.Posts == 1:
		return posts + " waits."
	case c.Paused():
		return posts + " wait."
	case !c.IsConnected:
		return posts + " will fail" + first
	default:
		return posts + " will be held" + first
	}
}
