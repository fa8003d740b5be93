package postgres_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/idea"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// moves moves a card of the bundle's workspace.
func (b *bundle) moves(ctx context.Context, id ident.IdeaCard, in idea.Move) (idea.Card, error) {
	store := postgres.NewIdeas(b.db)
	return store.ChangeCard(ctx, b.ws.ID, id, func(ctx context.Context, board idea.Board, c idea.Card) (idea.Card, error) {
		order, err := store.Order(ctx, in.To)
		if err != nil {
			return c, err
		}
		return board.MoveCard(c, in, order, b.now.Add(time.Hour))
	})
}

func TestCardIsEdited(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store, board, author := postgres.NewIdeas(b.db), b.ideaBoard(t, b.ws.ID), b.member(t, "mara@example.com", b.ws)
	one, two := b.asset(t, b.ws.ID, media.Image), b.asset(t, b.ws.ID, media.Video)
	day := time.Date(2026, time.March, 4, 0, 0, 0, 0, time.UTC)
	created, err := b.idea(t.Context(), board, idea.NewCard{
		Title: "Kiln", MediaIDs: []ident.Media{one.ID}, LabelIDs: []ident.IdeaLabel{board.Labels[0].ID}, AuthorID: author.ID, Due: day,
	})
	require.NoError(t, err)
	read, err := store.Card(t.Context(), b.ws.ID, created.ID)
	require.NoError(t, err)
	require.Equal(t, created, read.Card)
	require.Equal(t, []string{"Mara", "Mara"}, []string{read.Author, read.Editor})

	editor := b.member(t, "kim@example.com", b.ws)
	want := created
	want.Title, want.Content, want.Link, want.Due = "Two kilns", "a ? @b", "https://a.example/?b=@c", time.Time{}
	want.LabelIDs = []ident.IdeaLabel{board.Labels[1].ID, board.Labels[3].ID}
	want.MediaIDs, want.EditorID, want.UpdatedAt = []ident.Media{two.ID}, editor.ID, b.now.Add(time.Hour)
	_, err = store.ChangeCard(t.Context(), b.ws.ID, created.ID, func(_ context.Context, of idea.Board, c idea.Card) (idea.Card, error) {
		require.Equal(t, board.ID, of.ID)
		require.Equal(t, created, c)
		return want, nil
	})
	require.NoError(t, err)
	read, err = store.Card(t.Context(), b.ws.ID, created.ID)
	require.NoError(t, err)
	require.Equal(t, want, read.Card)
	require.Empty(t, b.uses(t, one.ID))
	require.Equal(t, []apperr.Reference{{Type: "IDEA_CARD", ID: want.ID.String(), Name: "Two kilns"}}, b.uses(t, two.ID))
	require.Equal(t, b.now.Add(time.Hour), b.ideaBoard(t, b.ws.ID).UpdatedAt)

	other := b.tenant(t)
	foreign := b.asset(t, other.ID, media.Image).ID
	for _, change := range []func() error{
		func() error { _, err := store.Card(t.Context(), other.ID, created.ID); return err },
		func() error { return store.DeleteCard(t.Context(), other.ID, created.ID, b.now) },
		func() error {
			_, err := store.ChangeCard(t.Context(), other.ID, created.ID, func(_ context.Context, _ idea.Board, c idea.Card) (idea.Card, error) { return c, nil })
			return err
		},
		func() error {
			_, err := store.ChangeCard(t.Context(), b.ws.ID, created.ID, func(_ context.Context, _ idea.Board, c idea.Card) (idea.Card, error) {
				c.MediaIDs = []ident.Media{foreign}
				return c, nil
			})
			return err
		},
	} {
		err := change()
		require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
	}
	_, err = b.idea(t.Context(), board, idea.NewCard{ID: created.ID, Title: "Again"})
	require.ErrorIs(t, err, postgres.ErrIdeaExists)

	require.NoError(t, store.DeleteCard(t.Context(), b.ws.ID, created.ID, b.now.Add(2*time.Hour)))
	require.Empty(t, b.ideas(t, board.ID, 10))
	require.Empty(t, b.uses(t, two.ID), "its file can be deleted")
	require.Equal(t, b.now.Add(2*time.Hour), b.ideaBoard(t, b.ws.ID).UpdatedAt)
}

