package idea_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/idea"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

var hour = now.Add(time.Hour)

// noted returns a board and a card with every field.
func noted(t *testing.T) (idea.Board, idea.Card) {
	t.Helper()
	b := board()
	c, err := b.AddCard(idea.NewCard{
		Title: "Kiln", Content: "Three photos", Link: "https://example.com/kiln", LabelIDs: []ident.IdeaLabel{b.Labels[0].ID},
		MediaIDs: []ident.Media{ident.New[ident.Media]()}, Due: now.Truncate(24 * time.Hour), AuthorID: ident.New[ident.User](),
	}, now)
	require.NoError(t, err)
	require.Equal(t, c.AuthorID, c.EditorID)
	return b, c
}

// entered returns the form of a card as a person opened it.
func entered(c idea.Card) idea.EditCard {
	return idea.EditCard{
		NewCard: idea.NewCard{
			Title: c.Title, Content: c.Content, Link: c.Link, LabelIDs: c.LabelIDs, MediaIDs: c.MediaIDs, Due: c.Due,
		},
		Seen: c.Prints(), By: ident.New[ident.User](),
	}
}

func TestNewCardKeepsItsID(t *testing.T) {
	t.Parallel()
	id := ident.New[ident.IdeaCard]()
	c, err := board().AddCard(idea.NewCard{ID: id, Title: "a"}, now)
	require.NoError(t, err)
	require.Equal(t, id, c.ID)
}

func TestEditCard(t *testing.T) {
	t.Parallel()
	b, c := noted(t)
	in := entered(c)
	same, err := b.EditCard(c, in, hour)
	require.NoError(t, err)
	require.Equal(t, c, same, "nothing was changed")

	in.Title, in.Content, in.Link, in.Due = " Two kilns ", "a\r\nb", "", time.Time{}
	in.LabelIDs, in.MediaIDs = []ident.IdeaLabel{b.Labels[2].ID, ident.New[ident.IdeaLabel](), b.Labels[1].ID}, nil
	got, err := b.EditCard(c, in, hour)
	require.NoError(t, err)
	want := c
	want.Title, want.Content, want.Link, want.Due, want.MediaIDs = "Two kilns", "a\nb", "", time.Time{}, nil
	want.LabelIDs, want.EditorID, want.UpdatedAt = []ident.IdeaLabel{b.Labels[1].ID, b.Labels[2].ID}, in.By, hour
	require.Equal(t, want, got, "a label that the board does not have is left out")

	got, err = b.EditCard(c, in, now.Add(-time.Hour))
	require.NoError(t, err)
	require.Equal(t, now, got.UpdatedAt, "a clock behind does not turn time back")
	in.Title = ""
	_, err = b.EditCard(c, in, hour)
	require.Equal(t, []string{"/title"}, pointers(t, err))
}

// TestEditsOfTwoMeet checks that edits of different fields are both kept, and that those of the same field are reported.
func TestEditsOfTwoMeet(t *testing.T) {
	t.Parallel()
	b, c := noted(t)
	mine, theirs := entered(c), entered(c)
	theirs.Title, theirs.Content = "Theirs", "Theirs too"
	stored, err := b.EditCard(c, theirs, hour)
	require.NoError(t, err)

	mine.Link = "https://example.com/mine"
	both, err := b.EditCard(stored, mine, hour)
	require.NoError(t, err)
	require.Equal(t, []string{"Theirs", "Theirs too", "https://example.com/mine"}, []string{both.Title, both.Content, both.Link})

	mine.Title, mine.Content = "Mine", "Theirs too"
	_, err = b.EditCard(stored, mine, hour)
	var conflict *idea.Conflict
	require.ErrorAs(t, err, &conflict)
	require.ErrorIs(t, err, idea.ErrChanged)
	require.Equal(t, []string{idea.FieldTitle}, conflict.Fields, "both wrote the same notes")
	require.ErrorContains(t, err, "title")

	mine.Seen = stored.Prints()
	got, err := b.EditCard(stored, mine, hour)
	require.NoError(t, err)
	require.Equal(t, "Mine", got.Title, "after a look at what the other one wrote")
	mine.Seen = nil
	mine.Title = "Unseen"
	_, err = b.EditCard(stored, mine, hour)
	require.ErrorIs(t, err, idea.ErrChanged, "who has seen nothing replaces nothing")
}

