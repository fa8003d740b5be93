package plan

import (
	"time"

	"fencepost.internal/shared/kernel/ident"
)

// MaxText is the maximum number of characters of a note.
const MaxText = 500

// Note is a text that a person wrote on a day of the calendar.
type Note struct {
	ID          ident.Note
	WorkspaceID ident.Workspace
	Day         time.Time // midnight in UTC of the day, which is one of the calendar and not of a zone
	Text        string
	Author      string // name of the person, as it was
	CreatedAt   time.Time
}