func TestCardsAreMoved(t *testing.T) {
	t.Parallel()
	b := setup(t)
	board := b.ideaBoard(t, b.ws.ID)
	ids := make([]ident.IdeaCard, 4)
	for i := range ids {
		c, err := b.idea(t.Context(), board, idea.NewCard{Title: strconv.Itoa(i)})
		require.NoError(t, err)
		ids[i] = c.ID
	}
	first, second := board.Columns[0].ID, board.Columns[1].ID
	for _, step := range []struct {
		of   int
		in   idea.Move
		want []string
	}{
		{3, idea.Move{To: first, Before: ids[1]}, []string{"0", "3", "1", "2"}},
		{0, idea.Move{To: first}, []string{"3", "1", "2", "0"}},
		{2, idea.Move{To: first, Position: new(0)}, []string{"2", "3", "1", "0"}},
		{1, idea.Move{To: second}, []string{"2", "3", "0", "1"}},
		{2, idea.Move{To: second, Before: ids[1]}, []string{"3", "0", "2", "1"}},
	} {
		_, err := b.moves(t.Context(), ids[step.of], step.in)
		require.NoError(t, err)
		require.Equal(t, step.want, titles(b.ideas(t, board.ID, 10)))
	}
	for range 40 { // more than the ranks between two cards
		_, err := b.moves(t.Context(), ids[3], idea.Move{To: second, Before: ids[1]})
		require.NoError(t, err)
		_, err = b.moves(t.Context(), ids[2], idea.Move{To: second, Before: ids[1]})
		require.NoError(t, err)
	}
	require.Equal(t, []string{"0", "3", "2", "1"}, titles(b.ideas(t, board.ID, 10)))
}

// TestConcurrentMovesLoseNothing orders the same cards by several members at once: each move takes effect, and each card has one
// place.
func TestConcurrentMovesLoseNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	board := b.ideaBoard(t, b.ws.ID)
	const cards = 8
	ids := make([]ident.IdeaCard, cards)
	var work []func(ctx context.Context) error
	for i := range ids {
		c, err := b.idea(t.Context(), board, idea.NewCard{Title: strconv.Itoa(i)})
		require.NoError(t, err)
		ids[i] = c.ID
		for _, to := range []int{0, 2} {
			work = append(work, func(ctx context.Context) error {
				_, err := b.moves(ctx, ids[i], idea.Move{To: board.Columns[to].ID, Before: ids[(i+3)%cards]})
				return err
			})
		}
	}
	require.NoError(t, atOnce(work...))
	seen, places := map[string]bool{}, map[string]bool{}
	for _, c := range b.ideas(t, board.ID, 100) {
		seen[c.Title], places[fmt.Sprint(c.ColumnID, c.Position)] = true, true
	}
	require.Len(t, seen, cards)
	require.Len(t, places, cards)
	require.Equal(t, cards, b.ideaBoard(t, b.ws.ID).Cards())
}

func TestBoardIsArranged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store, board := postgres.NewIdeas(b.db), b.ideaBoard(t, b.ws.ID)
	for i, column := range []int{0, 0, 1, 1} {
		_, err := b.idea(t.Context(), board, idea.NewCard{
			Title: strconv.Itoa(i), ColumnID: board.Columns[column].ID, LabelIDs: []ident.IdeaLabel{board.Labels[0].ID},
		})
		require.NoError(t, err)
	}
	arrange := func(into ident.IdeaColumn, change func(idea.Board) (idea.Board, error)) error {
		return store.ChangeBoard(t.Context(), b.ws.ID, board.ID, into, change)
	}
	later := b.now.Add(time.Hour)
	for _, change := range []func(of idea.Board) (idea.Board, error){
		func(of idea.Board) (idea.Board, error) {
			return of.AddColumn(idea.Look{Name: "Later", Color: "#1f7a3a"}, later)
		},
		func(of idea.Board) (idea.Board, error) { return of.ShiftColumn(board.Columns[3].ID, -3, later) },
		func(of idea.Board) (idea.Board, error) {
			return of.ChangeColumn(board.Columns[1].ID, idea.Look{Name: "In progress"}, idea.Look{Name: "Doing", Color: "#b3261e"}, later)
		},
		func(of idea.Board) (idea.Board, error) {
			return of.RemoveColumn(board.Columns[0].ID, board.Columns[1].ID, later)
		},
		func(of idea.Board) (idea.Board, error) { return of.RemoveLabel(board.Labels[0].ID, later) },
		func(of idea.Board) (idea.Board, error) {
			return of.AddLabel(idea.Look{Name: "Market", Color: "#00757a"}, later)
		},
		func(of idea.Board) (idea.Board, error) { return of.Rename(nil, "Ideas", "Winter", later) },
	} {
		require.NoError(t, arrange(board.Columns[1].ID, change))
	}
	got := b.ideaBoard(t, b.ws.ID)
	require.Equal(t, "Winter", got.Name)
	require.Equal(t, later, got.UpdatedAt)
	require.Len(t, got.Columns, 4)
	require.Equal(t, []idea.Column{
		{ID: board.Columns[3].ID, Name: "Done"},
		{ID: board.Columns[1].ID, Name: "Doing", Color: "#b3261e", Cards: 4},
		{ID: board.Columns[2].ID, Name: "Ready"},
		{ID: got.Columns[3].ID, Name: "Later", Color: "#1f7a3a"},
	}, got.Columns)
	require.Equal(t, "Market", got.Labels[len(got.Labels)-1].Name)
	require.Len(t, got.Labels, len(board.Labels))
	cards := b.ideas(t, board.ID, 10)
	require.Equal(t, []string{"2", "3", "0", "1"}, titles(cards), "the cards of a removed column are at the end of the other one")
	require.Empty(t, cards[0].LabelIDs)

	err := store.ChangeBoard(t.Context(), b.tenant(t).ID, board.ID, ident.IdeaColumn{}, func(of idea.Board) (idea.Board, error) { return of, nil })
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
}

