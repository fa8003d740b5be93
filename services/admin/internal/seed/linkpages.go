package seed

import (
	"encoding/json"
	"fmt"
	"time"

	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/ident"
)

// page is a link page of the seed.
type page struct {
	handle string
	title  string
	bio    string
	seo    linkpage.SEO
	theme  linkpage.Theme
	busy   int // approximate number of visitors per day
	shown  string
	blocks []block
	every  bool // with a sample of each type that blocks lack
}

// block is a block of a page. A field whose name starts with "in:" holds a number of days from now, at ten in the
// morning.
type block struct {
	typ      linkpage.BlockType
	settings map[string]any
	clicks   int // percentage of visitors that click it
}

// Placeholders for values that only the database knows.
const (
	thePost = "the post"
	days    = "days"
)

func studioBlocks() []block {
	return []block{
		{"NOTICE_BAR", map[string]any{
			"text": "The spring collection is here.", "tone": linkpage.ToneSuccess, "url": "https://example.com/spring",
			"buttonLabel": "Have a look",
		}, 9},
		{"LINK", map[string]any{
			"title": "Shop the spring collection", "url": "https://example.com/shop",
			"description": "New pieces every Friday at ten", "featured": true,
		}, 31},
		{
			"LINK",
			map[string]any{
				"title": "Workshops", "url": "https://example.com/workshops",
				"description": "Six places each, beginners welcome",
			},
			14,
		},
		{"SECTION", map[string]any{"title": "From the studio", "description": "What we are working on"}, 0},
		{"TEXT", map[string]any{
			"text": "We make tableware that is used every day, in batches small enough that we remember each " +
				"piece.\n\nVisitors are welcome on Saturdays.",
		}, 0},
		{"POST_CARD", map[string]any{"postId": thePost, "caption": "Latest news"}, 0},
		{"COUNTDOWN", map[string]any{
			"title": "Next kiln opening", "endsAt": days + "9", "endedText": "The kiln is open. Come by!",
			"url": "https://example.com/kiln", "buttonLabel": "Remind me",
		}, 6},
		{"PRODUCT", map[string]any{
			"name": "Breakfast bowl, cobalt", "description": "Stoneware, 14 cm, dishwasher safe.", "price": "38.00",
			"currency": "EUR",
			"url":      "https://example.com/shop/breakfast-bowl", "buttonLabel": "To the bowl",
		}, 11},
		{"COUPON", map[string]any{
			"title": "10 % on everything blue", "code": "COBALT10", "description": "For the friends of this page.",
			"url":         "https://example.com/shop/blue",
			"buttonLabel": "Use it", "expiresAt": days + "30",
		}, 5},
		{"TESTIMONIAL", map[string]any{
			"quote": "We have served breakfast in these bowls for three years, and people still turn them over to see who " +
				"made them.",
			"author": "Jonas Lindqvist", "role": "Café Nord", "rating": 5,
		}, 0},
		{"FAQ", map[string]any{"title": "Good to know", "items": []any{
			map[string]any{
				"question": "Are the pieces dishwasher safe?", "answer": "All of them. Gold rims prefer to be washed by hand.",
			},
			map[string]any{
				"question": "Do you ship abroad?",
				"answer":   "Within the European Union, in about five days.\nTell us first if it is more than two parcels.",
			},
			map[string]any{"question": "Can I return a piece?", "answer": "Within 30 days, unless it was made for you."},
		}}, 0},
		{"LINK", map[string]any{"title": "Write to us", "url": "mailto:hello@example.com?subject=Hello"}, 3},
	}
}

// studioPage returns a page with a block of every type.
func studioPage() page {
	return page{
		handle: "acme-studio", title: "Acme Studio", busy: 46,
		every: true,
		bio:   "Ceramics from a small studio in Berlin.\nThrown, glazed and fired by four people and two kilns.",
		seo: linkpage.SEO{
			Title:       "Acme Studio, ceramics from Berlin",
			Description: "Tableware in small batches, workshops, and kiln openings.",
		},
		theme: linkpage.Theme{Name: linkpage.ThemeSand},
		shown: "Straight out of the new kiln: the first blue bowls of the season. Which one would you eat your " +
			"breakfast from?",
		blocks: studioBlocks(),
	}
}

func bakeryPage() page {
	return page{
		handle: "corner-bakery", title: "Corner Bakery", busy: 12, bio: "Bread, rolls and one cake a day.",
		theme: linkpage.Theme{Name: linkpage.ThemeSunset},
		blocks: []block{
			{"TEXT", map[string]any{"text": "Open Tuesday to Sunday, 7 to 15.", "align": linkpage.AlignCenter}, 0},
			{"LINK", map[string]any{"title": "What is baked today", "url": "https://example.com/today", "featured": true}, 40},
			{"LINK", map[string]any{"title": "Order a cake", "url": "tel:+12125550123"}, 8},
		},
	}
}

// input returns the block as API input, with its placeholders replaced.
func (b block) input(now time.Time, shown ident.Post) (linkpage.NewBlock, error) {
	settings := make(map[string]any, len(b.settings))
	for name, value := range b.settings {
		text, _ := value.(string)
		var ahead int
		if text == thePost {
			value = shown
		} else if n, err := fmt.Sscanf(text, days+"%d", &ahead); n == 1 && err == nil {
			value = now.Truncate(24*time.Hour).AddDate(0, 0, ahead).Add(10 * time.Hour)
		}
		settings[name] = value
	}
	raw, err := json.Marshal(settings)
	return linkpage.NewBlock{Type: b.typ, Settings: raw}, err
}
