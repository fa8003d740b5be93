package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/idea"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// ideaBoard returns the board that was created with the workspace.
func (b *bundle) ideaBoard(t *testing.T, workspace ident.Workspace) idea.Board {
	t.Helper()
	boards, err := postgres.NewIdeas(b.db).Boards(t.Context(), workspace)
	require.NoError(t, err)
	require.Len(t, boards, 1)
	return boards[0]
}

// idea adds a card to a board.
func (b *bundle) idea(ctx context.Context, board idea.Board, in idea.NewCard) (idea.Card, error) {
	return postgres.NewIdeas(b.db).AddCard(ctx, board.WorkspaceID, board.ID, func(read idea.Board) (idea.Card, error) {
		return read.AddCard(in, b.now)
	})
}

// ideas returns all cards of a board, read page by page.
func (b *bundle) ideas(t *testing.T, board ident.IdeaBoard, limit int) (cards []idea.Card) {
	t.Helper()
	var after postgres.CardPlace
	for {
		page, err := postgres.NewIdeas(b.db).Cards(t.Context(), board, after, limit)
		require.NoError(t, err)
		require.LessOrEqual(t, len(page), limit)
		for _, c := range page {
			cards = append(cards, c.Card)
		}
		if len(page) < limit {
			return cards
		}
		after = page[len(page)-1].Place
	}
}

func titles(cards []idea.Card) (out []string) {
	for _, c := range cards {
		out = append(out, c.Title)
	}
	return out
}

func TestEveryWorkspaceHasBoard(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store, other := postgres.NewIdeas(b.db), b.tenant(t)
	ours := b.ideaBoard(t, b.ws.ID)
	require.Equal(t, b.ws.ID, ours.WorkspaceID)
	want := idea.DefaultBoard(b.ws.ID, b.ws.CreatedAt)
	requireSameBoard(t, want, ours)
	require.WithinDuration(t, want.CreatedAt, ours.CreatedAt, time.Millisecond)
	read, err := store.Board(t.Context(), b.ws.ID, ours.ID)
	require.NoError(t, err)
	require.Equal(t, ours, read)
	require.NotEqual(t, ours.ID, b.ideaBoard(t, other.ID).ID)
	for _, workspace := range []ident.Workspace{other.ID, ident.New[ident.Workspace]()} {
		_, err = store.Board(t.Context(), workspace, ours.ID)
		require.True(t, apperr.Is(err, apperr.NotFound), "another tenant's")
	}

	second := idea.DefaultBoard(other.ID, b.now.Add(time.Hour))
	second.Name, second.Labels = "Campaigns", second.Labels[:1]
	require.NoError(t, store.InsertBoard(t.Context(), second))
	boards, err := store.Boards(t.Context(), other.ID)
	require.NoError(t, err)
	require.Equal(t, second, boards[1], "oldest first")
}

// TestMigrationCreatesDefaultBoard checks that workspaces older than boards get the same board as new ones.
func TestMigrationCreatesDefaultBoard(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.tenant(t)
	m, err := postgres.NewMigrator(b.db)
	require.NoError(t, err)
	for undone := []string{}; !slices.Contains(undone, "00011_ideas.sql"); {
		undone, err = m.Down(t.Context())
		require.NoError(t, err)
	}
	_, err = m.Up(t.Context())
	require.NoError(t, err)
	created := b.ideaBoard(t, b.ws.ID)
	requireSameBoard(t, idea.DefaultBoard(b.ws.ID, b.now), created)
	require.Equal(t, created.CreatedAt, created.UpdatedAt)
	require.WithinDuration(t, time.Now(), created.CreatedAt, time.Minute)
	ids := postgrestest.Column(t, b.address,
		`SELECT id FROM idea_board UNION SELECT id FROM idea_column UNION SELECT id FROM idea_label`)
	require.Len(t, ids, 2*(1+len(created.Columns)+len(created.Labels)))
	for _, id := range ids {
		parsed, err := uuid.Parse(id)
		require.NoError(t, err)
		require.Equal(t, uuid.Version(7), parsed.Version())
		require.Equal(t, uuid.RFC4122, parsed.Variant())
	}
	_, err = b.idea(t.Context(), created, idea.NewCard{Title: "a"})
	require.NoError(t, err)
}

