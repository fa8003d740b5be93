package app_test

import (
	"testing"

	"github.com/stretchr/testify/require"

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
