// Package plan defines the import of posts from files that spreadsheets write, the notes on days of the calendar, and the
// calendar feeds of people.
package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/kernel/ident"
)

// Limits of imports.
const (
	MaxFile    = 5 << 20 // bytes
	MaxRows    = 2000
	MaxColumns = 100
	MaxKept    = 10 // imports of a person in a workspace; the oldest make room
	// Life is the time for which an import is kept after its last change.
	Life = 14 * 24 * time.Hour
)

// Column is the content of a column of a file.
type Column string

// Columns of an import and of an export. The empty column is ignored.
const (
	Date       Column = "date" // a date, or a date and a time
	Time       Column = "time"
	Zone       Column = "zone"
	Channel    Column = "channel"
	Text       Column = "text"
	Title      Column = "title"
	Media      Column = "media"
	AltText    Column = "altText"
	Labels     Column = "labels"
	ExternalID Column = "externalId"
	State      Column = "state"
	PostID     Column = "postId" // of a post of the workspace
)

// Columns lists the columns, in the order of an export.
func Columns() []Column {
	return []Column{Date, Time, Zone, Channel, Text, Title, Media, AltText, Labels, ExternalID, State, PostID}
}

// Known reports whether the column exists.
func (c Column) Known() bool { return slices.Contains(Columns(), c) }

// Order is the order of day and month in dates such as 03/04/2026.
type Order string

// Orders of dates. The empty one is not decided.
const (
	DayFirst   Order = "dmy"
	MonthFirst Order = "mdy"
)

// Known reports whether the order is decided.
func (o Order) Known() bool { return o == DayFirst || o == MonthFirst }

// LeftOut is the answer for a channel name whose rows are not imported.
const LeftOut = "-"

// Settings say how the rows of a file are read.
type Settings struct {
	Header  bool     `json:"header"` // the first row has the names of the columns
	Columns []Column `json:"columns"`
	Order   Order    `json:"order,omitempty"`
	// Schedules reports that rows without a state are scheduled, instead of saved as drafts.
	Schedules bool `json:"schedules,omitempty"`
	// Drafts reports that all rows are saved as drafts.
	Drafts bool `json:"drafts,omitempty"`
	// Channels has the channel, or LeftOut, that a person chose for a name, by the name in lower case.
	Channels map[string]string `json:"channels,omitempty"`
	// Files has the import of each address of the web that was fetched, by the address.
	Files map[string]ident.Media `json:"files,omitempty"`
}

// Index returns the place of a column in the rows; -1 if the file lacks it.
func (s Settings) Index(c Column) int { return slices.Index(s.Columns, c) }

// Import is a file that a person imports. Others do not see it.
type Import struct {
	ID          ident.PlanImport
	WorkspaceID ident.Workspace
	UserID      ident.User
	Name        string // of the file
	Format      string // how it was read, for people
	Settings    Settings
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Row is a row of a file.
type Row struct {
	Line  int // in the file, where the row begins
	Cells []string
	Key   string // identifies the row in every copy of the file; see KeyOf
}

// KeyOf returns the external ID of a row without one: that of the row as the file has it, so that the same file imports
// nothing twice, also after a row was changed in the import.
func KeyOf(cells []string) string {
	end := len(cells)
	for end > 0 && cells[end-1] == "" {
		end--
	}
	sum := sha256.Sum256([]byte(strings.Join(cells[:end], "\x1f")))
	return "csv-" + hex.EncodeToString(sum[:16])
}

// Feed is the calendar feed of a person for a workspace.
type Feed struct {
	WorkspaceID ident.Workspace
	UserID      ident.User
	CreatedAt   time.Time
	ReadAt      time.Time // zero: never
}
