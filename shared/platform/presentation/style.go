package presentation

import (
	"time"

	"fencepost.internal/shared/platform/rules"
)

// Style is the look of posts on a network.
type Style struct {
	Post  Look
	Reel  *Look // of upright videos; nil: as posts
	Story *Look // nil: as posts
	// Upright says which videos are reels, beside those of posts of type REEL.
	Upright Upright
	Marks   Marks
	Card    CardStyle
	Profile *Profile // nil: the profile of an account is no grid
	// Facts are further sentences about every kind of post.
	Facts []string
}

// Profile is the page of an account that shows the pictures of its posts in rows, the newest first.
type Profile struct {
	Columns int
	Shape   rules.Ratio // to which the picture of every post is cropped
}

// Look is the look of one kind of posts on a network.
type Look struct {
	Name   string // follows the network's name, such as reel; may be empty
	Frame  Frame
	Text   Cut
	More   string // what people choose to see a hidden rest
	Closed bool   // the text is shown only after the post is opened
	Titled bool   // the title is shown
	Title  Cut
	Media  Arrangement
	Safe   bool
	Facts  []string // sentences about this kind of post
}

// Cut is the end of the part of a text that is shown at first. The zero Cut shows the whole text.
type Cut struct {
	At int // characters as displayed
	// Lines is a number of lines that together have At characters. A line break ends a line. Zero: breaks do not matter.
	Lines int
	// Usual cuts at the limit of posts without the option longText.
	Usual bool
}

// Upright says which single videos a network shows as a reel.
type Upright struct {
	Widest  rules.Ratio   // zero: none
	Longest time.Duration // zero: of any length
	// ByFile means that the properties of the file decide, as soon as they are known, also about posts of type REEL.
	ByFile bool
}

// Arrangement is the order and the crop of the media of a post.
type Arrangement struct {
	Layout Layout
	// Shapes are those of a single attachment, and of the first one of a carousel: others are cropped to the nearest. A
	// zero limit crops none.
	Shapes rules.Ratios
	Whole  bool // nothing is cropped: bars fill the shape
	// Rows are the numbers of tiles in the rows of a mosaic, by the number of attachments, from two. Attachments beyond
	// them are counted on the last tile.
	Rows [][]int
	// Tiles are the shapes of the tiles in rows of one tile, of two, and so on.
	Tiles []rules.Ratio
	// Lead means that the first of three attachments has the height of the two others.
	Lead bool
	// Beyond is the layout of more attachments than Rows has; empty: the mosaic counts the others.
	Beyond Layout
	// Usual is the shape of an attachment whose dimensions are not known.
	Usual rules.Ratio
}

// When says which posts have the card of a link.
type When int

// The posts with cards.
const (
	Never When = iota
	Alone      // without media: of the option link, or of the first link in the text
	Named      // of the option link, also with one image, or of the first link in a text without media but with a title
)

// CardStyle is the look of the card of a link.
type CardStyle struct {
	When  When
	Name  string // of a post with one, such as article
	Shape rules.Ratio
	First bool // the domain is above the title, in capitals
	Fact  string
}