// TestBoardsAreAddedAndDeleted deletes the two boards of a workspace at once: one of them stays.
func TestBoardsAreAddedAndDeleted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store, first := postgres.NewIdeas(b.db), b.ideaBoard(t, b.ws.ID)
	second, err := store.AddBoard(t.Context(), b.ws.ID, func(boards []idea.Board) (idea.Board, error) {
		return idea.NewBoard(b.ws.ID, boards, "Winter", b.now.Add(time.Hour))
	})
	require.NoError(t, err)
	boards, err := store.Boards(t.Context(), b.ws.ID)
	require.NoError(t, err)
	require.Equal(t, []idea.Board{first, second}, boards)
	file := b.asset(t, b.ws.ID, media.Image)
	for _, of := range boards {
		_, err := b.idea(t.Context(), of, idea.NewCard{Title: of.Name, MediaIDs: []ident.Media{file.ID}})
		require.NoError(t, err)
	}
	unlessLast := func(boards []idea.Board) error {
		if len(boards) == 1 {
			return apperr.New(apperr.InvalidState, "last")
		}
		return nil
	}
	remove := func(id ident.IdeaBoard) func(context.Context) error {
		return func(ctx context.Context) error { return store.DeleteBoard(ctx, b.ws.ID, id, unlessLast) }
	}
	require.True(t, apperr.Is(store.DeleteBoard(t.Context(), b.tenant(t).ID, first.ID, unlessLast), apperr.NotFound))
	err = atOnce(remove(first.ID), remove(second.ID))
	require.ErrorContains(t, err, "last")
	boards, err = store.Boards(t.Context(), b.ws.ID)
	require.NoError(t, err)
	require.Len(t, boards, 1)
	require.Len(t, b.uses(t, file.ID), 1, "the file is used by the board that stays")
}

func TestCardBecomesPosts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store, other := postgres.NewIdeas(b.db), b.tenant(t)
	card, err := b.idea(t.Context(), b.ideaBoard(t, b.ws.ID), idea.NewCard{Title: "Kiln"})
	require.NoError(t, err)
	one, two := b.draft(t, post.Options{}), b.draft(t, post.Options{})
	for _, workspace := range []ident.Workspace{other.ID, b.ws.ID, b.ws.ID} {
		require.NoError(t, store.LinkPosts(t.Context(), workspace, card.ID, []ident.Post{two.ID, one.ID}))
	}
	require.NoError(t, store.LinkPosts(t.Context(), b.ws.ID, ident.New[ident.IdeaCard](), []ident.Post{one.ID}), "it was deleted")
	read, err := store.Card(t.Context(), b.ws.ID, card.ID)
	require.NoError(t, err)
	require.Equal(t, []ident.Post{one.ID, two.ID}, read.Posts)
	postgrestest.Exec(t, b.address, `DELETE FROM post WHERE id = $1`, one.ID.String())
	read, err = store.Card(t.Context(), b.ws.ID, card.ID)
	require.NoError(t, err)
	require.Equal(t, []ident.Post{two.ID}, read.Posts)
	require.NoError(t, store.DeleteCard(t.Context(), b.ws.ID, card.ID, b.now))
	require.Equal(t, two.ID, b.get(t, two.ID).ID, "the post stays")
}
