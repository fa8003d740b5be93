package app_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/idea"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

func TestIdeas(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.tenant(t.Context(), t), b.tenant(t.Context(), t)
	boards, err := b.IdeaBoards(t.Context(), ours)
	require.NoError(t, err)
	require.Len(t, boards, 1, "a workspace has a board from its beginning")
	board := boards[0]
	first, err := b.AddIdeaCard(t.Context(), ours, board.ID, idea.NewCard{Title: "First"})
	require.NoError(t, err)
	require.Equal(t, start, first.CreatedAt)
	_, err = b.AddIdeaCard(t.Context(), ours, board.ID, idea.NewCard{Title: "Second"})
	require.NoError(t, err)

	read, cards, err := b.IdeaBoard(t.Context(), ours, board.ID, postgres.CardPlace{}, 1)
	require.NoError(t, err)
	require.Equal(t, 2, read.Cards())
	require.Len(t, cards, 1)
	require.Equal(t, first.ID, cards[0].ID)
	_, cards, err = b.IdeaBoard(t.Context(), ours, board.ID, cards[0].Place, 5)
	require.NoError(t, err)
	require.Len(t, cards, 1)
	require.Equal(t, "Second", cards[0].Title)

	_, _, err = b.IdeaBoard(t.Context(), theirs, board.ID, postgres.CardPlace{}, 1)
	require.True(t, apperr.Is(err, apperr.NotFound))
	_, err = b.AddIdeaCard(t.Context(), theirs, board.ID, idea.NewCard{Title: "Third"})
	require.True(t, apperr.Is(err, apperr.NotFound))
	_, err = b.AddIdeaCard(t.Context(), ours, board.ID,
		idea.NewCard{Title: "Third", MediaIDs: []ident.Media{ident.New[ident.Media]()}})
	require.True(t, apperr.Is(err, apperr.NotFound))
	_, err = b.AddIdeaCard(t.Context(), ours, board.ID, idea.NewCard{})
	require.True(t, apperr.Is(err, apperr.ValidationFailed))
	read, _, err = b.IdeaBoard(t.Context(), ours, board.ID, postgres.CardPlace{}, 1)
	require.NoError(t, err)
	require.Equal(t, 2, read.Cards(), "what is refused leaves nothing")
}

// TestIdeasArePermitted checks that every use case of people refuses a client without the permission, and another workspace.
func TestIdeasArePermitted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.tenant(t.Context(), t), b.tenant(t.Context(), t)
	boards, err := b.IdeaBoards(t.Context(), ours)
	require.NoError(t, err)
	board := boards[0]
	card, err := b.CaptureIdea(t.Context(), ours, board.ID, idea.NewCard{Title: "Kiln", ColumnID: ident.New[ident.IdeaColumn]()})
	require.NoError(t, err)
	require.Equal(t, board.Columns[0].ID, card.ColumnID, "its column was removed meanwhile")
	none := ours
	none.Key.Scopes = nil
	same := func(of idea.Board, _ time.Time) (idea.Board, error) { return of, nil }
	for name, use := range map[string]func(app.Principal) error{
		"capture": func(p app.Principal) error {
			_, err := b.CaptureIdea(t.Context(), p, board.ID, idea.NewCard{Title: "a"})
			return err
		},
		"read": func(p app.Principal) error { _, _, err := b.Idea(t.Context(), p, card.ID); return err },
		"edit": func(p app.Principal) error {
			_, err := b.EditIdea(t.Context(), p, card.ID, idea.EditCard{NewCard: idea.NewCard{Title: "a"}})
			return err
		},
		"move": func(p app.Principal) error {
			_, err := b.MoveIdea(t.Context(), p, card.ID, idea.Move{To: board.Columns[1].ID})
			return err
		},
		"delete":       func(p app.Principal) error { return b.DeleteIdea(t.Context(), p, card.ID) },
		"rename":       func(p app.Principal) error { return b.RenameIdeaBoard(t.Context(), p, board.ID, "Ideas", "Winter") },
		"arrange":      func(p app.Principal) error { return b.ArrangeIdeas(t.Context(), p, board.ID, ident.IdeaColumn{}, same) },
		"delete board": func(p app.Principal) error { return b.DeleteIdeaBoard(t.Context(), p, board.ID) },
	} {
		require.True(t, apperr.Is(use(none), apperr.InsufficientScope), name)
		require.True(t, apperr.Is(use(theirs), apperr.NotFound), name)
	}
	_, err = b.AddIdeaBoard(t.Context(), none, "Winter")
	require.True(t, apperr.Is(err, apperr.InsufficientScope), "%v", err)
	_, found, err := b.Idea(t.Context(), ours, card.ID)
	require.NoError(t, err)
	require.Equal(t, "Kiln", found.Title)
}