func requireSameBoard(t *testing.T, want, got idea.Board) {
	t.Helper()
	for i := range want.Columns {
		want.Columns[i].ID = got.Columns[i].ID
	}
	for i := range want.Labels {
		want.Labels[i].ID = got.Labels[i].ID
	}
	want.ID, want.CreatedAt, want.UpdatedAt = got.ID, got.CreatedAt, got.UpdatedAt
	require.Equal(t, want, got)
}

func TestCardsRoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	board := b.ideaBoard(t, b.ws.ID)
	one, two := b.asset(t, b.ws.ID, media.Image), b.asset(t, b.ws.ID, media.Video)
	full, err := b.idea(t.Context(), board, idea.NewCard{
		ColumnID: board.Columns[1].ID, Title: "Kiln “opening”", Content: "a\n\"b\" \\ 🎈 @now ?",
		Link:     "https://a.example/?b=@c",
		LabelIDs: []ident.IdeaLabel{board.Labels[4].ID, board.Labels[0].ID}, MediaIDs: []ident.Media{two.ID, one.ID},
	})
	require.NoError(t, err)
	bare, err := b.idea(t.Context(), board, idea.NewCard{Title: "Bare"})
	require.NoError(t, err)
	bare.MediaIDs = []ident.Media{}
	require.Equal(t, []idea.Card{bare, full}, b.ideas(t, board.ID, 10), "column by column")
	read := b.ideaBoard(t, b.ws.ID)
	require.Equal(t, []int{1, 1, 0, 0}, []int{
		read.Columns[0].Cards, read.Columns[1].Cards, read.Columns[2].Cards, read.Columns[3].Cards,
	})
	require.Equal(t, b.now, read.UpdatedAt)

	require.Equal(t, []apperr.Reference{{Type: "IDEA_CARD", ID: full.ID.String(), Name: full.Title}}, b.uses(t, one.ID))
	_, err = postgres.NewMedia(b.db).Delete(t.Context(), b.ws.ID, two.ID)
	require.True(t, apperr.Is(err, apperr.MediaInUse), "%v", err)
}

func TestInvalidCardsAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.tenant(t)
	ours, theirs := b.ideaBoard(t, b.ws.ID), b.ideaBoard(t, other.ID)
	foreign := b.asset(t, other.ID, media.Image)
	for name, c := range map[string]struct {
		board idea.Board
		in    idea.NewCard
	}{
		"their board":  {idea.Board{ID: theirs.ID, WorkspaceID: b.ws.ID}, idea.NewCard{Title: "a"}},
		"no board":     {idea.Board{ID: ident.New[ident.IdeaBoard](), WorkspaceID: b.ws.ID}, idea.NewCard{Title: "a"}},
		"their column": {ours, idea.NewCard{Title: "a", ColumnID: theirs.Columns[0].ID}},
		"their label": {
			ours, idea.NewCard{Title: "a", LabelIDs: []ident.IdeaLabel{ours.Labels[0].ID, theirs.Labels[0].ID}},
		},
		"their asset": {
			ours, idea.NewCard{Title: "a", MediaIDs: []ident.Media{b.asset(t, b.ws.ID, media.Image).ID, foreign.ID}},
		},
		"no such asset": {ours, idea.NewCard{Title: "a", MediaIDs: []ident.Media{ident.New[ident.Media]()}}},
	} {
		_, err := b.idea(t.Context(), c.board, c.in)
		require.True(t, apperr.Is(err, apperr.NotFound), "%s: %v", name, err)
	}
	require.Empty(t, postgrestest.Column(t, b.address, `SELECT title FROM idea_card`))
	require.Empty(t, postgrestest.Column(t, b.address, `SELECT owner_id FROM media_reference`))
	require.Equal(t, ours, b.ideaBoard(t, b.ws.ID), "not touched")
}

