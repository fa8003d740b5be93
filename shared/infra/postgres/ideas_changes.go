package postgres

import (
	"context"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fencepost.internal/shared/domain/idea"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/ident"
)

// ChangeCard calls decide to change a card of the workspace and writes the result, in one transaction. The board is locked while
// it is read, so that concurrent changes run one after the other, each on the result of the previous one. It returns NOT_FOUND
// if the workspace does not have the card or an asset.
func (s *Ideas) ChangeCard(
	ctx context.Context, workspace ident.Workspace, id ident.IdeaCard,
	decide func(ctx context.Context, b idea.Board, c idea.Card) (idea.Card, error),
) (next idea.Card, err error) {
	err = s.db.WithinTx(ctx, func(ctx context.Context) error {
		b, c, err := s.lockCard(ctx, workspace, id)
		if err != nil {
			return err
		}
		if next, err = decide(ctx, b, c); err != nil {
			return err
		}
		return s.writeCard(ctx, workspace, c, next)
	})
	return next, err
}

// lockCard returns a card and its board, which is locked.
func (s *Ideas) lockCard(ctx context.Context, workspace ident.Workspace, id ident.IdeaCard) (b idea.Board, c idea.Card, err error) {
	board, err := s.boardOf(ctx, workspace, id)
	if err != nil {
		return b, c, err
	}
	if b, err = s.lock(ctx, workspace, board); err != nil {
		return b, c, err
	}
	found, err := s.Card(ctx, workspace, id)
	return b, found.Card, err
}

// Order returns the cards of a column, from the top.
func (s *Ideas) Order(ctx context.Context, column ident.IdeaColumn) (ids []ident.IdeaCard, err error) {
	err = s.db.conn(ctx).Table("idea_card").Where("column_id = ?", column).Order("rank").Pluck("id", &ids).Error
	return ids, classify(err)
}

func (s *Ideas) writeCard(ctx context.Context, workspace ident.Workspace, from, to idea.Card) error {
	columns := map[string]any{
		"title": to.Title, "content": to.Content, "link": optional(to.Link), "due": dayOrNull(to.Due),
		"media_ids": gorm.Expr("CAST(? AS uuid[])", idArray(to.MediaIDs)), "editor_id": optional(to.EditorID), "updated_at": to.UpdatedAt,
	}
	if to.ColumnID != from.ColumnID || to.Position != from.Position {
		rank, err := s.rank(ctx, to)
		if err != nil {
			return err
		}
		columns["column_id"], columns["rank"] = to.ColumnID, rank
	}
	if err := s.db.conn(ctx).Table("idea_card").Where("id = ?", to.ID).Updates(columns).Error; err != nil {
		return classify(err)
	}
	if !slices.Equal(from.LabelIDs, to.LabelIDs) {
		if err := s.setLabels(ctx, to); err != nil {
			return err
		}
	}
	if from.Title != to.Title || !slices.Equal(from.MediaIDs, to.MediaIDs) {
		if err := s.references.Set(ctx, ownerOf(workspace, to), to.MediaIDs); err != nil {
			return err
		}
	}
	return s.touch(ctx, to.BoardID, to.UpdatedAt)
}

func (s *Ideas) setLabels(ctx context.Context, c idea.Card) error {
	if err := s.db.conn(ctx).Table("idea_card_label").Where("card_id = ?", c.ID).Delete(nil).Error; err != nil {
		return classify(err)
	}
	if len(c.LabelIDs) == 0 {
		return nil
	}
	rows := each(c.LabelIDs, func(id ident.IdeaLabel) map[string]any {
		return map[string]any{"board_id": c.BoardID, "card_id": c.ID, "label_id": id}
	})
	return classify(s.db.conn(ctx).Table("idea_card_label").Create(rows).Error)
}

// touch records that a board or a card on it was changed.
func (s *Ideas) touch(ctx context.Context, board ident.IdeaBoard, at time.Time) error {
	return classify(s.db.conn(ctx).Table("idea_board").Where("id = ?", board).
		Update("updated_at", gorm.Expr("greatest(updated_at, CAST(? AS timestamptz))", at)).Error)
}

// DeleteCard deletes a card of the workspace; NOT_FOUND if it does not exist.
func (s *Ideas) DeleteCard(ctx context.Context, workspace ident.Workspace, id ident.IdeaCard, now time.Time) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		b, c, err := s.lockCard(ctx, workspace, id)
		if err != nil {
			return err
		}
		if err := s.references.Set(ctx, ownerOf(workspace, c), nil); err != nil {
			return err
		}
		if err := s.db.conn(ctx).Table("idea_card").Where("id = ?", id).Delete(nil).Error; err != nil {
			return classify(err)
		}
		return s.touch(ctx, b.ID, now)
	})
}

// LinkPosts records that a card of the workspace became posts of the workspace. A card that is deleted meanwhile gets none.
func (s *Ideas) LinkPosts(ctx context.Context, workspace ident.Workspace, id ident.IdeaCard, posts []ident.Post) error {
	return classify(s.db.conn(ctx).Exec(`INSERT INTO idea_card_post (card_id, post_id)
		SELECT d.id, p.id FROM idea_card d JOIN idea_board b ON b.id = d.board_id JOIN post p ON p.workspace_id = b.workspace_id
		WHERE d.id = ? AND b.workspace_id = ? AND p.id = ANY(CAST(? AS uuid[])) ON CONFLICT DO NOTHING`, id, workspace, idArray(posts)).Error)
}

