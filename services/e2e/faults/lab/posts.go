package lab

import (
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
)

// outcomeUnknown is the error code of a post whose outcome cannot be determined.
const outcomeUnknown = "OUTCOME_UNKNOWN"

// unaskable reports whether the network cannot be queried for a post whose response was lost.
func unaskable(typ channel.Type) bool {
	return typ == channel.TelegramChannel || typ == channel.LinkedInProfile
}

// publishedOnce checks I1: a network has at most one accepted creation of a post.
func publishedOnce(e Evidence, _ terms) []Violation {
	var wrong []Violation
	for _, p := range e.Posts {
		if n := len(e.onNetwork(p.Content, channel.Type(p.Type))); n > 1 {
			wrong = append(wrong, violation("I1", "post %s (%s) is %d times on the network", p.ID, p.Content, n))
		}
	}
	confirmed := make(map[string]int)
	for _, a := range e.Attempts {
		if a.State == "CONFIRMED" {
			if confirmed[a.PostID]++; confirmed[a.PostID] == 2 {
				wrong = append(wrong, violation("I1", "post %s has two confirmed attempts", a.PostID))
			}
		}
	}
	return wrong
}

// nothingLost checks I2: an accepted post exists and is final, or its time is in the future.
func nothingLost(e Evidence, _ terms) []Violation {
	posts := e.postsByID()
	var wrong []Violation
	for _, a := range e.Accepted {
		p, found := posts[a.ID]
		switch {
		case !found:
			wrong = append(wrong, violation("I2", "post %s (%s) was accepted and is missing", a.ID, a.Text))
		case p.Status == string(post.Scheduled) && p.ScheduledAt.Before(time.Now()):
			wrong = append(wrong, violation("I2", "post %s (%s) is still SCHEDULED for %s", p.ID, p.Content, p.ScheduledAt))
		}
	}
	return wrong
}

// allPublished checks the part of I2 that a scenario requires with AllPublished.
func allPublished(e Evidence, t terms) []Violation {
	if !t.published {
		return nil
	}
	posts := e.postsByID()
	var wrong []Violation
	for _, a := range e.Accepted {
		p := posts[a.ID]
		unknowable := unaskable(a.Type) && value(p.ErrorCode) == outcomeUnknown
		if p.Status != string(post.Published) && !unknowable {
			wrong = append(wrong, violation("I2", "post %s (%s) was to be published and is %s %s", a.ID, a.Text, p.Status,
				value(p.ErrorCode)))
		}
	}
	return wrong
}

// statesTrue checks I4: a PUBLISHED post is on the network, a post in any other state is not, and an outcome that
// cannot be determined is recorded as unknown.
func statesTrue(e Evidence, t terms) []Violation {
	var wrong []Violation
	unknown := t.unknown
	for _, p := range e.Posts {
		typ := channel.Type(p.Type)
		n := len(e.onNetwork(p.Content, typ))
		ambiguous := p.Status == string(post.Failed) && value(p.ErrorCode) == outcomeUnknown
		switch {
		case p.Claimed != nil && p.Status != string(post.Scheduled):
			wrong = append(wrong, violation("I4", "post %s is %s and still claimed", p.ID, p.Status))
		case e.deleted(p.ID) && (n > 0 || value(p.PostURL) != ""):
			wrong = append(wrong, violation("I4", "post %s (%s) was deleted from the network and is there", p.ID, p.Content))
		case e.deleted(p.ID):
		case p.Status == string(post.Published) && n == 0:
			wrong = append(wrong, violation("I4", "post %s (%s) is PUBLISHED but not on the network", p.ID, p.Content))
		case p.Status == string(post.Published) && p.PublishedAt != nil && value(p.PostURL) == "" &&
			typ == channel.LinkedInProfile:
			// LinkedIn sometimes responds with success but without the post's id, and a person's posts cannot be read.
		case p.Status == string(post.Published) && (p.PublishedAt == nil || value(p.PostURL) == ""):
			wrong = append(wrong, violation("I4", "post %s is PUBLISHED without its time or address", p.ID))
		case p.Status == string(post.Published):
			wrong = append(wrong, addressTrue(e, p, typ)...)
		case ambiguous && value(p.Retryable):
			wrong = append(wrong, violation("I4", "post %s has an unknown outcome and claims that trying again is safe", p.ID))
		case ambiguous && !unaskable(typ):
			if unknown--; unknown < 0 {
				wrong = append(wrong, violation("I4", "post %s (%s): %s could be queried, but the outcome is unknown", p.ID,
					p.Content, typ))
			}
		case ambiguous: // either is correct
		case n > 0 && p.Status != string(post.Archived):
			wrong = append(wrong, violation("I4", "post %s (%s) is %s %s but on the network", p.ID, p.Content, p.Status,
				value(p.ErrorCode)))
		}
	}
	return wrong
}