// TestForeignRequestLocksNoBoard keeps the transaction of the refused request open.
func TestForeignRequestLocksNoBoard(t *testing.T) {
	t.Parallel()
	b := setup(t)
	board, other := b.ideaBoard(t, b.ws.ID), b.tenant(t)
	commit := hold(t, b.db, func(ctx context.Context) error {
		_, err := b.idea(ctx, idea.Board{ID: board.ID, WorkspaceID: other.ID}, idea.NewCard{Title: "theirs"})
		require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
		return nil
	})
	defer commit()
	_, err := postgres.NewIdeas(b.impatient(t, 100*time.Millisecond)).AddCard(t.Context(), b.ws.ID, board.ID,
		func(read idea.Board) (idea.Card, error) {
			return read.AddCard(idea.NewCard{Title: "ours"}, b.now)
		})
	require.NoError(t, err)
}

func TestPagesOfCards(t *testing.T) {
	t.Parallel()
	b := setup(t)
	board, other := b.ideaBoard(t, b.ws.ID), b.ideaBoard(t, b.tenant(t).ID)
	var want []string
	for _, column := range []int{3, 1, 0} {
		for i := range 3 {
			title := fmt.Sprintf("%d/%d", column, i)
			_, err := b.idea(t.Context(), board, idea.NewCard{Title: title, ColumnID: board.Columns[column].ID})
			require.NoError(t, err)
			_, err = b.idea(t.Context(), other, idea.NewCard{Title: "theirs", ColumnID: other.Columns[column].ID})
			require.NoError(t, err)
		}
	}
	for _, column := range []int{0, 1, 3} {
		for i := range 3 {
			want = append(want, fmt.Sprintf("%d/%d", column, i))
		}
	}
	for limit := 1; limit <= 10; limit++ {
		cards := b.ideas(t, board.ID, limit)
		require.Equal(t, want, titles(cards), "pages of %d", limit)
		for i, c := range cards {
			require.Equal(t, i%3, c.Position)
		}
	}
}

// TestCardsAreInsertedAtPosition adds cards at every position, also where ranks must first be respaced.
func TestCardsAreInsertedAtPosition(t *testing.T) {
	t.Parallel()
	b := setup(t)
	board := b.ideaBoard(t, b.ws.ID)
	var want []string
	put := func(at int) {
		title := fmt.Sprintf("%d at %d", len(want), at)
		card, err := b.idea(t.Context(), board, idea.NewCard{Title: title, Position: &at})
		require.NoError(t, err)
		require.Equal(t, at, card.Position)
		want = append(want[:at:at], append([]string{title}, want[at:]...)...)
	}
	for _, at := range []int{0, 0, 2, 1, 4, 0} {
		put(at)
	}
	for range 80 { // more than the ranks between two cards
		put(3)
	}
	put(len(want))
	cards := b.ideas(t, board.ID, 7)
	require.Equal(t, want, titles(cards))
	for i, c := range cards {
		require.Equal(t, i, c.Position)
	}
}

