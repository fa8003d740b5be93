package harness

import (
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/stretchr/testify/require"
)

// Comments is something that a person writes in public, or what happens to it.
type Comments struct {
	Platform string `json:"platform"`
	Kind     string `json:"kind,omitempty"` // empty: a comment
	Account  string `json:"account,omitempty"`
	Post     string `json:"post,omitempty"` // below which it is written
	From     string `json:"from,omitempty"` // empty: the account, elsewhere
	Text     string `json:"text,omitempty"`
	ReplyTo  string `json:"replyTo,omitempty"`
	Rating   int    `json:"rating,omitempty"`
	Edit     string `json:"edit,omitempty"` // the comment that gets the text and the rating
	Delete   string `json:"delete,omitempty"`
}

// Commented is a comment as the network has it.
type Commented struct {
	ID        string     `json:"id"`
	Text      string     `json:"text"`
	Hidden    bool       `json:"hidden"`
	DeletedAt *time.Time `json:"deletedAt"`
}

// Comment writes, edits or deletes a comment or a review as a person, and returns it.
func (s *Sandbox) Comment(comment Comments) Commented {
	s.t.Helper()
	var written Commented
	s.post("/_sandbox/comments", comment, &written)
	return written
}

// Written returns the only comment or message of a network with a text.
func (s *Sandbox) Written(platform, text string) Commented {
	s.t.Helper()
	var found []Commented
	query := url.Values{"platform": {platform}, "text": {text}}
	require.NoError(s.t, json.Unmarshal(s.do(http.MethodGet, "/_sandbox/messages?"+query.Encode(), nil, http.StatusOK), &found))
	require.Len(s.t, found, 1)
	return found[0]
}
