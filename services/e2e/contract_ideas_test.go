package e2e_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/ident"
)

// notesIdeas adds cards to the workspace's board, through the documented operations.
func notesIdeas(t *testing.T, s *harness.System) {
	t.Helper()
	ctx := t.Context()
	boards, err := s.API.Ideas.ListBoards(ctx)
	require.NoError(t, err)
	require.Len(t, boards, 1, "made with the workspace")
	board := boards[0]

	key := fencepost.IdempotencyKey(ident.New[ident.Event]().String())
	var header http.Header
	body := fencepost.CreateIdeaCardRequest{
		Title: "Behind the scenes", Content: "Three photos",
		LabelIDs: []string{board.Labels[1].ID, board.Labels[0].ID},
		ColumnID: board.Columns[1].ID,
		Link:     "https://example.com/kiln",
	}
	whole, err := s.API.Ideas.CreateCard(ctx, board.ID, body, key)
	require.NoError(t, err)
	require.Equal(t, []string{board.Labels[0].ID, board.Labels[1].ID}, whole.LabelIDs)
	again, err := s.API.Ideas.CreateCard(ctx, board.ID, body, key, fencepost.ResponseHeader(&header))
	require.NoError(t, err)
	require.Equal(t, whole, again)
	require.Equal(t, "true", header.Get("Idempotent-Replayed"))

	noted, err := s.API.Ideas.CreateCard(ctx, board.ID, fencepost.CreateIdeaCardRequest{Title: "Bare"})
	require.NoError(t, err)
	require.Equal(t, board.Columns[0].ID, noted.ColumnID)
	top, err := s.API.Ideas.CreateCard(ctx, board.ID, fencepost.CreateIdeaCardRequest{
		Title: "On top", LabelIDs: []string{board.Labels[2].ID}, Position: new(int64(0)),
	})
	require.NoError(t, err)

	read, err := s.API.Ideas.GetBoard(ctx, board.ID, fencepost.GetIdeaBoardParams{Limit: 2})
	require.NoError(t, err)
	require.EqualValues(t, 3, read.CardCount)
	require.Len(t, read.Columns, len(board.Columns))
	require.Equal(t, *top, read.Cards[0])
	noted.Position = 1
	require.Equal(t, *noted, read.Cards[1])
	last, err := s.API.Ideas.GetBoard(ctx, board.ID, fencepost.GetIdeaBoardParams{Cursor: *read.NextCursor})
	require.NoError(t, err)
	require.Equal(t, []fencepost.IdeaCard{*whole}, last.Cards)
	require.Nil(t, last.NextCursor)
	refusesIdeas(t, s, board)
}

func refusesIdeas(t *testing.T, s *harness.System, board fencepost.IdeaBoard) {
	t.Helper()
	ctx, unknownID := t.Context(), ident.New[ident.IdeaBoard]().String()
	requireProblem(t, harness.Failure(s.API.Ideas.GetBoard(ctx, unknownID, fencepost.GetIdeaBoardParams{})),
		http.StatusNotFound, fencepost.ProblemCodeNotFound)
	requireProblem(t, harness.Failure(s.API.Ideas.CreateCard(ctx, board.ID, fencepost.CreateIdeaCardRequest{Title: "x", ColumnID: unknownID})),
		http.StatusNotFound, fencepost.ProblemCodeNotFound)
	p := requireProblem(t, harness.Failure(s.API.Ideas.CreateCard(ctx, board.ID, fencepost.CreateIdeaCardRequest{Title: " ", Link: "javascript:x"})),
		http.StatusUnprocessableEntity, fencepost.ProblemCodeValidationFailed)
	require.Len(t, p.Errors, 2)
	requireProblem(t, harness.Failure(s.API.Ideas.GetBoard(ctx, board.ID, fencepost.GetIdeaBoardParams{Cursor: "x"})),
		http.StatusUnprocessableEntity, fencepost.ProblemCodeInvalidCursor)
	requireProblem(t, harness.Failure(s.Client(s.NewKey(credential.DefaultScopes()...)).Ideas.ListBoards(ctx)),
		http.StatusForbidden, fencepost.ProblemCodeInsufficientScope)
}
