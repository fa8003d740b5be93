package presentation

import (
	"cmp"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform/rules/textlen"
)

// card returns the card of a link; nil if the network shows none.
func (b *builder) card() *Card {
	assets, link, style := b.content.Media, b.content.Options.Link, b.style.Card
	picture := -1
	switch {
	case style.When == Never || b.view.Frame == Tall:
		return nil
	case style.When == Named && link != "" && len(assets) == 1 && assets[0].Type == media.Image:
		picture = 0
	case len(assets) > 0, style.When == Named && link == "" && b.content.Title == "":
		return nil
	}
	if link == "" {
		links := b.style.Marks.Links(b.content.Text)
		if style.When == Named {
			links = textlen.Addresses(b.content.Text)
		}
		if len(links) == 0 {
			return nil
		}
		link = b.content.Text[links[0].Start:links[0].End]
	}
	card := &Card{URL: link, Domain: domainOf(link), Picture: picture, Shape: style.Shape, First: style.First}
	if style.When == Named {
		card.Title = b.content.Title
		card.Title = cmp.Or(card.Title, card.Domain)
		if picture >= 0 {
			b.view.Tiles, b.view.Layout = nil, "" // the picture is that of the card
		}
	}
	return card
}
