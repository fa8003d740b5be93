package idea

import (
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/plaintext"
)

// Limits of boards: names in characters.
const (
	MaxBoards    = 20 // of a workspace
	MaxColumns   = 20 // of a board
	MaxTags      = 50 // labels of a board
	MaxBoardName = 100
	MaxName      = 50 // of a column or a label
)

// Look is the name and the color of a column or a label.
type Look struct{ Name, Color string }

// NewBoard returns a further board of a workspace, with the columns and labels of the first one. It returns VALIDATION_FAILED
// for its name, and QUOTA_EXCEEDED.
func NewBoard(workspace ident.Workspace, boards []Board, name string, now time.Time) (Board, error) {
	if len(boards) >= MaxBoards {
		return Board{}, apperr.New(apperr.QuotaExceeded, "The workspace has %d boards, and %d are allowed.", len(boards), MaxBoards)
	}
	b := DefaultBoard(workspace, now)
	var err error
	b.Name, err = boardName(name, boards, ident.IdeaBoard{})
	return b, err
}

func boardName(given string, boards []Board, but ident.IdeaBoard) (string, error) {
	var taken []string
	for _, b := range boards {
		if b.ID != but {
			taken = append(taken, b.Name)
		}
	}
	return nameOf(given, MaxBoardName, taken, "board")
}

// nameOf returns a name as it is stored; VALIDATION_FAILED if it cannot be used.
func nameOf(given string, longest int, taken []string, what string) (string, error) {
	name, fault := plaintext.Line(given, longest)
	switch {
	case fault != "":
	case name == "":
		fault = "enter a name"
	case slices.ContainsFunc(taken, func(other string) bool { return strings.EqualFold(other, name) }):
		fault = "is the name of another " + what + "; choose another name"
	default:
		return name, nil
	}
	return name, apperr.Invalid([]apperr.Field{{Pointer: "/name", Message: fault}})
}

// Rename returns the board with another name. The person saw the name as it was. It returns VALIDATION_FAILED, and ErrChanged
// if another member gave it another name meanwhile.
func (b Board) Rename(boards []Board, was, to string, now time.Time) (Board, error) {
	name, err := boardName(to, boards, b.ID)
	if err != nil {
		return b, err
	}
	var changed bool
	if b.Name, changed = merged(was, name, b.Name); changed {
		return b, ErrChanged
	}
	b.UpdatedAt = later(b.UpdatedAt, now)
	return b, nil
}

// merged returns the value of a field that a person saw as it was, and whether another member set another value meanwhile.
func merged(was, mine, theirs string) (value string, both bool) {
	switch {
	case mine == was, mine == theirs:
		return theirs, false
	case theirs != was:
		return theirs, true
	default:
		return mine, false
	}
}

// merge is merged of names and colors.
func (l Look) merge(was, mine Look) (Look, error) {
	name, changed := merged(was.Name, mine.Name, l.Name)
	color, recolored := merged(was.Color, mine.Color, l.Color)
	if changed || recolored {
		return l, ErrChanged
	}
	return Look{name, color}, nil
}

// columnName returns the name of a column as it is stored.
func (b Board) columnName(given string, but ident.IdeaColumn) (string, error) {
	var taken []string
	for _, c := range b.Columns {
		if c.ID != but {
			taken = append(taken, c.Name)
		}
	}
	return nameOf(given, MaxName, taken, "column")
}

// AddColumn returns the board with a further column, at the right. It returns VALIDATION_FAILED, and QUOTA_EXCEEDED.
func (b Board) AddColumn(in Look, now time.Time) (Board, error) {
	if len(b.Columns) >= MaxColumns {
		return b, apperr.New(apperr.QuotaExceeded, "The board has %d columns, and %d are allowed.", len(b.Columns), MaxColumns)
	}
	name, err := b.columnName(in.Name, ident.IdeaColumn{})
	b.Columns = append(slices.Clone(b.Columns), Column{ID: ident.New[ident.IdeaColumn](), Name: name, Color: in.Color})
	b.UpdatedAt = later(b.UpdatedAt, now)
	return b, err
}

// at returns the place of a column; NOT_FOUND if the board does not have it.
func (b Board) at(id ident.IdeaColumn) (int, error) {
	i := slices.IndexFunc(b.Columns, func(c Column) bool { return c.ID == id })
	if i < 0 {
		return 0, apperr.New(apperr.NotFound, "There is no column %s on this board.", id)
	}
	return i, nil
}

