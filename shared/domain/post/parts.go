package post

import (
	"time"

	"fencepost.internal/shared/kernel/ident"
)

// Part is a part of a thread after the first one, which is the post itself (docs/contract.md, Threads).
type Part struct {
	Content       string        `json:"content"`
	MediaIDs      []ident.Media `json:"mediaIds,omitempty"`
	MediaAltTexts AltTexts      `json:"mediaAltTexts,omitempty"`
}

// Comment is the first comment under a post, by the account of the post. The zero value: none.
type Comment struct {
	Content string        `json:"content"`
	Delay   time.Duration `json:"delay,omitempty"` // after the last part of the post, in whole seconds
}

// IsZero reports whether there is no comment.
func (c Comment) IsZero() bool { return c == Comment{} }

const (
	// LongestThread is the number of parts of a thread, the first one included (docs/contract.md, Threads).
	LongestThread = 25
	// LongestCommentDelay is the longest time between the last part of a post and its first comment.
	LongestCommentDelay = 24 * time.Hour
)

// PartKind is the kind of a part of a post.
type PartKind string

// The kinds of parts (docs/contract.md, Threads).
const (
	PartRoot    PartKind = "ROOT"    // the post itself
	PartReply   PartKind = "REPLY"   // of a thread: a reply to the part before
	PartComment PartKind = "COMMENT" // a comment under the root
)
