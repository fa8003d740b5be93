package presentation

import (
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform/rules"
	"fencepost.internal/shared/platform/rules/textlen"
)

var (
	square    = rules.Aspect(1, 1)
	wide      = rules.Aspect(16, 9)
	upright   = rules.Aspect(9, 16)
	landscape = rules.Aspect(4, 3)
	portrait  = rules.Aspect(4, 5)
	banner    = rules.Aspect(1.91, 1) // of the cards of links
)

// halves are the tiles of a mosaic that is 16:9 as a whole.
var halves = []rules.Ratio{wide, rules.Aspect(8, 9)}

// styleOf returns how the network shows posts. It returns false for a network that cannot be published to.
func styleOf(network channel.Network) (Style, bool) {
	styles := map[channel.Network]func() Style{
		channel.NetworkX: x, channel.NetworkThreads: threads, channel.NetworkInstagram: instagram,
		channel.NetworkLinkedIn: linkedin, channel.NetworkFacebook: facebook, channel.NetworkPinterest: pinterest,
		channel.NetworkTikTok: tiktok, channel.NetworkYouTube: youtube, channel.NetworkGoogleBusiness: googleBusiness,
		channel.NetworkTelegram: telegram, channel.NetworkBluesky: bluesky, channel.NetworkMastodon: mastodon,
	}
	style, ok := styles[network]
	if !ok {
		return Style{}, false
	}
	return style(), true
}

func x() Style {
	return Style{
		Post: Look{
			Frame: Feed, Text: Cut{Usual: true}, More: "Show more",
			Media: Arrangement{
				Layout: Mosaic, Shapes: rules.Ratios{Min: rules.Aspect(3, 4)}, Rows: [][]int{{2}, {1, 2}, {2, 2}},
				Tiles: halves, Lead: true, Usual: wide,
			},
		},
		Marks: Marks{Links: textlen.Links, Shown: 27, Mentions: names(`[A-Za-z0-9_]{1,15}`), Hashtags: All, Cashtags: true},
		Card:  CardStyle{When: Alone, Shape: banner, Fact: "A link has a card only without media."},
	}
}

func threads() Style {
	return Style{
		Post: Look{
			Frame: Feed, Text: Cut{Usual: true}, More: "Read more",
			Media: Arrangement{
				Layout: Row, Shapes: rules.Ratios{Min: upright, Max: wide}, Usual: portrait,
			},
		},
		Marks: Marks{Links: textlen.ThreadsLinks, Shown: 30, Mentions: dotted(30), Hashtags: First},
		Card:  CardStyle{When: Alone, Shape: banner, Fact: "A link has a card only without media."},
		Facts: []string{"The first hashtag is the topic, the others stay plain text."},
	}
}

func instagram() Style {
	tall := Look{
		Name: "reel", Frame: Tall, Text: Cut{At: 55, Lines: 1}, More: "… more",
		Media: Arrangement{Layout: Carousel, Shapes: rules.Only(9, 16), Usual: upright},
		Facts: []string{"The lower third belongs to buttons."},
	}
	story := Look{Name: "story", Frame: Story, Media: tall.Media}
	story.Media.Whole = true
	return Style{
		Post: Look{
			Frame: Caption, Text: Cut{At: 125}, More: "… more",
			Media: Arrangement{
				Layout: Carousel, Shapes: rules.Ratios{Min: rules.Aspect(3, 4), Max: banner}, Usual: portrait,
			},
			Facts: []string{"The first picture sets the shape of all (1.91:1 to 3:4)."},
		},
		Reel: &tall, Story: &story,
		Upright: Upright{Widest: rules.Aspect(10, 1)}, // every video that is alone
		Marks:   Marks{Mentions: dotted(30), Hashtags: All},
		Facts:   []string{"Links in the text cannot be followed."},
		Profile: &Profile{Columns: 3, Shape: rules.Aspect(3, 4)},
	}
}

func linkedin() Style {
	return Style{
		Post: Look{
			Frame: Feed, Text: Cut{At: 210, Lines: 3}, More: "…more",
			Media: Arrangement{
				Layout: Mosaic, Shapes: rules.Ratios{Min: portrait, Max: banner},
				Rows:  [][]int{{2}, {1, 2}, {1, 3}, {2, 3}},
				Tiles: []rules.Ratio{rules.Aspect(2, 1), square, square}, Usual: landscape,
			},
		},
		Marks: Marks{Links: textlen.Hosts, Hashtags: All},
		Card: CardStyle{
			When: Named, Name: "article", Shape: banner,
			Fact: "The card needs a title of its own: LinkedIn reads no linked page.",
		},
		Facts: []string{"Names after an @ stay plain text."},
	}
}

