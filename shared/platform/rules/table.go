// Package rules checks content against what each network accepts: content types, media, text lengths as the network
// counts them, and options. Validation in the API, the check before publishing and docs/platform-rules.md all use the
// same Table.
//
// Every channel type that can be published to has one Row, which the package of its connector declares. A row reads
// like the network's own description of its limits. A limit that can be checked from the content and the known
// properties of its files is a rule. A limit that depends on a video's encoding or on the account is in the row's
// notes. A rule is marked Unsure if no official document of the network confirms it, or if the documents only recommend
// it. Violating an Unsure rule is a warning, because a wrong rule must not block a post.
package rules

import (
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
)

// Row holds what one channel type accepts.
type Row struct {
	Type      channel.Type
	Name      string // the network's usual name
	Forms     []Form
	Limits    []Limit     // maximum numbers of tokens in the text
	Price     Price       // what the network bills for a post
	Quota     Quota       // how many posts the network accepts
	Forbidden []Forbidden // characters that must not occur in the text or the title
	AltText   AltText     // zero: the network takes no alternative texts
	Reply     Text        // of answers in the inbox; zero: that of the first form
	Threads   bool        // the network takes threads: posts that reply to a post of the same account
	Comment   Comment     // zero: no first comments, except as replies if Threads
	Options   []Option
	// OptionFaults returns the faults of options that do not fit each other, by the options' names. It may be nil.
	OptionFaults func(post.Options) map[string]string
	// Known adapts the row to what is known about an account. It may be nil.
	Known func(*Row, channel.Facts)
	Notes []string // further limits of the network, in sentences
	// ContentType returns the content type of a post with these assets and options, for a network whose Options decide
	// it. If it is nil, such posts have the type POST.
	ContentType func(assets []media.Asset, options post.Options) post.ContentType
}

// Form is one kind of post on a network: a text, an album, a reel.
type Form struct {
	Name  string             // in the plural, capitalized to start a sentence
	As    []post.ContentType // the content types that are published in this form
	Media Media              // zero: only text
	Text  Text
	Title Title
}

// Media holds the number and kinds of attachments that a form accepts.
type Media struct {
	Min, Max int    // number of attachments
	Of       []File // in any combination
	Unsure   bool   // more than Max is a warning
	Alike    Alike  // what several attachments must have in common
	// Cover is the file that may be added once, in any place, as the thumbnail; its type is empty if there is none.
	Cover File
}

// File holds a network's requirements on one file.
type File struct {
	Type     media.Type
	Formats  []Format // if Formats and Maybe are both empty: every format that the service stores
	Maybe    []Format // accepted for many accounts, but not guaranteed: a warning
	Min      int64    // bytes; smaller is a warning, because the documents only recommend a minimum; zero: any
	Max      int64    // bytes; zero: any
	Unsure   bool     // more than Max is a warning
	Shape    Shape    // dimensions of the image or video
	Length   Length
	Frames   int  // maximum number of frames of a GIF or pages of a document; zero: any
	Animated bool // of GIFs: one with a single frame is sent as an image instead
}

// Text holds the limits of a form's text.
type Text struct {
	Max     int
	Long    int // maximum with the option longText; zero: the option has no effect on the form
	Count   Measure
	Bytes   int  // maximum size in UTF-8, beside Max; zero: any
	Safe    int  // size in UTF-8 beyond which the network has refused texts within Max: a warning; zero: none known
	Dropped bool // the form shows no text: a warning
	Warned  bool // the option contentWarning counts as part of the text
	Unsure  bool // more than Max is a warning
}

// Title holds a form's use of the post's title and its limits.
type Title struct {
	Use    Use
	Max    int // zero: any
	Count  Measure
	Unsure bool // longer than Max is a warning
	// Card means that only the card of a link shows the title: that of the option link, or that of a link in a text
	// without files.
	Card bool
}

// Use says whether a form has a title.
type Use int

// The uses. A title that is ignored is a warning.
const (
	Ignored Use = iota
	Optional
	Required
)

// Limit is the maximum number of a token in the text.
type Limit struct {
	Of     Token
	Max    int
	Unsure bool // more is a warning
}

// Forbidden holds characters that a network refuses.
type Forbidden struct {
	Characters string
	Name       string // phrased for use in a sentence
}

// Table holds the rows by channel type. It holds functions, so that each caller gets its own copy of a row.
type Table map[channel.Type]func() Row

// NewTable returns the table of the rows. If two rows have the same type, the last one counts.
func NewTable(rows ...func() Row) Table {
	table := make(Table, len(rows))
	for _, row := range rows {
		table[row().Type] = row
	}
	return table
}

// All returns every row, in the order of the channel types.
func (t Table) All() []Row {
	var rows []Row
	for _, kind := range channel.Types() {
		if row, ok := t.Of(kind); ok {
			rows = append(rows, row)
		}
	}
	return rows
}

// Of returns the row of the channel type. It returns false for a type that cannot be published to.
func (t Table) Of(kind channel.Type) (Row, bool) {
	row, ok := t[kind]
	if !ok {
		return Row{}, false
	}
	return row(), true
}

// Reply returns the limit of answers of channels of the type in the inbox. Types without a row have private messages.
func (t Table) Reply(kind channel.Type) inbox.Limit {
	row, ok := t.Of(kind)
	if !ok {
		return inbox.Private()
	}
	text := row.Reply
	if text.Max == 0 {
		text = row.Forms[0].Text
	}
	return inbox.Limit{Max: text.Max, Length: text.Count.Length, Bytes: text.Bytes}
}

// Helpers to write rows.

// As returns the content types of a form.
func As(types ...post.ContentType) []post.ContentType { return types }

// One accepts one file of any of the kinds.
func One(of ...File) Media { return Media{Min: 1, Max: 1, Of: of} }

// Covered accepts a thumbnail beside the other files.
func (m Media) Covered(by File) Media {
	m.Cover = by
	return m
}

// UpTo accepts one to limit files in any combination.
func UpTo(limit int, of ...File) Media { return Media{Min: 1, Max: limit, Of: of} }

// Between accepts a number of files in any combination.
func Between(least, most int, of ...File) Media { return Media{Min: least, Max: most, Of: of} }

// Aspect returns the ratio of a width to a height.
func Aspect(wide, high float64) Ratio { return Ratio{Wide: wide, High: high} }

// Sizes of files. The networks' documents that define MB mean 2^20 bytes.
const (
	KB int64 = 1 << 10
	MB int64 = 1 << 20
	GB int64 = 1 << 30
)
