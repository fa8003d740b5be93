// Package lead defines leads, which are potential customers, and their stages. Leads are managed in the application;
// integrators receive only the events lead.created and lead.stage_changed (docs/contract.md, Leads).
//
// Decisions are pure functions: they take the current lead and return a Change, which the store writes in one
// transaction with its event.
package lead

import (
	"encoding/json"
	"slices"
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
		"TELEGRAM", "WHATSAPP",
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
