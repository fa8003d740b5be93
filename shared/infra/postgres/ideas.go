package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"fencepost.internal/shared/domain/idea"
	"fencepost.internal/shared/kernel/ident"
)

// Ideas stores idea boards with their columns, labels and cards.
type Ideas struct {
	db         *DB
	references *References
}

// NewIdeas returns the store.
func NewIdeas(db *DB) *Ideas { return &Ideas{db: db, references: NewReferences(db)} }

type ideaBoardRow struct {
	ID          ident.IdeaBoard
	WorkspaceID ident.Workspace
	Name        string
	Columns     []byte
	Labels      []byte
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// ideaBoardColumns read boards in one statement, so that columns, counts and labels come from one snapshot.
const ideaBoardColumns = `b.id, b.workspace_id, b.name, b.created_at, b.updated_at,
	(SELECT json_agg(json_build_object('id', c.id, 'name', c.name, 'color', c.color,
		'cards', (SELECT count(*) FROM idea_card d WHERE d.column_id = c.id))
		ORDER BY c.position) FROM idea_column c WHERE c.board_id = b.id) AS columns,
	(SELECT json_agg(json_build_object('id', l.id, 'name', l.name, 'color', l.color) ORDER BY l.position)
		FROM idea_label l WHERE l.board_id = b.id) AS labels`

func fromIdeaBoardRow(r ideaBoardRow) (idea.Board, error) {
	b := idea.Board{ID: r.ID, WorkspaceID: r.WorkspaceID, Name: r.Name, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt}
	for _, part := range []struct {
		raw  []byte
		into any
	}{{r.Columns, &b.Columns}, {r.Labels, &b.Labels}} {
		if part.raw == nil { // no columns or labels
			continue
		}
		if err := json.Unmarshal(part.raw, part.into); err != nil {
			return b, fmt.Errorf("decode idea board: %w", err)
		}
	}
	return b, nil
}

// InsertBoard stores a new board with its columns and labels.
func (s *Ideas) InsertBoard(ctx context.Context, b idea.Board) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		err := s.db.conn(ctx).Table("idea_board").Create(map[string]any{
			"id": b.ID, "workspace_id": b.WorkspaceID, "name": b.Name, "created_at": b.CreatedAt, "updated_at": b.UpdatedAt,
		}).Error
		if err != nil {
			return err
		}
		columns, labels := ideaParts(b)
		if len(columns) > 0 {
			if err := s.db.conn(ctx).Table("idea_column").Create(columns).Error; err != nil {
				return err
			}
		}
		if len(labels) == 0 {
			return nil
		}
		return s.db.conn(ctx).Table("idea_label").Create(labels).Error
	})
}

// ideaParts returns the rows of a board's columns and labels.
func ideaParts(b idea.Board) (columns, labels []map[string]any) {
	for i, c := range b.Columns {
		columns = append(columns, map[string]any{"id": c.ID, "board_id": b.ID, "position": i, "name": c.Name, "color": c.Color})
	}
	for i, l := range b.Labels {
		labels = append(labels, map[string]any{
			"id": l.ID, "board_id": b.ID, "position": i, "name": l.Name, "color": l.Color,
		})
	}
	return columns, labels
}

// Boards returns the boards of the workspace, oldest first.
func (s *Ideas) Boards(ctx context.Context, workspace ident.Workspace) ([]idea.Board, error) {
	var rows []ideaBoardRow
	err := s.db.conn(ctx).Table("idea_board b").Select(ideaBoardColumns).Where("b.workspace_id = ?", workspace).
		Order("b.created_at, b.id").Find(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	boards := make([]idea.Board, len(rows))
	for i, r := range rows {
		if boards[i], err = fromIdeaBoardRow(r); err != nil {
			return nil, err
		}
	}
	return boards, nil
}

// Board returns one board of the workspace; NOT_FOUND if it does not exist.
func (s *Ideas) Board(ctx context.Context, workspace ident.Workspace, id ident.IdeaBoard) (idea.Board, error) {
	var row ideaBoardRow
	err := s.db.conn(ctx).Table("idea_board b").Select(ideaBoardColumns).
		Where("b.id = ? AND b.workspace_id = ?", id, workspace).Take(&row).Error
	if err != nil {
		return idea.Board{}, rowError(err, "idea board")
	}
	return fromIdeaBoardRow(row)
}
