package queue

import (
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/poststate"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform/presentation"
)

// The published posts that a grid shows: at first and how many more at a time, and at most.
const (
	usualShown = 30
	mostShown  = 90
)

// grid is the profile of the account of a channel, with what is planned above what is published.
type grid struct {
	app.Profile

	Tiles []tile
	Swaps *tile // the post whose partner a person chooses; nil: none
	More  int   // published posts that the page can show next; zero if it shows all, or as many as it can
}

// Width and Height have the ratio of the pictures.
func (g grid) Width() float64 { return g.Shape.Wide }

// Height is as Width.
func (g grid) Height() float64 { return g.Shape.High }

// Swappable reports whether the post can get the time of the chosen one.
func (g grid) Swappable(of tile) bool {
	return g.Swaps != nil && of.Moves && !of.Post.ScheduledAt.Equal(g.Swaps.Post.ScheduledAt)
}

// tile is a post of the grid as the page shows it.
type tile struct {
	app.ProfilePost

	Planned, Moves bool
	At             time.Time // at which it is due, or was published
	When           string    // At for people who see the tile; empty for a published post
	Said           string    // At for people who hear it
	Glyph          string
	Sign           poststate.Sign
	Words          string
	Mark, Kind     string // icon and name of a post that is not one picture
	// Earlier and Later are the nearest posts at other times with which it can swap; nil if there is none.
	Earlier, Later *tile
}

// profile reads the grid of a page, if its address asks for it and the network has one.
func (q *queue) profile(v *frame.Visit, data *page, now time.Time) error {
	_, data.HasGrid = presentation.ProfileOf(data.Channel.Type.Network())
	if data.IsGrid = data.IsGrid && data.HasGrid; !data.IsGrid {
		return nil
	}
	found, _, err := q.app.Profile(v.Request.Context(), v.Principal, data.Channel, data.Shown)
	if err != nil {
		return err
	}
	g := &grid{Profile: found, Tiles: tilesOf(found, data.Channel, now)}
	if found.Older && data.Shown < mostShown {
		g.More = data.Shown + usualShown
	}
	for i, one := range g.Tiles {
		if one.Moves && one.Post.ID.String() == v.Query("swap") {
			g.Swaps = &g.Tiles[i]
		}
	}
	data.Grid = g
	return nil
}

// tilesOf returns the tiles of a profile, in the time zone of now, which is the channel's.
func tilesOf(found app.Profile, of channel.Channel, now time.Time) []tile {
	tiles := make([]tile, 0, len(found.Planned)+len(found.Published))
	for _, one := range found.Planned {
		t := tileOf(one, of)
		t.Planned, t.Moves, t.At = true, one.Post.CanMove(), one.Post.ScheduledAt.In(now.Location())
		t.When, t.Said = t.At.Format("2 Jan 15:04"), said(t.At, now)
		tiles = append(tiles, t)
	}
	for i := range tiles {
		tiles[i].Later, tiles[i].Earlier = partner(tiles, i, -1), partner(tiles, i, 1)
	}
	for _, one := range found.Published {
		t := tileOf(one, of)
		t.At = one.Post.PublishedAt.In(now.Location())
		t.Said = t.At.Format("2 January 2006")
		tiles = append(tiles, t)
	}
	return tiles
}

func tileOf(one app.ProfilePost, of channel.Channel) tile {
	t := tile{
		ProfilePost: one, Glyph: poststate.Glyph(one.Post, of), Sign: poststate.Of(one.Post, of, false),
		Words: poststate.Words(one.Post),
	}
	switch pictures := one.View.Tiles; {
	case len(pictures) > 1:
		t.Mark, t.Kind = "copy", "Carousel"
	case pictures[0].Type == media.Video:
		t.Mark, t.Kind = "video", "Video"
	}
	return t
}

// partner returns the nearest tile in a direction that has another time and can move.
func partner(tiles []tile, of, step int) *tile {
	for i := of + step; tiles[of].Moves && i >= 0 && i < len(tiles); i += step {
		if tiles[i].Moves && !tiles[i].Post.ScheduledAt.Equal(tiles[of].Post.ScheduledAt) {
			return &tiles[i]
		}
	}
	return nil
}
