package comments

import (
	"encoding/json"
	"time"

	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/platform"
)

// Round is the place of polls in a list whose newest elements come first. Each round reads the first page, and further ones
// while they have elements that are newer than those of the round before. It is stored as the cursor of the polls.
type Round struct {
	Since  time.Time `json:"since,omitzero"`  // nothing that is older is reported
	Until  time.Time `json:"until,omitzero"`  // the newest element of the round before
	Newest time.Time `json:"newest,omitzero"` // of this round
	Page   string    `json:"page,omitempty"`  // of this round, to read next; empty: the first one

	// Longer are conversations of which the list shows a part only, to read one by one after the page.
	Longer []Longer `json:"longer,omitempty"`
	// Lengths are the lengths of those that were read.
	Lengths map[string]int `json:"lengths,omitempty"`
}

// Longer is a conversation of which a list shows a part only.
type Longer struct {
	Thread string         `json:"thread"`
	Post   string         `json:"post,omitempty"`
	Person inbox.Identity `json:"person"` // who began it; zero: the account
	Page   string         `json:"page,omitempty"`
}

// mostLengths is the number of lengths that a cursor holds. Beyond it, conversations are read once more.
const mostLengths = 200

// Resume returns the place of a poll. A cursor that cannot be read begins anew, which is harmless.
func Resume(from platform.PollPlace) Round {
	var r Round
	if json.Unmarshal([]byte(from.Cursor), &r) != nil || r.Since.IsZero() {
		r = Round{Since: from.Since.UTC()}
	}
	return r
}

// Read records a page with elements of these times and the cursor of the next page, which is empty on the last one.
func (r *Round) Read(next string, times ...time.Time) {
	oldest := r.Until
	for i, at := range times {
		if at.After(r.Newest) {
			r.Newest = at.UTC()
		}
		if i == 0 || at.Before(oldest) {
			oldest = at
		}
	}
	if r.Page = next; len(times) == 0 || !oldest.After(r.Until) || !oldest.After(r.Since) {
		r.Page = ""
	}
	if r.Page == "" {
		r.Until, r.Newest = r.Newest, time.Time{}
	}
}

// Lengthen adds a conversation whose list shows a part only, unless it was read at this length.
func (r *Round) Lengthen(of Longer, length int) {
	if r.Lengths[of.Thread] == length {
		return
	}
	if r.Lengths == nil || len(r.Lengths) >= mostLengths {
		r.Lengths = make(map[string]int)
	}
	r.Lengths[of.Thread] = length
	r.Longer = append(r.Longer, of)
}

// Polled returns the result of the poll.
func (r *Round) Polled(account platform.Account, found []Comment) platform.Polled {
	cursor, _ := json.Marshal(r) // texts and times: cannot fail
	return platform.Polled{
		Events: Events(account, r.Since, found), Cursor: string(cursor), More: r.Page != "" || len(r.Longer) > 0,
	}
}