func TestMoveCard(t *testing.T) {
	t.Parallel()
	b, c := noted(t)
	order := []ident.IdeaCard{c.ID, ident.New[ident.IdeaCard](), ident.New[ident.IdeaCard]()}
	other := []ident.IdeaCard{ident.New[ident.IdeaCard](), ident.New[ident.IdeaCard]()}
	first, second := b.Columns[0].ID, b.Columns[1].ID
	for name, one := range map[string]struct {
		in    idea.Move
		cards []ident.IdeaCard
		want  int
	}{
		"the end":               {idea.Move{To: first}, order, 2},
		"above itself":          {idea.Move{To: first, Before: c.ID, Position: new(0)}, order, 0},
		"above the last":        {idea.Move{To: first, Before: order[2]}, order, 1},
		"another column":        {idea.Move{To: second, From: first}, other, 2},
		"the top":               {idea.Move{To: second, Position: new(-3)}, other, 0},
		"beyond the end":        {idea.Move{To: second, Position: new(9)}, other, 2},
		"above one that is off": {idea.Move{To: second, Before: order[1], Position: new(1)}, other, 1},
		"below the first":       {idea.Move{To: second, After: other[0]}, other, 1},
		"below one that is off": {idea.Move{To: second, Before: order[1], After: order[2]}, other, 2},
		"where it was moved to": {idea.Move{To: first, From: second}, order, 2},
	} {
		one.in.By = ident.New[ident.User]()
		got, err := b.MoveCard(c, one.in, one.cards, hour)
		require.NoError(t, err, name)
		require.Equal(t, one.in.To, got.ColumnID, name)
		require.Equal(t, one.want, got.Position, name)
		if one.in.To == first && one.want == 0 {
			require.Equal(t, c, got, "%s: it stays", name)
			continue
		}
		require.Equal(t, hour, got.UpdatedAt, name)
		require.Equal(t, one.in.By, got.EditorID, name)
	}
	_, err := b.MoveCard(c, idea.Move{}, nil, hour)
	require.Equal(t, []string{"/to"}, pointers(t, err))
	_, err = b.MoveCard(c, idea.Move{To: board().Columns[0].ID}, nil, hour)
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
	_, err = b.MoveCard(c, idea.Move{To: b.Columns[2].ID, From: second}, nil, hour)
	require.ErrorIs(t, err, idea.ErrMoved)
}

func TestCaptured(t *testing.T) {
	t.Parallel()
	long := "https://a.example/" + strings.Repeat("ä", idea.MaxTitle)
	for given, want := range map[string][2]string{
		"Kiln":                             {"Kiln", ""},
		"https://a.example/":               {"a.example", "https://a.example/"},
		" http://a.example/b?c=d#e ":       {"a.example/b?c=d#e", "http://a.example/b?c=d#e"},
		"Trends  https://a.example/b now":  {"Trends now", "https://a.example/b"},
		"Two https://a.example http://b.c": {"Two http://b.c", "https://a.example"},
		"javascript:alert(1)":              {"javascript:alert(1)", ""},
		"a\nhttps://a.example":             {"a\nhttps://a.example", ""},
		long:                               {string([]rune(long)[8:8+idea.MaxTitle-1]) + "…", long},
	} {
		got := idea.NewCard{Title: given}.Captured()
		require.Equal(t, want, [2]string{got.Title, got.Link}, given)
	}
	kept := idea.NewCard{Title: "https://a.example", Link: "https://b.example"}
	require.Equal(t, kept, kept.Captured(), "it has a link")
}

func names(b idea.Board) (columns, labels []string) {
	for _, c := range b.Columns {
		columns = append(columns, c.Name)
	}
	for _, l := range b.Labels {
		labels = append(labels, l.Name)
	}
	return columns, labels
}

func TestBoards(t *testing.T) {
	t.Parallel()
	first := board()
	b, err := idea.NewBoard(first.WorkspaceID, []idea.Board{first}, " Winter ", hour)
	require.NoError(t, err)
	require.Equal(t, "Winter", b.Name)
	require.Equal(t, first.WorkspaceID, b.WorkspaceID)
	require.Len(t, b.Columns, 4)
	for _, name := range []string{"", " ", "IDEAS", "a\nb", strings.Repeat("x", idea.MaxBoardName+1)} {
		_, err := idea.NewBoard(first.WorkspaceID, []idea.Board{first}, name, hour)
		require.Equal(t, []string{"/name"}, pointers(t, err), name)
	}
	_, err = idea.NewBoard(first.WorkspaceID, make([]idea.Board, idea.MaxBoards), "One more", hour)
	require.True(t, apperr.Is(err, apperr.QuotaExceeded), "%v", err)

	all := []idea.Board{first, b}
	renamed, err := b.Rename(all, "Winter", "winter", hour)
	require.NoError(t, err)
	require.Equal(t, "winter", renamed.Name, "its own name is not taken")
	_, err = b.Rename(all, "Winter", "Ideas", hour)
	require.Equal(t, []string{"/name"}, pointers(t, err))
	_, err = renamed.Rename(all, "Winter", "Summer", hour)
	require.ErrorIs(t, err, idea.ErrChanged)
	same, err := renamed.Rename(all, "Winter", "Winter", hour)
	require.NoError(t, err)
	require.Equal(t, "winter", same.Name, "who changed nothing keeps what others set")
}

