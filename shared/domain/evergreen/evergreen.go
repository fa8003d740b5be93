// Package evergreen defines posts that fill the free slots of a channel again and again.
package evergreen

import (
	"encoding/json"
	"fmt"
	"time"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

const (
	// MaxPerChannel is the maximum number of posts of a channel.
	MaxPerChannel = 200
	// MaxCooldown is the maximum number of days from one use of a post to the next.
	MaxCooldown = 365
	// MaxPerDay is the maximum number of posts that fill slots of one day of a channel.
	MaxPerDay = 10
	// MaxAhead is the maximum number of days of which free slots are filled.
	MaxAhead = 14
	day      = 24 * time.Hour
)

// Rule says how free slots of a channel are filled.
type Rule struct {
	ChannelID   ident.Channel
	WorkspaceID ident.Workspace
	Active      bool
	PerDay      int // posts on a day of the channel's clock at most
	Ahead       int // days
}

// NewRule returns the rule of a channel that has none.
func NewRule(workspace ident.Workspace, of ident.Channel) Rule {
	return Rule{ChannelID: of, WorkspaceID: workspace, PerDay: 1, Ahead: 2}
}

// Faults returns what is wrong with a rule, worded for people.
func (r Rule) Faults() []apperr.Field {
	var faults []apperr.Field
	for _, one := range []struct {
		name    string
		n, most int
	}{{"perDay", r.PerDay, MaxPerDay}, {"ahead", r.Ahead, MaxAhead}} {
		if one.n < 1 || one.n > one.most {
			faults = append(faults, apperr.Field{Pointer: "/" + one.name, Message: fmt.Sprintf("Enter a number from 1 to %d.", one.most)})
		}
	}
	return faults
}

// Until returns the end of the time whose free slots are filled.
func (r Rule) Until(now time.Time) time.Time { return now.Add(time.Duration(r.Ahead) * day) }

// Post is a post that fills slots of a channel.
type Post struct {
	ID          ident.Evergreen
	WorkspaceID ident.Workspace
	ChannelID   ident.Channel
	AuthorID    ident.User // in whose name posts are made
	Content     json.RawMessage
	Cooldown    int       // days from one use to the next at least
	LastAt      time.Time // of the latest use; zero: none
	Fault       string    // why the latest use is no scheduled post; empty: it is one
	CreatedAt   time.Time
}

// CooldownFault returns what is wrong with a cooldown; empty if nothing is.
func CooldownFault(days int) string {
	if days < 1 || days > MaxCooldown {
		return fmt.Sprintf("Enter a number from 1 to %d.", MaxCooldown)
	}
	return ""
}

// Rests reports whether the post was used too short a time before or after a slot.
func (p Post) Rests(at time.Time) bool {
	return !p.LastAt.IsZero() && at.Sub(p.LastAt).Abs() < time.Duration(p.Cooldown)*day
}

// Choose returns the post for a slot: of those that do not rest, the one whose use is longest ago, the oldest first. It returns
// false if all rest. The posts are ordered by their creation.
func Choose(list []Post, at time.Time) (chosen Post, ok bool) {
	for _, p := range list {
		if !p.Rests(at) && (!ok || p.LastAt.Before(chosen.LastAt)) {
			chosen, ok = p, true
		}
	}
	return chosen, ok
}
