package linkpage

import "time"

// TypeCoupon is the type of a coupon.
const TypeCoupon BlockType = "COUPON"

// Coupon is a code that visitors copy.
type Coupon struct {
	Title       string    `json:"title"`
	Code        string    `json:"code"`
	Description string    `json:"description"`
	URL         string    `json:"url"` // where the code can be used; may be empty
	Button      string    `json:"buttonLabel"`
	ExpiresAt   time.Time `json:"expiresAt,omitzero"` // zero: never
}

// Type returns COUPON.
func (Coupon) Type() BlockType { return TypeCoupon }

// Traits implements Settings.
func (s Coupon) Traits() Traits { return Traits{Label: s.Title, Target: s.URL, Until: s.ExpiresAt} }

// Fields implements Settings.
func (s Coupon) Fields() []Field { return couponFields(&s) }

func couponFields(s *Coupon) []Field {
	return []Field{
		line(&s.Title, Field{
			Name: "title", Required: true, Max: MaxBlockTitle, Example: "10 % for you", Doc: "Title, such as the discount.",
		}),
		line(&s.Code, Field{
			Name: "code", Required: true, Max: MaxCode, Example: "SPRING10", Doc: "Code that visitors copy.",
		}),
		text(&s.Description, Field{
			Name: "description", Max: MaxDescription, Example: "On everything blue", Doc: "Description of the offer.",
		}),
		address(&s.URL, Field{
			Example: "https://shop.example.com/", Doc: "A URL with https, mailto or tel.",
		}),
		button(&s.Button, "To the shop"),
		instant(&s.ExpiresAt, Field{Name: "expiresAt", Doc: "Time until which the code is valid. Null: no end."}),
	}
}

func couponBlock() Descriptor {
	return describe(Descriptor{
		Name: "Coupon", Icon: "ticket-percent",
		Example: Example{"coupon", "A coupon", map[string]any{
			"title": "10 % for you", "code": "SPRING10", "url": "https://shop.example.com/",
			"expiresAt": "2026-04-01T00:00:00+02:00",
		}},
	}, couponFields)
}
