package linkedin

import (
	"cmp"
	"net/url"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/rules/textlen"
)

// documentTitle is the title of a document without one: LinkedIn requires a title.
const documentTitle = "Document"

// attached is the content of a post beside its text: one of the four, or none.
type attached struct {
	Media      *attachedMedia `json:"media,omitempty"`
	MultiImage *multiImage    `json:"multiImage,omitempty"`
	Article    *attachedLink  `json:"article,omitempty"`
	Poll       *poll          `json:"poll,omitempty"`
}

type attachedMedia struct {
	ID      string `json:"id"`
	Title   string `json:"title,omitempty"`
	AltText string `json:"altText,omitempty"`
}

type multiImage struct {
	Images []attachedMedia `json:"images"`
}

// attachedLink is the card of a link. LinkedIn does not read the page of the link itself.
type attachedLink struct {
	Source           string `json:"source"`
	Title            string `json:"title"`
	Thumbnail        string `json:"thumbnail,omitempty"`
	ThumbnailAltText string `json:"thumbnailAltText,omitempty"`
}

// attachedTo returns the content for a post with these uploads. It returns nil for a text.
func attachedTo(content platform.Content, urns []string) *attached {
	if poll := pollOf(content.Options); poll != nil {
		return &attached{Poll: poll}
	}
	if card := cardOf(content, urns); card != nil {
		return &attached{Article: card}
	}
	switch len(urns) {
	case 0:
		return nil
	case 1:
		return &attached{Media: single(content, urns[0])}
	}
	several := &multiImage{}
	for i, urn := range urns {
		several.Images = append(several.Images, attachedMedia{ID: urn, AltText: content.Media[i].AltText})
	}
	return &attached{MultiImage: several}
}

// single returns the content for one file. Only images have alternative texts.
func single(content platform.Content, urn string) *attachedMedia {
	switch asset := content.Media[0]; asset.Type {
	case media.Document:
		return &attachedMedia{ID: urn, Title: cmp.Or(content.Title, documentTitle)}
	case media.Video:
		return &attachedMedia{ID: urn, Title: content.Title}
	case media.Image, media.GIF:
		return &attachedMedia{ID: urn, AltText: asset.AltText}
	default:
		return &attachedMedia{ID: urn}
	}
}

// cardOf returns the card of a link. The option link makes one, with at most one image as its thumbnail. A text with a
// link makes one if the post has a title, and no files.
func cardOf(content platform.Content, urns []string) *attachedLink {
	link := content.Options.Link
	switch {
	case len(urns) > 1 || len(urns) == 1 && content.Media[0].Type != media.Image:
		return nil
	case link == "" && len(urns) == 0 && content.Title != "":
		link = textlen.FirstURL(content.Text)
	}
	if link == "" {
		return nil
	}
	card := &attachedLink{Source: link, Title: cmp.Or(content.Title, hostOf(link))}
	if len(urns) == 1 {
		card.Thumbnail, card.ThumbnailAltText = urns[0], content.Media[0].AltText
	}
	return card
}

// hostOf returns the link's host, as the title of a card without one: LinkedIn requires a title.
func hostOf(link string) string {
	parsed, err := url.Parse(link)
	if err != nil || parsed.Hostname() == "" {
		return link
	}
	return parsed.Hostname()
}

// urns returns the URNs of the media, in order.
func (a *attached) urns() []string {
	switch {
	case a == nil:
		return nil
	case a.Media != nil:
		return []string{a.Media.ID}
	case a.Article != nil && a.Article.Thumbnail != "":
		return []string{a.Article.Thumbnail}
	case a.MultiImage == nil:
		return nil
	}
	urns := make([]string, len(a.MultiImage.Images))
	for i, one := range a.MultiImage.Images {
		urns[i] = one.ID
	}
	return urns
}
