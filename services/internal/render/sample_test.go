package render_test

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/render"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// now is the time at which test documents are rendered.
var now = time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)

func id[I ~[16]byte](t *testing.T, last string) I {
	t.Helper()
	parsed, err := ident.Parse[I]("0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d" + last)
	require.NoError(t, err)
	return parsed
}

func renderer(t *testing.T) *render.Renderer {
	t.Helper()
	r, err := render.New(render.Config{PagesURL: "https://pages.example.com", MediaOrigin: "https://media.example.com"})
	require.NoError(t, err)
	return r
}

// block returns a block with settings as a client writes them.
func block(t *testing.T, last string, typ linkpage.BlockType, settings any) linkpage.Block {
	t.Helper()
	raw, err := json.Marshal(settings)
	require.NoError(t, err)
	read, err := linkpage.ReadSettings(typ, raw)
	require.NoError(t, err)
	return linkpage.Block{ID: id[ident.LinkBlock](t, last), Settings: read, Visible: true}
}

// sample returns a page with a block of every type.
func sample(t *testing.T, theme linkpage.ThemeName) render.Input {
	t.Helper()
	type object = map[string]any
	image, postID := id[ident.Media](t, "01"), id[ident.Post](t, "02")
	in := render.Input{
		Page: postgres.LivePage{
			ID: id[ident.LinkPage](t, "03"),
			Live: linkpage.Live{Handle: "mara-makes", Version: 4, Content: linkpage.Content{
				Title: "Mara Lindqvist",
				Bio:   "Ceramics from a small studio in Malmö.\nNew pieces on the first Friday of every month.",
				SEO:   linkpage.SEO{Title: "Mara Lindqvist — ceramics", Description: "Tableware thrown by hand.", Image: image},
				Theme: linkpage.Theme{
					Name: theme, Accent: theme.Design().Accent, Appearance: linkpage.AppearanceAuto, Avatar: image,
				},
			}},
		},
		Pictures: map[ident.Media]bool{image: true},
		Posts: map[ident.Post]postgres.ShownPost{postID: {
			ID: postID, Content: "The kiln is open! Forty cups came out without a crack.\nThank you for waiting 🎈",
			PostURL:  "https://x.com/mara/status/42",
			MediaIDs: []ident.Media{image}, PublishedAt: now.Add(-48 * time.Hour), Channel: "TWITTER", Name: "Mara",
		}},
	}
	in.Page.Content.Blocks = []linkpage.Block{
		block(t, "10", "NOTICE_BAR", object{
			"text": "Studio sale on Saturday from ten o'clock.", "tone": "WARNING", "url": "https://example.com/sale",
			"buttonLabel": "How to get here",
		}),
		block(t, "11", "LINK", object{
			"title": "The shop", "url": "https://shop.example.com/",
			"description": "Cups, bowls and plates, sent all over Europe", "featured": true,
		}),
		block(t, "12", "LINK", object{"title": "Workshops", "url": "https://example.com/workshops", "imageMediaId": image}),
		block(t, "13", "LINK", object{"title": "Write to me", "url": "mailto:mara@example.com?subject=Hello"}),
		block(t, "14", "TEXT", object{
			"text": "Everything is thrown by hand.\nNo two pieces are the same.", "align": "CENTER",
		}),
		block(t, "15", "SECTION", object{"title": "This month", "description": "Only while they last"}),
		block(t, "16", "PRODUCT", object{
			"name": "Cup “Skagen”", "description": "Stoneware, 0.3 l, dishwasher safe.", "price": "32", "currency": "EUR",
			"url": "https://shop.example.com/cup", "buttonLabel": "Take one home", "imageMediaId": image,
		}),
		block(t, "17", "COUPON", object{
			"title": "Ten percent for you", "code": "SPRING-10", "description": "On everything but gift cards.",
			"url": "https://shop.example.com/", "buttonLabel": "To the shop", "expiresAt": "2026-04-01T00:00:00Z",
		}),
		block(t, "18", "COUNTDOWN", object{
			"title": "Next kiln opening", "endsAt": "2027-03-06T09:00:00+01:00", "endedText": "The kiln is open!",
		}),
		block(t, "19", "POST_CARD", object{"postId": postID, "caption": "From the studio"}),
		block(t, "20", "SECTION", object{"title": "Good to know"}),
		block(t, "21", "FAQ", object{"title": "Questions", "items": []object{
			{"question": "Do you ship abroad?", "answer": "Yes, within Europe.\nElsewhere on request."},
			{"question": "Can I put it into the dishwasher?", "answer": "Yes."},
		}}),
		block(t, "22", "TESTIMONIAL", object{
			"quote": "I drink from it every morning, and it makes the coffee better.", "author": "Jonas Berg",
			"role": "Café Berg, Lund", "rating": 4, "imageMediaId": image,
		}),
	}
	in.Page.Content.Blocks = append(in.Page.Content.Blocks, missing(t, in.Page.Content.Blocks, image, postID)...)
	return in
}

// missing returns a block of each type that the blocks lack.
func missing(t *testing.T, blocks []linkpage.Block, image ident.Media, postID ident.Post) []linkpage.Block {
	t.Helper()
	var known []linkpage.NewBlock
	for _, b := range blocks {
		known = append(known, linkpage.NewBlock{Type: b.Type()})
	}
	var more []linkpage.Block
	sampling := linkpage.Sampling{Image: image, Post: postID, Time: "2027-03-06T09:00:00+01:00"}
	for i, b := range sampling.Complete(known)[len(known):] {
		more = append(more, block(t, strconv.Itoa(40+i), b.Type, b.Settings))
	}
	return more
}
