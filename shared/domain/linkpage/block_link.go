package linkpage

import "fencepost.internal/shared/kernel/ident"

// TypeLink is the type of a button.
const TypeLink BlockType = "LINK"

// Link is a button.
type Link struct {
	Title       string      `json:"title"`
	URL         string      `json:"url"`
	Description string      `json:"description"`
	Image       ident.Media `json:"imageMediaId,omitzero"`
	Featured    bool        `json:"featured"` // filled with the accent color
}

// Type returns LINK.
func (Link) Type() BlockType { return TypeLink }

// Traits implements Settings.
func (s Link) Traits() Traits { return Traits{Label: s.Title, Target: s.URL, Asset: s.Image} }

// Fields implements Settings.
func (s Link) Fields() []Field { return linkFields(&s) }

func linkFields(s *Link) []Field {
	return []Field{
		line(&s.Title, Field{
			Name: "title", Required: true, Max: MaxBlockTitle, Example: "Shop", Doc: "Text of the button, on one line.",
		}),
		address(&s.URL, Field{
			Required: true, Example: "https://shop.example.com/spring",
			Doc: "Target: a URL with https, mailto or tel.",
		}),
		line(&s.Description, Field{
			Name: "description", Max: MaxDescription, Example: "New bowls every Friday", Doc: "A line below the title.",
		}),
		image(&s.Image, "Image of the button: an IMAGE or a GIF of the workspace."),
		flag(&s.Featured, Field{Name: "featured", Example: true, Doc: "Whether the button is filled with the accent color."}),
	}
}

func linkBlock() Descriptor {
	return describe(Descriptor{
		Name: "Link", Icon: "link",
		Example: Example{"button", "A button", map[string]any{
			"title": "Shop", "url": "https://shop.example.com/spring", "featured": true,
		}},
	}, linkFields)
}