// ChangeBoard calls decide to change a board of the workspace with its columns and labels, and writes the result, in one
// transaction. The cards of a column that is removed go to the end of another one. It returns NOT_FOUND if the workspace does
// not have the board.
func (s *Ideas) ChangeBoard(
	ctx context.Context, workspace ident.Workspace, id ident.IdeaBoard, into ident.IdeaColumn, decide func(idea.Board) (idea.Board, error),
) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		b, err := s.lock(ctx, workspace, id)
		if err != nil {
			return err
		}
		next, err := decide(b)
		if err != nil {
			return err
		}
		err = s.db.conn(ctx).Table("idea_board").Where("id = ?", id).
			Updates(map[string]any{"name": next.Name, "updated_at": next.UpdatedAt}).Error
		if err != nil {
			return classify(err)
		}
		if err := s.dropParts(ctx, b, next, into); err != nil {
			return err
		}
		columns, labels := ideaParts(next)
		if err := s.putParts(ctx, "idea_column", columns); err != nil {
			return err
		}
		return s.putParts(ctx, "idea_label", labels)
	})
}

// dropParts deletes the columns and labels that a board no longer has.
func (s *Ideas) dropParts(ctx context.Context, from, to idea.Board, into ident.IdeaColumn) error {
	for _, c := range from.Columns {
		if slices.ContainsFunc(to.Columns, func(kept idea.Column) bool { return kept.ID == c.ID }) {
			continue
		}
		if c.Cards > 0 {
			err := s.db.conn(ctx).Exec(pourCards, map[string]any{"from": c.ID, "into": into, "step": idea.RankStep, "now": to.UpdatedAt}).Error
			if err != nil {
				return classify(err)
			}
		}
		if err := s.db.conn(ctx).Table("idea_column").Where("id = ?", c.ID).Delete(nil).Error; err != nil {
			return classify(err)
		}
	}
	for _, l := range from.Labels {
		if slices.ContainsFunc(to.Labels, func(kept idea.Label) bool { return kept.ID == l.ID }) {
			continue
		}
		if err := s.db.conn(ctx).Table("idea_label").Where("id = ?", l.ID).Delete(nil).Error; err != nil {
			return classify(err)
		}
	}
	return nil
}

// putParts stores the columns or the labels of a board in their order.
func (s *Ideas) putParts(ctx context.Context, table string, rows []map[string]any) error {
	if len(rows) == 0 {
		return nil
	}
	return classify(s.db.conn(ctx).Table(table).Clauses(clause.OnConflict{
		Columns: []clause.Column{{Name: "id"}}, DoUpdates: clause.AssignmentColumns([]string{"position", "name", "color"}),
	}).Create(rows).Error)
}

// AddBoard calls decide to create a board beside those of the workspace, and stores it, in one transaction.
func (s *Ideas) AddBoard(
	ctx context.Context, workspace ident.Workspace, decide func([]idea.Board) (idea.Board, error),
) (b idea.Board, err error) {
	err = s.db.WithinTx(ctx, func(ctx context.Context) error {
		boards, err := s.lockAll(ctx, workspace)
		if err != nil {
			return err
		}
		if b, err = decide(boards); err != nil {
			return err
		}
		return classify(s.InsertBoard(ctx, b))
	})
	return b, err
}

// lockAll returns the boards of a workspace, and keeps others from changing them and from adding one.
func (s *Ideas) lockAll(ctx context.Context, workspace ident.Workspace) ([]idea.Board, error) {
	var locked []ident.IdeaBoard
	err := s.db.conn(ctx).Table("idea_board").Where("workspace_id = ?", workspace).Order("id").
		Clauses(locking("FOR NO KEY UPDATE")).Pluck("id", &locked).Error
	if err != nil {
		return nil, classify(err)
	}
	return s.Boards(ctx, workspace)
}

// DeleteBoard deletes a board of the workspace with its cards, if decide allows it.
func (s *Ideas) DeleteBoard(
	ctx context.Context, workspace ident.Workspace, id ident.IdeaBoard, decide func([]idea.Board) error,
) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		boards, err := s.lockAll(ctx, workspace)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(boards, func(b idea.Board) bool { return b.ID == id }) {
			return notFound("idea board")
		}
		if err := decide(boards); err != nil {
			return err
		}
		cards := s.db.conn(ctx).Table("idea_card").Select("id").Where("board_id = ?", id)
		err = s.db.conn(ctx).Table("media_reference").
			Where("owner_type = ? AND workspace_id = ? AND owner_id IN (?)", string(media.OwnerIdeaCard), workspace, cards).Delete(nil).Error
		if err != nil {
			return classify(err)
		}
		return classify(s.db.conn(ctx).Table("idea_board").Where("id = ?", id).Delete(nil).Error)
	})
}