// deleted reports whether a person deleted the published post from its network.
func (e Evidence) deleted(id string) bool {
	return slices.Contains(e.Timeline, TimelineRow{PostID: id, Kind: string(post.EntryLiveDeleted)})
}

// addressTrue checks the part of I4 that a published post refers to its own post on the network.
func addressTrue(e Evidence, p PostRow, typ channel.Type) []Violation {
	for _, a := range e.Attempts {
		if a.PostID != p.ID || a.State != "CONFIRMED" {
			continue
		}
		for _, entry := range e.onNetwork(p.Content, typ) {
			if strings.Contains(value(a.ExternalID), entry.ID) && value(a.PostURL) == value(p.PostURL) {
				return nil
			}
		}
		return []Violation{
			violation("I4", "post %s points at %s (%s), which is another post", p.ID, value(p.PostURL), value(a.ExternalID)),
		}
	}
	return []Violation{violation("I4", "post %s is PUBLISHED without a confirmed attempt", p.ID)}
}

// unscheduledStays checks I6: a post that is no longer planned is never published.
func unscheduledStays(e Evidence, _ terms) []Violation {
	var wrong []Violation
	for _, p := range e.Posts {
		planned := p.Status != string(post.Draft) && p.Status != string(post.PendingApproval)
		if n := len(e.onNetwork(p.Content, channel.Type(p.Type))); !planned && n > 0 {
			wrong = append(wrong, violation("I6", "post %s (%s) is %s and on the network", p.ID, p.Content, p.Status))
		}
	}
	return wrong
}

// oncePerKey checks I7: every accepted request created exactly its own post.
func oncePerKey(e Evidence, _ terms) []Violation {
	byText := make(map[string][]string)
	for _, p := range e.Posts {
		byText[p.Content] = append(byText[p.Content], p.ID)
	}
	var wrong []Violation
	requested := make(map[string]bool)
	for _, a := range e.Accepted {
		requested[a.Text] = true
		if created := byText[a.Text]; a.Key != "" && (len(created) != 1 || created[0] != a.ID) {
			wrong = append(wrong, violation("I7", "the key %s of post %s (%s) created the posts %v", a.Key, a.ID, a.Text, created))
		}
	}
	for text, created := range byText {
		if !requested[text] {
			wrong = append(wrong, violation("I7", "no client has a response with the posts %v (%s)", created, text))
		}
	}
	return wrong
}

// neverEarly checks I10: no post is published before its time, or later than the scenario allows.
func neverEarly(e Evidence, t terms) []Violation {
	var wrong []Violation
	for _, p := range e.Posts {
		if p.Status != string(post.Published) || p.ScheduledAt == nil {
			continue
		}
		out := *p.PublishedAt
		for _, entry := range e.onNetwork(p.Content, channel.Type(p.Type)) {
			if entry.Created.Before(out) {
				out = entry.Created
			}
		}
		// The network's times have a resolution of milliseconds.
		if late := out.Sub(*p.ScheduledAt); late < -time.Millisecond {
			wrong = append(wrong, violation("I10", "post %s went out %s before its time", p.ID, -late))
		} else if t.lateness > 0 && late > t.lateness {
			wrong = append(wrong, violation("I10", "post %s went out %s after its time, at most %s are allowed", p.ID, late,
				t.lateness))
		}
	}
	return wrong
}

func (e Evidence) postsByID() map[string]PostRow {
	posts := make(map[string]PostRow, len(e.Posts))
	for _, p := range e.Posts {
		posts[p.ID] = p
	}
	return posts
}

func value[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}