func facebook() Style {
	reel := Look{
		Name: "reel", Frame: Tall, Text: Cut{At: 70, Lines: 2}, More: "… See more",
		Media: Arrangement{Layout: Carousel, Shapes: rules.Only(9, 16), Usual: upright},
	}
	story := Look{Name: "story", Frame: Story, Media: reel.Media}
	story.Media.Whole = true
	return Style{
		Post: Look{
			Frame: Feed, Text: Cut{At: 480, Lines: 5}, More: "… See more",
			Media: Arrangement{
				Layout: Mosaic, Shapes: rules.Ratios{Min: portrait, Max: banner},
				Rows:  [][]int{{2}, {1, 2}, {2, 2}, {2, 3}},
				Tiles: []rules.Ratio{rules.Aspect(2, 1), square, square}, Usual: landscape,
			},
		},
		Reel: &reel, Story: &story,
		Upright: Upright{Widest: upright, Longest: 90 * time.Second},
		Marks:   Marks{Links: textlen.Hosts, Hashtags: All},
		Card: CardStyle{
			When: Alone, Name: "link", Shape: banner, First: true, Fact: "A link has a card only without media.",
		},
		Facts: []string{"Names after an @ stay plain text."},
	}
}

func pinterest() Style {
	return Style{
		Post: Look{
			Name: "pin", Frame: Pin, Closed: true, Titled: true, Title: Cut{At: 60, Lines: 2},
			Media: Arrangement{
				Layout: Carousel, Shapes: rules.Ratios{Min: rules.Aspect(1, 2.1), Max: banner}, Usual: rules.Aspect(2, 3),
			},
			Facts: []string{"2:3 is shown whole. The description shows only after the pin is opened."},
		},
	}
}

func tiktok() Style {
	return Style{
		Post: Look{
			Frame: Tall, Text: Cut{At: 100, Lines: 2}, More: "… more", Titled: true, Title: Cut{At: 90, Lines: 2}, Safe: true,
			Media: Arrangement{Layout: Carousel, Shapes: rules.Only(9, 16), Whole: true, Usual: upright},
			Facts: []string{"Keep words and faces inside the dashed frame."},
		},
		Marks:   Marks{Mentions: dotted(24), Hashtags: All},
		Facts:   []string{"Links in the text cannot be followed."},
		Profile: &Profile{Columns: 3, Shape: rules.Aspect(3, 4)},
	}
}

func youtube() Style {
	return Style{
		Post: Look{
			Name: "video", Frame: Video, Closed: true, Titled: true, Title: Cut{At: 70, Lines: 2},
			Media: Arrangement{Layout: Carousel, Shapes: rules.Only(16, 9), Usual: wide},
			Facts: []string{"The description shows only after the video is opened."},
		},
		Reel: &Look{
			Name: "Short", Frame: Tall, Closed: true, Titled: true, Title: Cut{At: 40},
			Media: Arrangement{Layout: Carousel, Shapes: rules.Only(9, 16), Usual: upright},
		},
		Upright: Upright{Widest: square, Longest: 3 * time.Minute, ByFile: true},
		Marks: Marks{
			Links: textlen.Addresses, Mentions: names(`[\p{L}\p{N}](?:[\p{L}\p{N}._-]{1,28}[\p{L}\p{N}])`), Hashtags: All,
		},
	}
}

func googleBusiness() Style {
	return Style{
		Post: Look{
			Frame: Feed, Text: Cut{At: 100}, More: "More",
			Media: Arrangement{Layout: Mosaic, Shapes: rules.Only(4, 3), Usual: landscape},
		},
		Facts: []string{"Links in the text cannot be followed: use the button."},
	}
}

func telegram() Style {
	return Style{
		Post: Look{
			Frame: Bubble,
			Media: Arrangement{
				Layout: Mosaic, Shapes: rules.Ratios{Min: rules.Aspect(3, 4), Max: rules.Aspect(2, 1)},
				Rows: [][]int{
					{2}, {1, 2}, {2, 2}, {2, 3}, {3, 3}, {2, 2, 3}, {2, 3, 3}, {3, 3, 3}, {3, 3, 4},
				},
				Tiles: []rules.Ratio{rules.Aspect(2, 1), square, square, square}, Usual: landscape,
			},
		},
		Marks: Marks{Links: textlen.Hosts, Mentions: names(`[A-Za-z][A-Za-z0-9_]{3,31}`), Hashtags: All, Cashtags: true},
		Card:  CardStyle{When: Alone, Shape: banner, Fact: "A link has a card only without media."},
	}
}

func bluesky() Style {
	handle := `(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?`
	return Style{
		Post: Look{
			Frame: Feed,
			Media: Arrangement{
				Layout: Mosaic, Shapes: rules.Ratios{Min: rules.Aspect(1, 2)}, Rows: [][]int{{2}, {1, 2}, {2, 2}},
				Tiles: []rules.Ratio{wide, square}, Lead: true, Beyond: Row, Usual: landscape,
			},
		},
		Marks: Marks{Links: textlen.Hosts, Mentions: names(handle), Hashtags: All},
	}
}

func mastodon() Style {
	return Style{
		Post: Look{
			Frame: Feed,
			Media: Arrangement{
				Layout: Mosaic, Shapes: rules.Ratios{Min: rules.Aspect(3, 4), Max: rules.Aspect(3, 1)},
				Rows: [][]int{{2}, {1, 2}, {2, 2}}, Tiles: halves, Lead: true, Usual: wide,
			},
		},
		Marks: Marks{Links: textlen.Addresses, Shown: 30, Mentions: federated, Hashtags: All},
		Card:  CardStyle{When: Alone, Shape: banner, Fact: "A link has a card only without media."},
	}
}
