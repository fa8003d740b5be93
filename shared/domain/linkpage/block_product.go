package linkpage

import (
	"slices"

	"fencepost.internal/shared/kernel/ident"
)

// TypeProduct is the type of a product.
const TypeProduct BlockType = "PRODUCT"

// Product is an item sold elsewhere.
type Product struct {
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Price       string      `json:"price"`    // an exact amount, such as 19.90; empty: not shown
	Currency    string      `json:"currency"` // ISO 4217; set together with Price
	URL         string      `json:"url"`
	Button      string      `json:"buttonLabel"`
	Image       ident.Media `json:"imageMediaId,omitzero"`
}

// Type returns PRODUCT.
func (Product) Type() BlockType { return TypeProduct }

// Traits implements Settings.
func (s Product) Traits() Traits { return Traits{Label: s.Name, Target: s.URL, Asset: s.Image} }

// Fields implements Settings.
func (s Product) Fields() []Field { return productFields(&s) }

func productFields(s *Product) []Field {
	return slices.Concat([]Field{
		line(&s.Name, Field{
			Name: "name", Required: true, Max: MaxBlockTitle, Example: "Breakfast bowl", Doc: "Name of the product.",
		}),
		address(&s.URL, Field{
			Required: true, Example: "https://shop.example.com/bowl",
			Doc: "A URL with https, mailto or tel.",
		}),
		text(&s.Description, Field{
			Name: "description", Max: MaxDescription, Example: "Stoneware, 14 cm", Doc: "Description of the product.",
		}),
	}, price(&s.Price, &s.Currency), []Field{
		line(&s.Button, Field{
			Name: "buttonLabel", Max: MaxButton, Example: "Buy", Doc: "Text of the button. Null: a default text.",
		}),
		image(&s.Image, "An IMAGE or a GIF of the workspace."),
	})
}

func productBlock() Descriptor {
	return describe(Descriptor{
		Name: "Product", Icon: "shopping-bag",
		Example: Example{"product", "A product", map[string]any{
			"name": "Breakfast bowl", "url": "https://shop.example.com/", "price": "38.00", "currency": "EUR",
		}},
	}, productFields)
}
