package channels

import "embed"

// Parts of guides, for the tests.
type (
	Block = block
	Span  = span
)

// Blocks is blocks.
func Blocks(text string) []Block { return blocks(text) }

// Spans is spans.
func Spans(text string) []Span { return spans(text) }

// Guides returns the guides.
func Guides() embed.FS { return guides }
