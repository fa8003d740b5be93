package linkpage

import "fencepost.internal/shared/kernel/ident"

// TypeTestimonial is the type of a quote.
const TypeTestimonial BlockType = "TESTIMONIAL"

// MaxQuote is the maximum length of a quote, in characters, and MaxRating the maximum number of stars.
const (
	MaxQuote  = 1000
	MaxRating = 5
)

// Testimonial is a quote about the page's owner.
type Testimonial struct {
	Quote  string      `json:"quote"`
	Author string      `json:"author"`
	Role   string      `json:"role"`
	Rating int         `json:"rating"` // 1 to 5 stars; 0: not shown
	Image  ident.Media `json:"imageMediaId,omitzero"`
}

// Type returns TESTIMONIAL.
func (Testimonial) Type() BlockType { return TypeTestimonial }

// Traits implements Settings.
func (s Testimonial) Traits() Traits { return Traits{Label: s.Author, Asset: s.Image} }

// Fields implements Settings.
func (s Testimonial) Fields() []Field { return testimonialFields(&s) }

func testimonialFields(s *Testimonial) []Field {
	return []Field{
		text(&s.Quote, Field{
			Name: "quote", Required: true, Max: MaxQuote, Example: "The bowls are a joy every morning.",
			Doc: "The quote.",
		}),
		line(&s.Author, Field{
			Name: "author", Required: true, Max: MaxBlockTitle, Example: "Jonas Lindqvist", Doc: "Name of the author.",
		}),
		line(&s.Role, Field{Name: "role", Max: MaxBlockTitle, Example: "Café Nord", Doc: "Role or company of the author."}),
		number(&s.Rating, Field{
			Name: "rating", Min: 1, Max: MaxRating, Example: MaxRating, Doc: "Number of stars. Null: no stars are shown.",
		}),
		image(&s.Image, "An IMAGE or a GIF of the workspace."),
	}
}

func testimonialBlock() Descriptor {
	return describe(Descriptor{
		Name: "Quote", Icon: "quote",
		Example: Example{"testimonial", "A quote", map[string]any{
			"quote": "The bowls are a joy every morning.", "author": "Jonas Lindqvist", "role": "Café Nord", "rating": 5,
		}},
	}, testimonialFields)
}
