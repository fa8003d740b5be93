package presentation

import (
	"slices"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform/rules"
)

// ratioOf returns the ratio of a file; zero if its dimensions are not known.
func ratioOf(probe media.Probe) rules.Ratio {
	if probe.Width < 1 || probe.Height < 1 {
		return rules.Ratio{}
	}
	return rules.Aspect(float64(probe.Width), float64(probe.Height))
}

// wider reports whether a ratio is wider than another, by more than the rounding of pixels. An unknown one is not.
func wider(a, b rules.Ratio) bool {
	const rounding = 1.01
	return a != rules.Ratio{} && b != rules.Ratio{} && a.Wide*b.High > b.Wide*a.High*rounding
}

// nearest returns the shape in which an attachment of the size is shown.
func (a Arrangement) nearest(size rules.Ratio) rules.Ratio {
	switch {
	case size == rules.Ratio{}:
		return a.Usual
	case wider(size, a.Shapes.Max):
		return a.Shapes.Max
	case wider(a.Shapes.Min, size):
		return a.Shapes.Min
	default:
		return size
	}
}

// tiles returns the tiles of the attachments and their layout.
func (b *builder) tiles() ([]Tile, Layout) {
	all := b.all()
	arrangement := b.look.Media
	switch {
	case len(all) == 0:
		return nil, ""
	case all[0].Type == media.Document && b.view.Frame == Bubble:
		return all, Files
	case all[0].Type == media.Document:
		return b.alike(all[:1]), Pages
	}
	switch arrangement.Layout {
	case Carousel:
		return b.alike(all), Carousel
	case Row:
		return b.single(all), Row
	case Mosaic, Pages, Files:
	}
	switch {
	case len(all) == 1:
		return b.single(all), Mosaic
	case len(all) > len(arrangement.Rows)+1 && arrangement.Beyond != "":
		return b.single(all), arrangement.Beyond
	default:
		return b.mosaic(all), Mosaic
	}
}

// all returns a tile for each attachment except a cover, which is the picture of the video.
func (b *builder) all() []Tile {
	cover, picture := b.chosen.Form.Media.Cover.Type, -1
	if cover != "" {
		picture = slices.IndexFunc(b.content.Media, func(a media.Asset) bool { return a.Type == cover })
	}
	var all []Tile
	for i, asset := range b.content.Media {
		if i == picture {
			continue
		}
		tile := Tile{
			Index: i, Picture: i, Type: asset.Type, Shape: ratioOf(asset.Probe), Whole: b.look.Media.Whole,
			Described: asset.AltText != "" && b.chosen.Row.AltText.Takes(asset.Type, b.content.ContentType),
		}
		switch asset.Type {
		case media.Video:
			tile.Length = asset.Probe.Duration
			if at := b.content.Options.ThumbOffset; picture >= 0 {
				tile.Picture = picture
			} else if at != nil && b.chosen.Row.Has("thumbOffset") {
				tile.Moment = min(time.Duration(*at)*time.Millisecond, tile.Length)
			}
		case media.Document:
			tile.Pages = asset.Probe.Frames
		case media.Image, media.GIF:
		}
		all = append(all, tile)
	}
	return all
}

// shaped returns the tile in a shape.
func (t Tile) shaped(shape rules.Ratio) Tile {
	t.Cropped = !t.Whole && (wider(t.Shape, shape) || wider(shape, t.Shape))
	t.Shape = shape
	return t
}

// single returns the tiles, each in the shape that is nearest to its own.
func (b *builder) single(all []Tile) []Tile {
	for i := range all {
		all[i] = all[i].shaped(b.look.Media.nearest(all[i].Shape))
	}
	return all
}

// alike returns the tiles, all in the shape of the first.
func (b *builder) alike(all []Tile) []Tile {
	shape := b.look.Media.nearest(all[0].Shape)
	for i := range all {
		all[i] = all[i].shaped(shape)
	}
	return all
}

// mosaic returns the tiles that are shown.
func (b *builder) mosaic(all []Tile) []Tile {
	arrangement := b.look.Media
	const pair = 2
	switch {
	case len(arrangement.Rows) == 0:
		shown := b.single(all[:1])
		shown[0].More = len(all) - 1
		return shown
	case arrangement.Lead && len(all) == pair+1:
		lead := arrangement.Tiles[pair-1]
		all[0].Lead = true
		for i := range all {
			shape := rules.Aspect(pair*lead.Wide, lead.High)
			if all[i].Lead {
				shape = lead
			}
			all[i].InRow = pair
			all[i] = all[i].shaped(shape)
		}
		return all
	}
	var shown []Tile
	for _, n := range arrangement.Rows[min(len(all)-pair, len(arrangement.Rows)-1)] {
		for range n {
			tile := all[len(shown)]
			tile.InRow = n
			shown = append(shown, tile.shaped(arrangement.Tiles[n-1]))
		}
	}
	shown[len(shown)-1].More = len(all) - len(shown)
	return shown
}