func TestColumns(t *testing.T) {
	t.Parallel()
	b := board()
	added, err := b.AddColumn(idea.Look{Name: " Later ", Color: "#1f7a3a"}, hour)
	require.NoError(t, err)
	columns, _ := names(added)
	require.Equal(t, []string{"Ideas", "In progress", "Ready", "Done", "Later"}, columns)
	require.Equal(t, hour, added.UpdatedAt)
	require.Len(t, b.Columns, 4, "the board that was read is not changed")
	last := added.Columns[4].ID
	_, err = added.AddColumn(idea.Look{Name: "LATER"}, hour)
	require.Equal(t, []string{"/name"}, pointers(t, err))
	full := b
	for len(full.Columns) < idea.MaxColumns {
		full.Columns = append(full.Columns, idea.Column{})
	}
	_, err = full.AddColumn(idea.Look{Name: "One more"}, hour)
	require.True(t, apperr.Is(err, apperr.QuotaExceeded), "%v", err)

	was := idea.Look{Name: "Later", Color: "#1f7a3a"}
	changed, err := added.ChangeColumn(last, was, idea.Look{Name: "Someday", Color: "#1f7a3a"}, hour)
	require.NoError(t, err)
	recolored, err := changed.ChangeColumn(last, was, idea.Look{Name: "Later", Color: ""}, hour)
	require.NoError(t, err)
	require.Equal(t, idea.Column{ID: last, Name: "Someday"}, recolored.Columns[4], "both changes are kept")
	_, err = changed.ChangeColumn(last, was, idea.Look{Name: "Never", Color: "#1f7a3a"}, hour)
	require.ErrorIs(t, err, idea.ErrChanged)
	_, err = added.ChangeColumn(last, was, idea.Look{Name: "Done"}, hour)
	require.Equal(t, []string{"/name"}, pointers(t, err))

	for by, want := range map[int][]string{
		-1: {"Ideas", "In progress", "Ready", "Later", "Done"}, 1: {"Ideas", "In progress", "Ready", "Done", "Later"},
		-9: {"Later", "Ideas", "In progress", "Ready", "Done"},
	} {
		shifted, err := added.ShiftColumn(last, by, hour)
		require.NoError(t, err)
		columns, _ = names(shifted)
		require.Equal(t, want, columns)
	}

	added.Columns[4].Cards, added.Columns[0].Cards = 3, 2
	removed, err := added.RemoveColumn(last, added.Columns[0].ID, hour)
	require.NoError(t, err)
	require.Equal(t, 5, removed.Columns[0].Cards)
	require.Len(t, removed.Columns, 4)
	for _, into := range []ident.IdeaColumn{{}, last, ident.New[ident.IdeaColumn]()} {
		_, err = added.RemoveColumn(last, into, hour)
		require.Equal(t, []string{"/into"}, pointers(t, err))
	}
	empty, err := added.RemoveColumn(added.Columns[1].ID, ident.IdeaColumn{}, hour)
	require.NoError(t, err)
	require.Len(t, empty.Columns, 4)
	single := b
	single.Columns = b.Columns[:1]
	_, err = single.RemoveColumn(b.Columns[0].ID, ident.IdeaColumn{}, hour)
	require.True(t, apperr.Is(err, apperr.InvalidState), "%v", err)

	foreign := ident.New[ident.IdeaColumn]()
	_, err1 := b.ChangeColumn(foreign, idea.Look{}, idea.Look{Name: "x"}, hour)
	_, err2 := b.ShiftColumn(foreign, 1, hour)
	_, err3 := b.RemoveColumn(foreign, last, hour)
	for _, err := range []error{err1, err2, err3} {
		require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
	}
}

func TestLabelsOfBoards(t *testing.T) {
	t.Parallel()
	b := board()
	added, err := b.AddLabel(idea.Look{Name: "Market", Color: "#b3261e"}, hour)
	require.NoError(t, err)
	_, labels := names(added)
	require.Equal(t, "Market", labels[5])
	one := added.Labels[5]
	_, err = added.AddLabel(idea.Look{Name: "market"}, hour)
	require.Equal(t, []string{"/name"}, pointers(t, err))
	full := b
	for len(full.Labels) < idea.MaxTags {
		full.Labels = append(full.Labels, idea.Label{})
	}
	_, err = full.AddLabel(idea.Look{Name: "One more"}, hour)
	require.True(t, apperr.Is(err, apperr.QuotaExceeded), "%v", err)

	was := idea.Look{Name: one.Name, Color: one.Color}
	changed, err := added.ChangeLabel(one.ID, was, idea.Look{Name: "Fair", Color: "#00757a"}, hour)
	require.NoError(t, err)
	require.Equal(t, idea.Label{ID: one.ID, Name: "Fair", Color: "#00757a"}, changed.Labels[5])
	_, err = changed.ChangeLabel(one.ID, was, idea.Look{Name: "Market", Color: "#6b4fc8"}, hour)
	require.ErrorIs(t, err, idea.ErrChanged)
	_, err = added.ChangeLabel(one.ID, was, idea.Look{Name: "Question"}, hour)
	require.Equal(t, []string{"/name"}, pointers(t, err))

	removed, err := added.RemoveLabel(one.ID, hour)
	require.NoError(t, err)
	require.False(t, slices.Contains(removed.Labels, one))
	_, err = removed.RemoveLabel(one.ID, hour)
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
	_, err = removed.ChangeLabel(one.ID, was, was, hour)
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
}
