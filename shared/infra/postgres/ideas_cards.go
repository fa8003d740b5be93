package postgres

import (
	"context"
	"errors"
	"time"

	"fencepost.internal/shared/domain/idea"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/ident"
)

// CardPlace is the position of a card on its board, used as a page cursor. The zero value is before all cards.
type CardPlace struct {
	Column int   // number of the column, from 1 at the left
	Rank   int64 // rank within the column
}

// PlacedCard is a card with its place.
type PlacedCard struct {
	idea.Card

	Place          CardPlace
	Author, Editor string // names; empty: no person, or one who left
}

type ideaCardRow struct {
	ID        ident.IdeaCard
	BoardID   ident.IdeaBoard
	ColumnID  ident.IdeaColumn
	Position  int
	Lane      int
	Rank      int64
	Title     string
	Content   string
	Link      *string
	LabelIDs  textArray `gorm:"column:label_ids"`
	MediaIDs  textArray `gorm:"column:media_ids"`
	PostIDs   textArray `gorm:"column:post_ids"`
	Due       *time.Time
	AuthorID  *ident.User
	EditorID  *ident.User
	Author    *string
	Editor    *string
	CreatedAt time.Time
	UpdatedAt time.Time
}

func fromIdeaCardRow(r ideaCardRow) PlacedCard {
	var posts []ident.Post
	if len(r.PostIDs) > 0 {
		posts = fromIDArray[ident.Post](r.PostIDs)
	}
	return PlacedCard{
		Card: idea.Card{
			ID: r.ID, BoardID: r.BoardID, ColumnID: r.ColumnID, Position: r.Position, Title: r.Title, Content: r.Content,
			LabelIDs: fromIDArray[ident.IdeaLabel](r.LabelIDs), MediaIDs: fromIDArray[ident.Media](r.MediaIDs),
			Link: value(r.Link), Due: value(r.Due).UTC(), AuthorID: value(r.AuthorID), EditorID: value(r.EditorID), Posts: posts,
			CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
		},
		Place: CardPlace{Column: r.Lane, Rank: r.Rank}, Author: value(r.Author), Editor: value(r.Editor),
	}
}

// Cards returns up to limit cards of a board after the given place: column by column from the left, each from top to
// bottom. Consecutive pages neither miss nor repeat a card, unless a card is moved in between. The caller must have
// checked that the workspace owns the board.
func (s *Ideas) Cards(ctx context.Context, board ident.IdeaBoard, after CardPlace, limit int) ([]PlacedCard, error) {
	return s.read(ctx, board, nil, after, limit)
}

