// Package lead defines leads, which are potential customers, and their stages. Leads are managed in the application;
// integrators receive only the events lead.created and lead.stage_changed (docs/contract.md, Leads).
//
// Decisions are pure functions: they take the current lead and return a Change, which the store writes in one
// transaction with its event.
package lead

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/kernel/ident"
)

// Stage is the stage of a lead.
type Stage string

// Stages (docs/contract.md, Leads).
const (
	StageNew       Stage = "NEW"
	StageContacted Stage = "CONTACTED"
	StageQualified Stage = "QUALIFIED"
	StageProposal  Stage = "PROPOSAL"
	StageWon       Stage = "WON"
	StageLost      Stage = "LOST"
)

// Stages lists every stage in the published order. A lead may move from any stage to any other.
func Stages() []Stage {
	return []Stage{StageNew, StageContacted, StageQualified, StageProposal, StageWon, StageLost}
}

// Open reports whether a lead of the stage is still worked on.
func (s Stage) Open() bool { return s != StageWon && s != StageLost }

// Known reports whether the stage exists.
func (s Stage) Known() bool { return slices.Contains(Stages(), s) }

// Source is the way in which a lead was captured.
type Source string

// Sources (docs/contract.md, Leads).
const (
	SourceAgent     Source = "SALES_LEAD_AGENT"
	SourceExtension Source = "BROWSER_EXTENSION"
	SourceManual    Source = "MANUAL"
)

// Sources lists every source.
func Sources() []Source { return []Source{SourceAgent, SourceExtension, SourceManual} }

// Temperature is the estimated likelihood that a lead will buy.
type Temperature string

// Temperatures of leads.
const (
	TemperatureCold Temperature = "COLD"
	TemperatureWarm Temperature = "WARM"
	TemperatureHot  Temperature = "HOT"
)

// Temperatures lists every temperature, coldest first.
func Temperatures() []Temperature {
	return []Temperature{TemperatureCold, TemperatureWarm, TemperatureHot}
}

// Platform is the platform on which a lead was found.
type Platform string

// Platforms lists every platform, one for all channel types of a network.
func Platforms() []Platform {
	return []Platform{
		"FACEBOOK", "INSTAGRAM", "TWITTER", "LINKEDIN", "TIKTOK", "YOUTUBE", "PINTEREST", "GOOGLE_BUSINESS", "THREADS",
		"TELEGRAM", "WHATSAPP", "BLUESKY", "MASTODON",
	}
}

// Lead is a potential customer. All fields except the name, the source and the stage may be unknown, and are then zero.
type Lead struct {
	ID           ident.Lead
	WorkspaceID  ident.Workspace
	PersonID     ident.Person
	Name         string
	Handle       string
	ProfileURL   string
	Platform     Platform
	Source       Source
	Temperature  Temperature
	Interest     string
	Stage        Stage
	Value        Amount // set together with Currency
	Currency     string
	FollowUpAt   time.Time
	ContactEmail string
	ContactPhone string
	LostReason   string // only while LOST
	CreatedAt    time.Time
	UpdatedAt    time.Time

	// The following are only in the application, not in events.

	OwnerID    ident.User // the member who works on it; zero: none
	FollowUpBy ident.User // the member who planned the follow-up
	RemindedAt time.Time  // the follow-up of which a member was reminded; see Due
	Revision   int64      // counts the changes by people
	Score      int        // of the Sales Lead agent, 0 to 100
	CaptureKey string     // of the capture that created it: one capture creates one lead; empty: none
}

// Due reports whether a member must still be reminded of the follow-up, at its time.
func (l Lead) Due() bool {
	return l.Stage.Open() && !l.FollowUpAt.IsZero() && !l.RemindedAt.Equal(l.FollowUpAt)
}

// Overdue reports whether the time of the follow-up is over.
func (l Lead) Overdue(now time.Time) bool {
	return l.Stage.Open() && !l.FollowUpAt.IsZero() && l.FollowUpAt.Before(now)
}

// Object returns the lead in the form used in events.
func (l Lead) Object() event.Lead {
	object := event.Lead{
		ID: l.ID, Name: l.Name, Handle: optional(l.Handle), ProfileURL: optional(l.ProfileURL),
		Platform: optional(l.Platform),
		Source:   string(l.Source), Temperature: optional(l.Temperature), Interest: optional(l.Interest),
		Stage:    string(l.Stage),
		Currency: optional(l.Currency), ContactEmail: optional(l.ContactEmail), ContactPhone: optional(l.ContactPhone),
		LostReason: optional(l.LostReason), CreatedAt: event.FormatTime(l.CreatedAt),
		UpdatedAt: event.FormatTime(l.UpdatedAt),
	}
	if !l.PersonID.IsZero() {
		object.PersonID = optional(l.PersonID.String())
	}
	if !l.FollowUpAt.IsZero() {
		object.FollowUpAt = optional(event.FormatTime(l.FollowUpAt))
	}
	if l.Value != "" {
		value := json.Number(l.Value)
		object.Value = &value
	}
	return object
}

func optional[S ~string](text S) *string {
	if text == "" {
		return nil
	}
	plain := string(text)
	return &plain
}

// PlatformOf returns the platform of a channel type such as TELEGRAM_BUSINESS; empty if there is none.
func PlatformOf(channelType string) Platform {
	for _, p := range Platforms() {
		if strings.HasPrefix(channelType, string(p)) {
			return p
		}
	}
	return ""
}

// phoneDigits are names by which a platform knows a person that are telephone numbers.
var phoneDigits = regexp.MustCompile(`^[0-9]{6,15}$`)

// Reach returns the address of a profile and the telephone number of a person, as far as a platform's names of the person
// have them.
func (p Platform) Reach(username string, names []string) (profile, phone string) {
	switch {
	case p == "TELEGRAM" && username != "":
		profile = "https://t.me/" + url.PathEscape(username)
	case p == "BLUESKY" && username != "":
		profile = "https://bsky.app/profile/" + url.PathEscape(username)
	case p == "WHATSAPP":
		for _, name := range names {
			if phoneDigits.MatchString(name) {
				phone = "+" + name
			}
		}
	}
	return profile, phone
}
