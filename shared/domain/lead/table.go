package lead

import (
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// MaxRows is the maximum number of rows of an imported file.
const MaxRows = 5000

// ImportLife is the time for which an import is kept.
const ImportLife = 14 * 24 * time.Hour

// Columns returns the columns of an exported file: the fields of the Lead object, and the name of the owner.
func Columns() []string {
	return []string{
		"id", "person_id", "name", "handle", "profile_url", "platform", "source", "temperature", "interest", FieldStage, FieldValue, "currency",
		FieldFollowUp, "contact_email", "contact_phone", "lost_reason", "created_at", "updated_at", FieldOwner,
	}
}

// imported are the columns that an import reads. The source of what it creates is a person.
func imported() []string {
	return []string{
		"name", "handle", "profile_url", "platform", "temperature", "interest", FieldStage, FieldValue, "currency", FieldFollowUp,
		"contact_email", "contact_phone", "lost_reason",
	}
}

// columnNames are further names of columns, as other programs write them.
var columnNames = map[string]string{
	"full name": "name", "lead": "name", "username": "handle", "user name": "handle", "account": "handle", "url": "profile_url",
	"profile": "profile_url", "link": "profile_url", "network": "platform", "notes": "interest", "status": FieldStage, "amount": FieldValue,
	"deal value": FieldValue, "follow up": FieldFollowUp, "followup": FieldFollowUp, "email": "contact_email", "e mail": "contact_email",
	"mail": "contact_email", "phone": "contact_phone", "telephone": "contact_phone", "mobile": "contact_phone", "reason": "lost_reason",
}

// ColumnsOf returns the field that each column of a heading holds, empty for columns that are not read. It returns false for a
// heading without a column of names.
func ColumnsOf(heading []string) ([]string, bool) {
	fields := make([]string, len(heading))
	for i, title := range heading {
		words := strings.Join(strings.Fields(strings.NewReplacer("_", " ", "-", " ").Replace(strings.ToLower(title))), " ")
		field := strings.ReplaceAll(words, " ", "_")
		if known := columnNames[words]; known != "" {
			field = known
		}
		if slices.Contains(imported(), field) && !slices.Contains(fields, field) {
			fields[i] = field
		}
	}
	return fields, slices.Contains(fields, "name")
}

// FromRow returns the lead of a row whose columns have the given fields. A date without a time is nine in the morning of the
// zone. The error is VALIDATION_FAILED with every fault.
func FromRow(workspace ident.Workspace, fields, cells []string, zone *time.Location) (New, error) {
	text := make(map[string]string)
	for i, field := range fields {
		if field != "" && i < len(cells) {
			text[field] = strings.TrimSpace(cells[i])
		}
	}
	upper := func(field string) string { return strings.ReplaceAll(strings.ToUpper(text[field]), " ", "_") }
	in := New{
		WorkspaceID: workspace, Name: text["name"], Handle: text["handle"], ProfileURL: text["profile_url"], Source: SourceManual,
		Platform: Platform(upper("platform")), Temperature: Temperature(upper("temperature")), Interest: text["interest"],
		Stage: Stage(upper(FieldStage)), Value: text[FieldValue], Currency: upper("currency"), ContactEmail: text["contact_email"],
		ContactPhone: text["contact_phone"], LostReason: text["lost_reason"],
	}
	faults := apperr.FieldsOf(in.Check())
	if at := text[FieldFollowUp]; at != "" {
		var known bool
		if in.FollowUpAt, known = parseTime(at, zone); !known {
			faults = append(faults, apperr.Field{Pointer: "/" + FieldFollowUp, Message: "is not a time, such as 2026-12-24 or 2026-12-24 15:00"})
		}
	}
	return in, apperr.Invalid(faults)
}

// morning is the hour of a date without a time.
const morning = 9

func parseTime(text string, zone *time.Location) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04", "2006-01-02T15:04", time.DateOnly} {
		at, err := time.ParseInLocation(layout, text, zone)
		if err != nil {
			continue
		}
		if layout == time.DateOnly {
			at = time.Date(at.Year(), at.Month(), at.Day(), morning, 0, 0, 0, zone)
		}
		return at, true
	}
	return time.Time{}, false
}

// Row returns the cells of the columns of an exported file.
func (l Lead) Row(owner string) []string {
	at := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.UTC().Format(time.RFC3339)
	}
	person := ""
	if !l.PersonID.IsZero() {
		person = l.PersonID.String()
	}
	return []string{
		l.ID.String(), person, l.Name, l.Handle, l.ProfileURL, string(l.Platform), string(l.Source), string(l.Temperature), l.Interest,
		string(l.Stage), string(l.Value), l.Currency, at(l.FollowUpAt), l.ContactEmail, l.ContactPhone, l.LostReason, at(l.CreatedAt),
		at(l.UpdatedAt), owner,
	}
}

// Import is a file of leads that a person imports.
type Import struct {
	ID          ident.LeadImport
	WorkspaceID ident.Workspace
	UserID      ident.User
	Name        string   // of the file
	Columns     []string // the field of each column
	Rows        []ImportRow
	Anyway      bool // also leads of persons who are known
	Done        int  // rows: the import goes on with the next one
	Created     int
	Known       int // left out, because there is such a lead
	Faulty      int // left out, because of a fault
	CreatedAt   time.Time
}

// ImportRow is a row of a file.
type ImportRow struct {
	Line  int      `json:"line"`
	Cells []string `json:"cells"`
}
