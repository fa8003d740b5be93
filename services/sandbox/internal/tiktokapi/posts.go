package tiktokapi

import (
	"strings"
	"time"
	"unicode/utf16"

	"fencepost.internal/services/sandbox/internal/stage"
)

// Limits of the personal product.
const (
	longestCaption     = 2200 // UTF-16 units, as all lengths here
	longestPhotoTitle  = 90
	longestPhotoText   = 4000
	mostPhotos         = 35
	largestPhoto       = 20 << 20
	largestVideo       = 4 << 30
	smallestChunk      = 5 << 20
	largestChunk       = 64 << 20
	mostChunks         = 1000
	postsPerDay        = 15 // of an account, over all applications
	draftsPerDay       = 5
	day                = 24 * time.Hour
	addressLife        = time.Hour
	processingFor      = 150 * time.Millisecond // until a post is complete
	moderatedFor       = 300 * time.Millisecond // until its id is known
	visibilityOfDrafts = "DRAFT"
	publicToEveryone   = "PUBLIC_TO_EVERYONE"
	selfOnly           = "SELF_ONLY"
)

// States of a post in the making.
const (
	stateUploading   = "PROCESSING_UPLOAD"
	stateDownloading = "PROCESSING_DOWNLOAD"
	stateInInbox     = "SEND_TO_USER_INBOX"
	stateComplete    = "PUBLISH_COMPLETE"
	stateFailed      = "FAILED"
)

// making is a post in the making, or an upload that makes one.
type making struct {
	ID      string    `json:"id"`               // the publish_id, or the share_id of the business product
	Secret  string    `json:"secret,omitempty"` // in the upload address
	Account string    `json:"account"`
	Draft   bool      `json:"draft,omitempty"`
	Pulled  bool      `json:"pulled,omitempty"`  // TikTok fetches the files
	Privacy string    `json:"privacy,omitempty"` // empty: public
	Title   string    `json:"title,omitempty"`
	Text    string    `json:"text,omitempty"`
	Begun   time.Time `json:"begun"`

	Total  int64 `json:"total,omitempty"` // bytes
	Chunk  int64 `json:"chunk,omitempty"`
	Chunks int   `json:"chunks,omitempty"`
	Got    int64 `json:"got,omitempty"`

	Done   time.Time `json:"done,omitzero"` // when TikTok had all files; zero before
	Reason string    `json:"reason,omitempty"`
	Post   string    `json:"post,omitempty"` // id of the post that it became
}

// Key returns the id, without the characters that a file's name cannot have.
func (m making) Key() string { return strings.NewReplacer("~", "-", ".", "-").Replace(m.ID) }

// last reports whether the range from this byte on is the last chunk.
func (m making) last(from int64) bool { return from == int64(m.Chunks-1)*m.Chunk }

// length returns the length of the chunk from this byte on.
func (m making) length(from int64) int64 {
	if m.last(from) {
		return m.Total - from
	}
	return m.Chunk
}

// state returns the state of the post at a time, with the id of the public post once it is known.
func (m making) state(now time.Time) (state string, posts []string) {
	since := now.Sub(m.Done)
	switch {
	case m.Done.IsZero(), since < processingFor && !m.Pulled:
		return stateUploading, nil
	case since < processingFor:
		return stateDownloading, nil
	case m.Reason != "":
		return stateFailed, nil
	case m.Draft:
		return stateInInbox, nil
	case since < moderatedFor, m.Privacy != "" && m.Privacy != publicToEveryone: // only public posts are named
		return stateComplete, nil
	default:
		return stateComplete, []string{m.Post}
	}
}

// stateOf returns the state of the post now, as the review that was set for its account leaves it. TikTok reports no id of a
// post that it moderates.
func (a *API) stateOf(m making) (state, reason string, posts []string) {
	state, posts = m.state(a.stage.Clock.Now())
	end, set := a.stage.Reviewed(network, m.Account, m.Done)
	switch {
	case !set || state != stateComplete:
	case end == stage.ReviewNever:
		return state, "", nil
	case end == stage.ReviewRefused:
		return stateFailed, "spam_risk_text", nil
	}
	return state, m.Reason, posts
}

// units returns the length of a text as TikTok counts it.
func units(text string) int { return len(utf16.Encode([]rune(text))) }
