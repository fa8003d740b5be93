package browser_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/linkpage"
)

// ends is the end of the pages' countdowns, in Swedish winter time.
var ends = time.Date(2031, time.January, 10, 9, 30, 0, 0, time.FixedZone("CET", 3600)) //nolint:gochecknoglobals // a constant

const bio = "Ceramics from a small studio in Malmö.\nNew pieces on the first Friday of every month."

func block(t *testing.T, typ linkpage.BlockType, settings map[string]any) linkpage.NewBlock {
	t.Helper()
	raw, err := json.Marshal(settings)
	require.NoError(t, err)
	return linkpage.NewBlock{Type: typ, Settings: raw}
}

// everyBlock returns a realistic page with all block types.
func (s *site) everyBlock() []linkpage.NewBlock {
	s.t.Helper()
	type object = map[string]any
	blocks := []linkpage.NewBlock{
		block(s.t, "NOTICE_BAR", object{
			"text": "Studio sale on Saturday from ten o'clock.", "tone": "WARNING", "url": "https://shop.example/sale",
			"buttonLabel": "How to get here",
		}),
		block(s.t, "NOTICE_BAR", object{"text": "Thank you for the first thousand cups."}),
		block(s.t, "LINK", object{
			"title": "The shop", "url": "https://shop.example/cups?from=page&n=1",
			"description": "Cups, bowls and plates, sent all over Europe", "featured": true,
		}),
		block(s.t, "LINK", object{
			"title": "Workshops", "url": "https://shop.example/workshops", "description": "Two evenings, one bowl",
			"imageMediaId": s.picture,
		}),
		block(s.t, "LINK", object{"title": "Write to me", "url": "mailto:mara@example.com?subject=Hello"}),
		block(s.t, "TEXT", object{"text": "Everything is thrown by hand.\nNo two pieces are the same.", "align": "CENTER"}),
		block(s.t, "SECTION", object{"title": "This month", "description": "Only while they last"}),
		block(s.t, "PRODUCT", object{
			"name": "Cup “Skagen”", "description": "Stoneware, 0.3 l, dishwasher safe.", "price": "32.00", "currency": "EUR",
			"url":         "https://shop.example/cup",
			"buttonLabel": "Take one home", "imageMediaId": s.picture,
		}),
		block(s.t, "COUPON", object{
			"title": "Ten percent for you", "code": "SPRING-10", "description": "On everything but gift cards.",
			"url": "https://shop.example/", "buttonLabel": "To the shop",
			"expiresAt": "2031-04-01T22:00:00Z",
		}),
		block(s.t, "COUNTDOWN", object{
			"title": "Next kiln opening", "endsAt": ends.Format(time.RFC3339), "endedText": "The kiln is open!",
			"url": "https://shop.example/kiln",
		}),
		block(s.t, "POST_CARD", object{"postId": s.post.String(), "caption": "From the studio"}),
		block(s.t, "SECTION", object{"title": "Good to know"}),
		block(s.t, "FAQ", object{"title": "Questions", "items": []object{
			{"question": "Do you ship abroad?", "answer": "Yes, within Europe.\nElsewhere on request."},
			{"question": "Can I put it into the dishwasher?", "answer": "Yes."},
		}}),
		block(s.t, "TESTIMONIAL", object{
			"quote": "I drink from it every morning, and it makes the coffee better.", "author": "Jonas Berg",
			"role": "Café Berg, Lund", "rating": 4, "imageMediaId": s.picture,
		}),
	}
	return linkpage.Sampling{Image: s.picture, Post: s.post, Time: ends.Format(time.RFC3339)}.Complete(blocks)
}
