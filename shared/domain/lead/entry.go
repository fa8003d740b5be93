package lead

import (
	"time"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/plaintext"
)

// EntryKind is the kind of an entry of a lead's timeline.
type EntryKind string

// Kinds of entries.
const (
	EntryCreated  EntryKind = "CREATED"
	EntryChanged  EntryKind = "CHANGED"
	EntryNote     EntryKind = "NOTE"
	EntryReminded EntryKind = "REMINDED"
	EntryLinked   EntryKind = "LINKED" // to a conversation
	EntryScored   EntryKind = "SCORED" // by the Sales Lead agent
)

// Entry is an entry of the timeline of a lead.
type Entry struct {
	Kind     EntryKind
	UserID   ident.User // zero: the service
	At       time.Time
	Revision int64 // of the lead, after a change
	Text     string
	Changes  []FieldChange
}

// FieldChange is the change of one field of a lead. The names are those of the Lead object, and owner.
type FieldChange struct {
	Field string `json:"field"`
	From  string `json:"from,omitempty"`
	To    string `json:"to,omitempty"`
}

// Fields of changes that are not texts.
const (
	FieldOwner    = "owner"
	FieldStage    = "stage"
	FieldFollowUp = "follow_up_at"
	FieldValue    = "value"
)

// Fields returns what the change changes, in the order of the Lead object.
func (c Change) Fields() []FieldChange {
	var changed []FieldChange
	before, after := c.From.texts(), c.Lead.texts()
	for i, field := range after {
		if before[i].To != field.To {
			changed = append(changed, FieldChange{Field: field.Field, From: before[i].To, To: field.To})
		}
	}
	return changed
}

// texts returns the fields as texts.
func (l Lead) texts() []FieldChange {
	owner, follow, value := "", "", string(l.Value)
	if !l.OwnerID.IsZero() {
		owner = l.OwnerID.String()
	}
	if !l.FollowUpAt.IsZero() {
		follow = l.FollowUpAt.UTC().Format(time.RFC3339)
	}
	if value != "" {
		value += " " + l.Currency
	}
	return []FieldChange{
		{Field: "name", To: l.Name},
		{Field: "handle", To: l.Handle},
		{Field: "profile_url", To: l.ProfileURL},
		{Field: "platform", To: string(l.Platform)},
		{Field: "temperature", To: string(l.Temperature)},
		{Field: "interest", To: l.Interest},
		{Field: FieldStage, To: string(l.Stage)},
		{Field: FieldValue, To: value},
		{Field: FieldFollowUp, To: follow},
		{Field: "contact_email", To: l.ContactEmail},
		{Field: "contact_phone", To: l.ContactPhone},
		{Field: "lost_reason", To: l.LostReason},
		{Field: FieldOwner, To: owner},
	}
}

// Note returns the entry of a note; VALIDATION_FAILED for an empty or too long one.
func Note(text string, by ident.User, now time.Time) (Entry, error) {
	note, fault := plaintext.Lines(text, MaxNote)
	if fault == "" && note == "" {
		fault = "is required"
	}
	if fault != "" {
		return Entry{}, apperr.Invalid([]apperr.Field{{Pointer: "/note", Message: fault}})
	}
	return Entry{Kind: EntryNote, UserID: by, At: now, Text: note}, nil
}