// read reads cards of a board, or one of them.
func (s *Ideas) read(
	ctx context.Context, board ident.IdeaBoard, one *ident.IdeaCard, after CardPlace, limit int,
) ([]PlacedCard, error) {
	var rows []ideaCardRow
	err := s.db.conn(ctx).Raw(readCards, map[string]any{
		"board": board, "card": one, "lane": after.Column, "rank": after.Rank, "limit": limit,
	}).Scan(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	return each(rows, fromIdeaCardRow), nil
}

// Card returns a card of the workspace; NOT_FOUND if it does not exist.
func (s *Ideas) Card(ctx context.Context, workspace ident.Workspace, id ident.IdeaCard) (PlacedCard, error) {
	board, err := s.boardOf(ctx, workspace, id)
	if err != nil {
		return PlacedCard{}, err
	}
	found, err := s.read(ctx, board, &id, CardPlace{}, 1)
	if err == nil && len(found) == 0 { // it was deleted meanwhile
		err = notFound("idea")
	}
	if err != nil {
		return PlacedCard{}, err
	}
	return found[0], nil
}

// boardOf returns the board of a card of the workspace; NOT_FOUND if the card does not exist.
func (s *Ideas) boardOf(ctx context.Context, workspace ident.Workspace, id ident.IdeaCard) (ident.IdeaBoard, error) {
	var found []ident.IdeaBoard
	err := s.db.conn(ctx).Table("idea_card d").Joins("JOIN idea_board b ON b.id = d.board_id").
		Where("d.id = ? AND b.workspace_id = ?", id, workspace).Pluck("b.id", &found).Error
	if err != nil {
		return ident.IdeaBoard{}, classify(err)
	}
	if len(found) == 0 {
		return ident.IdeaBoard{}, notFound("idea")
	}
	return found[0], nil
}

// AddCard calls decide to create a card for a board of the workspace and stores the card, in one transaction. The board
// is locked while it is read, so that concurrent cards get distinct places. It returns NOT_FOUND if the workspace does
// not have the board or an asset of the card, and ErrIdeaExists.
func (s *Ideas) AddCard(
	ctx context.Context, workspace ident.Workspace, board ident.IdeaBoard, decide func(idea.Board) (idea.Card, error),
) (card idea.Card, err error) {
	err = s.db.WithinTx(ctx, func(ctx context.Context) error {
		b, err := s.lock(ctx, workspace, board)
		if err != nil {
			return err
		}
		if card, err = decide(b); err != nil {
			return err
		}
		return s.insertCard(ctx, workspace, card)
	})
	return card, err
}

// lock returns a board, and keeps others from changing it and its cards until the transaction ends.
func (s *Ideas) lock(ctx context.Context, workspace ident.Workspace, board ident.IdeaBoard) (idea.Board, error) {
	// The lock needs its own statement: the counts of a statement that waited for the lock would be outdated.
	var locked []ident.IdeaBoard
	err := s.db.conn(ctx).Table("idea_board").Where("id = ? AND workspace_id = ?", board, workspace).
		Clauses(locking("FOR NO KEY UPDATE")).Pluck("id", &locked).Error
	if err != nil {
		return idea.Board{}, classify(err)
	}
	return s.Board(ctx, workspace, board)
}

// ErrIdeaExists is returned for a new card with the ID of another one.
var ErrIdeaExists = errors.New("there is an idea with the ID")

func (s *Ideas) insertCard(ctx context.Context, workspace ident.Workspace, c idea.Card) error {
	rank, err := s.rank(ctx, c)
	if err != nil {
		return err
	}
	err = s.db.conn(ctx).Exec(insertIdeaCard, map[string]any{
		"id": c.ID, "board": c.BoardID, "column": c.ColumnID, "rank": rank, "title": c.Title, "content": c.Content,
		"link":   optional(c.Link),
		"labels": idArray(c.LabelIDs), "media": idArray(c.MediaIDs), "now": c.CreatedAt, "due": dayOrNull(c.Due),
		"author": optional(c.AuthorID),
	}).Error
	if isDuplicate(err) {
		return ErrIdeaExists
	}
	if err != nil || len(c.MediaIDs) == 0 {
		return err
	}
	return s.references.Set(ctx, ownerOf(workspace, c), c.MediaIDs)
}

// ownerOf returns the card as one that uses assets.
func ownerOf(workspace ident.Workspace, c idea.Card) Owner {
	return Owner{WorkspaceID: workspace, Type: media.OwnerIdeaCard, ID: c.ID.String(), Label: c.Title}
}

// rank returns a rank between the cards at and before the card's position. The board is locked, so no other transaction
// changes the column.
func (s *Ideas) rank(ctx context.Context, c idea.Card) (int64, error) {
	for {
		before, after, err := s.neighbours(ctx, c)
		if err != nil {
			return 0, err
		}
		if rank, room := idea.RankBetween(before, after); room {
			return rank, nil
		}
		err = s.db.conn(ctx).Exec(rerankCards, map[string]any{"step": idea.RankStep, "column": c.ColumnID}).Error
		if err != nil {
			return 0, err
		}
	}
}

// neighbours returns the ranks of the other card before the card's position and of the one that is then below it; nil if there
// is none.
func (s *Ideas) neighbours(ctx context.Context, c idea.Card) (before, after *int64, err error) {
	var ranks []int64
	err = s.db.conn(ctx).Table("idea_card").Where("column_id = ? AND id <> ?", c.ColumnID, c.ID).Order("rank").
		Offset(max(c.Position-1, 0)).Limit(2).Pluck("rank", &ranks).Error
	if err != nil {
		return nil, nil, err
	}
	if c.Position > 0 && len(ranks) > 0 {
		before, ranks = &ranks[0], ranks[1:]
	}
	if len(ranks) > 0 {
		after = &ranks[0]
	}
	return before, after, nil
}
