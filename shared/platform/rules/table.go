// Package rules is the one table of what each network takes: content types, media, lengths as the network counts them,
// options. Validation at the API, the check before publishing and docs/platform-rules.md all read it.
//
// Every channel type that can be published to has one Row, in the file of its network, which reads like the network's own
// description of its limits. What can be decided from the content, and from what is known of its files, is a rule; what
// takes a look into a film's coding or at the account stands in the row's notes. A rule that no official document of the
// network confirms, or that the documents only advise, is marked Unsure: breaking it is a warning, because a wrong rule must
// not keep a post back.
package rules

import (
	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/domain/post"
)

// Row is what one channel type takes.
type Row struct {
	Type      channel.Type
	Name      string // the network's name as people write it
	Forms     []Form
	Limits    []Limit     // how often something may stand in the text
	Forbidden []Forbidden // characters that may not stand in the text or the title
	Options   []Option
	Notes     []string // what the network checks besides, in sentences
}

// Form is one kind of thing that a network publishes: a text, an album, a reel.
type Form struct {
	Name  string             // in the plural, as the beginning of a sentence
	As    []post.ContentType // the content types that are published in this form
	Media Media              // zero: text alone
	Text  Text
	Title Title
}

// Media is how much a form carries, and of what.
type Media struct {
	Min, Max int    // attachments
	Of       []File // in any mix
	Unsure   bool   // more than Max is a warning
	Alike    Alike  // what several have in common
}

// File is what a network demands of one file.
type File struct {
	Type    media.Type
	Formats []Format // empty, and Maybe too: every format that the service holds
	Maybe   []Format // taken by many accounts, but not promised: a warning
	Min     int64    // bytes; fewer is a warning, since documents give it as advice; zero: any
	Max     int64    // bytes; zero: any
	Unsure  bool     // more than Max is a warning
	Shape   Shape    // of the picture
	Length  Length
	Frames  int // most frames of a GIF, or pages of a document; zero: any
}

// Text is how long the text of a form may be.
type Text struct {
	Max     int
	Count   Measure
	Dropped bool // the form shows no text: a warning
}

// Title is what a form does with the post's title.
type Title struct {
	Use    Use
	Max    int // zero: any
	Count  Measure
	Unsure bool // longer than Max is a warning
}

// Use says whether a form has a title.
type Use int

// The uses. A title that is ignored is a warning.
const (
	Ignored Use = iota
	Optional
	Required
)

// Limit is how often something may stand in the text.
type Limit struct {
	Of     Token
	Max    int
	Unsure bool // more is a warning
}

// Forbidden are characters that a network refuses.
type Forbidden struct {
	Characters string
	Name       string // as a sentence says it
}

// All lists every row, in the order of the channel types.
func All() []Row {
	var rows []Row
	for _, t := range channel.Types() {
		if row, ok := Of(t); ok {
			rows = append(rows, row)
		}
	}
	return rows
}

// Of is the row of the channel type; false for a type that cannot be published to.
func Of(t channel.Type) (Row, bool) {
	switch t { //nolint:exhaustive // the others cannot be published to; TestRows compares with their capabilities
	case channel.FacebookPage:
		return facebookPage(), true
	case channel.InstagramProfessional:
		return instagram(), true
	case channel.Twitter:
		return x(), true
	case channel.LinkedInProfile:
		return linkedInProfile(), true
	case channel.LinkedInPage:
		return linkedInPage(), true
	case channel.TikTokPersonal:
		return tikTokPersonal(), true
	case channel.TikTokBusiness:
		return tikTokBusiness(), true
	case channel.YouTube:
		return youTube(), true
	case channel.Pinterest:
		return pinterest(), true
	case channel.GoogleBusiness:
		return googleBusiness(), true
	case channel.Threads:
		return threads(), true
	case channel.TelegramChannel:
		return telegram(), true
	default:
		return Row{}, false
	}
}

// The words that rows are written with.

func as(types ...post.ContentType) []post.ContentType { return types }

func one(of ...File) Media { return Media{Min: 1, Max: 1, Of: of} }

func upTo(limit int, of ...File) Media { return Media{Min: 1, Max: limit, Of: of} }

func between(least, most int, of ...File) Media { return Media{Min: least, Max: most, Of: of} }

// Sizes of files. The networks' documents say MB where they mean 2^20 bytes, as far as they say what they mean.
const (
	kB int64 = 1 << 10
	mB int64 = 1 << 20
	gB int64 = 1 << 30
)
