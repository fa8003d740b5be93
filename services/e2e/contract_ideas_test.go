package e2e_test

import (
	"testing"

	"github.com/oapi-codegen/nullable"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/apiclient"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/ident"
)

// notesIdeas adds cards to the workspace's board, through the documented operations and through the admin program.
func notesIdeas(t *testing.T, s *harness.System) {
	t.Helper()
	ctx := t.Context()
	listed, err := s.API.ListIdeaBoardsWithResponse(ctx)
	require.NoError(t, err)
	boards := harness.Response(t, listed.JSON200, listed.Body)
	require.Len(t, boards.Data, 1, "made with the workspace")
	require.True(t, boards.NextCursor.IsNull())
	board := boards.Data[0]

	key := &apiclient.CreateIdeaCardParams{IdempotencyKey: new(ident.New[ident.Event]().String())}
	body := apiclient.CreateIdeaCardRequest{
		Title: "Behind the scenes", Content: nullable.NewNullableWithValue("Three photos"),
		LabelIds: &[]string{board.Labels[1].ID, board.Labels[0].ID},
		ColumnID: nullable.NewNullableWithValue(board.Columns[1].ID),
		Link:     nullable.NewNullableWithValue("https://example.com/kiln"),
	}
	first, err := s.API.CreateIdeaCardWithResponse(ctx, board.ID, key, body)
	require.NoError(t, err)
	whole := harness.Response(t, first.JSON201, first.Body)
	require.Equal(t, []string{board.Labels[0].ID, board.Labels[1].ID}, whole.LabelIds)
	again, err := s.API.CreateIdeaCardWithResponse(ctx, board.ID, key, body)
	require.NoError(t, err)
	require.Equal(t, whole, harness.Response(t, again.JSON201, again.Body))
	require.Equal(t, "true", again.HTTPResponse.Header.Get("Idempotent-Replayed"))

	bare, err := s.API.CreateIdeaCardWithResponse(ctx, board.ID, nil, apiclient.CreateIdeaCardRequest{Title: "Bare"})
	require.NoError(t, err)
	noted := harness.Response(t, bare.JSON201, bare.Body)
	require.Equal(t, board.Columns[0].ID, noted.ColumnID)
	typed := s.Admin("idea", "add", "--title", "Typed in", "--label", board.Labels[2].Name, "--top")

	page, err := s.API.GetIdeaBoardWithResponse(ctx, board.ID, &apiclient.GetIdeaBoardParams{Limit: new(int64(2))})
	require.NoError(t, err)
	read := harness.Response(t, page.JSON200, page.Body)
	require.EqualValues(t, 3, read.CardCount)
	require.Len(t, read.Columns, len(board.Columns))
	require.Equal(t, typed["id"], read.Cards[0].ID)
	noted.Position = 1
	require.Equal(t, noted, read.Cards[1])
	rest, err := s.API.GetIdeaBoardWithResponse(ctx, board.ID,
		&apiclient.GetIdeaBoardParams{Cursor: new(read.NextCursor.MustGet())})
	require.NoError(t, err)
	last := harness.Response(t, rest.JSON200, rest.Body)
	require.Equal(t, []apiclient.IdeaCard{whole}, last.Cards)
	require.True(t, last.NextCursor.IsNull())
	refusesIdeas(t, s, board)
}

func refusesIdeas(t *testing.T, s *harness.System, board apiclient.IdeaBoard) {
	t.Helper()
	ctx, unknownID := t.Context(), ident.New[ident.IdeaBoard]().String()
	none, err := s.API.GetIdeaBoardWithResponse(ctx, unknownID, nil)
	require.NoError(t, err)
	requireProblem(t, none.ApplicationProblemJSON404, none.Body, apiclient.ProblemCodeNOTFOUND)
	otherBoard, err := s.API.CreateIdeaCardWithResponse(ctx, board.ID, nil,
		apiclient.CreateIdeaCardRequest{Title: "x", ColumnID: nullable.NewNullableWithValue(unknownID)})
	require.NoError(t, err)
	requireProblem(t, otherBoard.ApplicationProblemJSON404, otherBoard.Body, apiclient.ProblemCodeNOTFOUND)
	wrong, err := s.API.CreateIdeaCardWithResponse(ctx, board.ID, nil,
		apiclient.CreateIdeaCardRequest{Title: " ", Link: nullable.NewNullableWithValue("javascript:x")})
	require.NoError(t, err)
	p := requireProblem(t, wrong.ApplicationProblemJSON422, wrong.Body, apiclient.ProblemCodeVALIDATIONFAILED)
	require.Len(t, *p.Errors, 2)
	lost, err := s.API.GetIdeaBoardWithResponse(ctx, board.ID, &apiclient.GetIdeaBoardParams{Cursor: new("x")})
	require.NoError(t, err)
	requireProblem(t, lost.ApplicationProblemJSON422, lost.Body, apiclient.ProblemCodeINVALIDCURSOR)
	usual, err := s.Client(s.NewKey(credential.DefaultScopes()...)).ListIdeaBoardsWithResponse(ctx)
	require.NoError(t, err)
	requireProblem(t, usual.ApplicationProblemJSON403, usual.Body, apiclient.ProblemCodeINSUFFICIENTSCOPE)
}