// TestConcurrentCardsGetDistinctPositions checks that cards added concurrently at the same position get distinct places, and none is
// lost.
func TestConcurrentCardsGetDistinctPositions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	board := b.ideaBoard(t, b.ws.ID)
	const each = 20
	top, second := 0, 1
	_, err := b.idea(t.Context(), board, idea.NewCard{Title: "first"})
	require.NoError(t, err)
	var work []func(ctx context.Context) error
	for i := range each {
		for name, at := range map[string]*int{"end": nil, "top": &top, "second": &second} {
			work = append(work, func(ctx context.Context) error {
				_, err := b.idea(ctx, board, idea.NewCard{
					Title: fmt.Sprint(name, i), Position: at, LabelIDs: []ident.IdeaLabel{board.Labels[0].ID},
				})
				return err
			})
		}
	}
	require.NoError(t, atOnce(work...))
	cards := b.ideas(t, board.ID, 100)
	require.Len(t, cards, 3*each+1)
	seen := map[string]bool{}
	for i, c := range cards {
		require.Equal(t, i, c.Position)
		require.False(t, seen[c.Title])
		seen[c.Title] = true
	}
	require.Equal(t, 3*each+1, b.ideaBoard(t, b.ws.ID).Cards())
}

// TestLastPlaceOnBoardIsTakenOnce checks that its last place is given once.
func TestLastPlaceOnBoardIsTakenOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	board := b.ideaBoard(t, b.ws.ID)
	postgrestest.Exec(t, b.address,
		`INSERT INTO idea_card (id, board_id, column_id, rank, title, content, created_at, updated_at)
		SELECT gen_random_uuid(), '`+board.ID.String()+`', '`+board.Columns[2].ID.String()+`', n, 'x', '', now(), now()
		FROM generate_series(1, `+strconv.Itoa(idea.MaxCards-1)+`) AS n`)
	var refused int
	results := make(chan error, 4)
	work := make([]func(ctx context.Context) error, cap(results))
	for i := range work {
		work[i] = func(ctx context.Context) error {
			_, err := b.idea(ctx, board, idea.NewCard{Title: "last"})
			results <- err
			return nil
		}
	}
	require.NoError(t, atOnce(work...))
	close(results)
	for err := range results {
		if err != nil {
			require.True(t, apperr.Is(err, apperr.QuotaExceeded), "%v", err)
			refused++
		}
	}
	require.Equal(t, cap(results)-1, refused)
	require.Len(t, b.ideas(t, board.ID, 100), idea.MaxCards)
}

// TestWorkspaceDeletionDeletesBoards checks that deleting a workspace deletes its boards completely.
func TestWorkspaceDeletionDeletesBoards(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.tenant(t)
	board := b.ideaBoard(t, other.ID)
	_, err := b.idea(t.Context(), board, idea.NewCard{
		Title: "a", LabelIDs: []ident.IdeaLabel{board.Labels[0].ID}, ColumnID: board.Columns[1].ID,
	})
	require.NoError(t, err)
	require.NoError(t, postgrestest.Try(t, b.address, `DELETE FROM workspace WHERE id = '`+other.ID.String()+`'`))
	require.Equal(t, []string{"0 0"}, postgrestest.Column(t, b.address,
		`SELECT (SELECT count(*) FROM idea_card) || ' ' || (SELECT count(*) FROM idea_card_label)`))
	b.ideaBoard(t, b.ws.ID)
}

// TestSchemaRefusesCardsAcrossBoards checks that the schema rejects such cards even if a statement is wrong.
func TestSchemaRefusesCardsAcrossBoards(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.ideaBoard(t, b.ws.ID), b.ideaBoard(t, b.tenant(t).ID)
	card, err := b.idea(t.Context(), ours, idea.NewCard{Title: "a"})
	require.NoError(t, err)
	for _, statement := range []string{
		`UPDATE idea_card SET column_id = '` + theirs.Columns[0].ID.String() + `'`,
		`INSERT INTO idea_card_label (board_id, card_id, label_id) VALUES ('` + ours.ID.String() + `', '` + card.ID.String() +
			`', '` + theirs.Labels[0].ID.String() + `')`,
		`INSERT INTO idea_card_label (board_id, card_id, label_id) VALUES ('` + theirs.ID.String() + `', '` +
			card.ID.String() + `', '` + theirs.Labels[0].ID.String() + `')`,
	} {
		require.ErrorContains(t, postgrestest.Try(t, b.address, statement), "SQLSTATE 23503")
	}
}