// ChangeColumn returns the board with another name and color of a column that the person saw as it was. It returns NOT_FOUND,
// VALIDATION_FAILED and ErrChanged.
func (b Board) ChangeColumn(id ident.IdeaColumn, was, to Look, now time.Time) (Board, error) {
	i, err := b.at(id)
	if err != nil {
		return b, err
	}
	if to.Name, err = b.columnName(to.Name, id); err != nil {
		return b, err
	}
	c := b.Columns[i]
	look, err := Look{c.Name, c.Color}.merge(was, to)
	b.Columns, b.UpdatedAt = slices.Clone(b.Columns), later(b.UpdatedAt, now)
	b.Columns[i].Name, b.Columns[i].Color = look.Name, look.Color
	return b, err
}

// ShiftColumn returns the board with a column a number of places further to the right, or to the left if it is negative.
func (b Board) ShiftColumn(id ident.IdeaColumn, by int, now time.Time) (Board, error) {
	i, err := b.at(id)
	if err != nil {
		return b, err
	}
	to := min(max(i+by, 0), len(b.Columns)-1)
	moved := b.Columns[i]
	b.Columns = slices.Insert(slices.Delete(slices.Clone(b.Columns), i, i+1), to, moved)
	b.UpdatedAt = later(b.UpdatedAt, now)
	return b, nil
}

// RemoveColumn returns the board without a column. Its cards go to the end of another one. It returns NOT_FOUND,
// VALIDATION_FAILED if it has cards and there is no column for them, and INVALID_STATE for the last column.
func (b Board) RemoveColumn(id, into ident.IdeaColumn, now time.Time) (Board, error) {
	i, err := b.at(id)
	if err != nil {
		return b, err
	}
	if len(b.Columns) == 1 {
		return b, apperr.New(apperr.InvalidState, "A board has at least one column.")
	}
	moved := b.Columns[i].Cards
	b.Columns, b.UpdatedAt = slices.Delete(slices.Clone(b.Columns), i, i+1), later(b.UpdatedAt, now)
	if moved == 0 {
		return b, nil
	}
	to, err := b.at(into)
	if err != nil {
		return b, apperr.Invalid([]apperr.Field{{Pointer: "/into", Message: "choose a column for its ideas"}})
	}
	b.Columns[to].Cards += moved
	return b, nil
}

// labelName returns the name of a label as it is stored.
func (b Board) labelName(given string, but ident.IdeaLabel) (string, error) {
	var taken []string
	for _, l := range b.Labels {
		if l.ID != but {
			taken = append(taken, l.Name)
		}
	}
	return nameOf(given, MaxName, taken, "label")
}

// AddLabel returns the board with a further label. It returns VALIDATION_FAILED, and QUOTA_EXCEEDED.
func (b Board) AddLabel(in Look, now time.Time) (Board, error) {
	if len(b.Labels) >= MaxTags {
		return b, apperr.New(apperr.QuotaExceeded, "The board has %d labels, and %d are allowed.", len(b.Labels), MaxTags)
	}
	name, err := b.labelName(in.Name, ident.IdeaLabel{})
	b.Labels = append(slices.Clone(b.Labels), Label{ID: ident.New[ident.IdeaLabel](), Name: name, Color: in.Color})
	b.UpdatedAt = later(b.UpdatedAt, now)
	return b, err
}

// ChangeLabel is ChangeColumn of a label.
func (b Board) ChangeLabel(id ident.IdeaLabel, was, to Look, now time.Time) (Board, error) {
	i, err := b.labelAt(id)
	if err != nil {
		return b, err
	}
	if to.Name, err = b.labelName(to.Name, id); err != nil {
		return b, err
	}
	l := b.Labels[i]
	look, err := Look{l.Name, l.Color}.merge(was, to)
	b.Labels, b.UpdatedAt = slices.Clone(b.Labels), later(b.UpdatedAt, now)
	b.Labels[i].Name, b.Labels[i].Color = look.Name, look.Color
	return b, err
}

// RemoveLabel returns the board without a label; NOT_FOUND if it does not have it.
func (b Board) RemoveLabel(id ident.IdeaLabel, now time.Time) (Board, error) {
	i, err := b.labelAt(id)
	if err != nil {
		return b, err
	}
	b.Labels, b.UpdatedAt = slices.Delete(slices.Clone(b.Labels), i, i+1), later(b.UpdatedAt, now)
	return b, nil
}

func (b Board) labelAt(id ident.IdeaLabel) (int, error) {
	i := slices.IndexFunc(b.Labels, func(l Label) bool { return l.ID == id })
	if i < 0 {
		return 0, apperr.New(apperr.NotFound, "There is no label %s on this board.", id)
	}
	return i, nil
}
