// Package presentation says how networks show posts: where a text is cut, what in it can be followed, how pictures are
// arranged and cropped, and which posts have the card of a link. Every network has one Style in the table. Previews and
// hints use it.
//
// Networks document little of this and change it without notice. The numbers of the table are approximations, found by
// looking. Limits of texts are not among them: they are those of package rules.
package presentation

import (
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform/rules"
)

// View is a post as its network shows it.
type View struct {
	Network  channel.Network
	Name     string // of the kind of post: Instagram carousel
	Frame    Frame
	Title    []Run // empty if the network shows none
	Text     []Run
	More     string // what people choose to see the hidden rest of the text; empty: nothing is hidden
	Layout   Layout
	Tiles    []Tile   // of the media, in order; those beyond the largest number that is shown are missing
	Card     *Card    // of a link; nil if there is none
	Poll     []string // the answers
	Warning  string   // shown instead of the post until a reader opens it
	Label    string   // the disclosure of an advertisement
	Audience string   // who sees the post, if not everyone
	Site     string   // the domain to which the post leads
	Button   string
	Event    *Event
	Grid     bool // it is in the grid of the account's profile, in the shape of Profile
	Safe     bool // only the middle of the media is free of the network's own texts and buttons
	Over     int  // by how much the text exceeds the limit, in the unit of the network
	Notes    []string
}

// Frame is the place that a network gives to a post. Its value is a CSS class.
type Frame string

// Frames.
const (
	Feed    Frame = "feed"    // account, text, media
	Caption Frame = "caption" // account, media, text
	Tall    Frame = "tall"    // the whole screen of a phone, with the text over the media
	Story   Frame = "story"   // the same for a day, without a text
	Pin     Frame = "pin"     // a picture on a board, with its title
	Video   Frame = "video"   // a video in a list, with its title
	Bubble  Frame = "bubble"  // a message of a chat
)

// Layout is the arrangement of the media. Its value is a CSS class.
type Layout string

// Layouts.
const (
	Mosaic   Layout = "mosaic"   // rows of tiles
	Row      Layout = "row"      // one row of equal height, which people move
	Carousel Layout = "carousel" // one at a time, all of one shape
	Pages    Layout = "pages"    // the pages of a document, one at a time
	Files    Layout = "files"    // a list of names
)

// Kind is the meaning of a part of a text. Its value is a CSS class.
type Kind string

// Kinds. Everything but Plain can be followed.
const (
	Plain   Kind = ""
	Hashtag Kind = "hashtag"
	Mention Kind = "mention"
	Link    Kind = "link"
)

// Run is a part of a text.
type Run struct {
	Kind   Kind
	Text   string // as the network shows it: a link may be shortened
	Rest   bool   // hidden until a reader opens the post
	Excess bool   // beyond the limit
}

// Tile is an attachment as the network shows it.
type Tile struct {
	Index     int // of the attachment
	Picture   int // of the attachment whose picture is shown: the cover of a video, or the same
	Type      media.Type
	Shape     rules.Ratio
	Cropped   bool // a part of the picture is not shown
	Whole     bool // the picture is shown as a whole, with bars if its shape is another one
	Described bool // it is published with its alternative text
	Length    time.Duration
	Moment    time.Duration // of the frame that is the cover of a video; zero: that of the picture
	Pages     int           // of a document; zero if it is not known
	More      int           // attachments that follow, and are not shown
	InRow     int           // tiles in its row of a mosaic
	Lead      bool          // it has the height of all rows beside it
}

// Card is the card of a link.
type Card struct {
	URL     string
	Domain  string
	Title   string // that of the post; empty: that of the linked page, which is not known here
	Picture int    // of the attachment that is its picture; negative: that of the linked page
	Shape   rules.Ratio
	First   bool // the domain is above the title
}

// Event is the event or the offer of a post.
type Event struct {
	Title      string
	Start, End time.Time // of the place's own clock
	Timed      bool      // the start has a time
	EndTimed   bool
	Coupon     string
	Offer      bool
}
