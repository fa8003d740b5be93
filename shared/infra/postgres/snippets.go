package postgres

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"fencepost.internal/shared/domain/snippet"
	"fencepost.internal/shared/kernel/ident"
)

// ErrNameInUse is returned for a text with the name of another one of its kind in the workspace.
var ErrNameInUse = errors.New("another text of the kind has the name")

type snippetRow struct {
	ID          ident.Snippet
	WorkspaceID ident.Workspace
	Kind        string
	Name        string
	Content     string
	Settings    []byte
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

func fromSnippetRow(r snippetRow) (snippet.Snippet, error) {
	s := snippet.Snippet{
		ID: r.ID, WorkspaceID: r.WorkspaceID, Kind: snippet.Kind(r.Kind), Name: r.Name, Text: r.Content, CreatedAt: r.CreatedAt,
		UpdatedAt: r.UpdatedAt,
	}
	if err := json.Unmarshal(r.Settings, &s.Settings); err != nil {
		return s, fmt.Errorf("decode settings of a text: %w", err)
	}
	return s, nil
}

// Snippets stores the texts that workspaces keep for their posts.
type Snippets struct{ db *DB }

// NewSnippets returns the store.
func NewSnippets(db *DB) *Snippets { return &Snippets{db: db} }

// List returns the texts of a workspace, by their names.
func (s *Snippets) List(ctx context.Context, of ident.Workspace) ([]snippet.Snippet, error) {
	var rows []snippetRow
	err := s.db.conn(ctx).Table("snippet").Where("workspace_id = ?", of).Order("key, id").Find(&rows).Error
	if err != nil {
		return nil, classify(err)
	}
	list := make([]snippet.Snippet, len(rows))
	for i, r := range rows {
		if list[i], err = fromSnippetRow(r); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Get returns a text; NOT_FOUND when the workspace has no such text.
func (s *Snippets) Get(ctx context.Context, of ident.Workspace, id ident.Snippet) (snippet.Snippet, error) {
	var row snippetRow
	err := s.db.conn(ctx).Table("snippet").Where("id = ? AND workspace_id = ?", id, of).Take(&row).Error
	if err != nil {
		return snippet.Snippet{}, rowError(err, "text")
	}
	return fromSnippetRow(row)
}

// Insert stores a text; ErrNameInUse if its name is taken.
func (s *Snippets) Insert(ctx context.Context, one snippet.Snippet) error {
	settings, err := jsonParam(one.Settings)
	if err != nil {
		return err
	}
	return named(s.db.conn(ctx).Table("snippet").Create(map[string]any{
		"id": one.ID, "workspace_id": one.WorkspaceID, "kind": string(one.Kind), "key": snippet.Key(one.Name), "name": one.Name,
		"content": one.Text, "settings": settings, "created_at": one.CreatedAt, "updated_at": one.UpdatedAt,
	}).Error)
}

// Update stores what was changed of a text, except for its kind; NOT_FOUND when the workspace has no such text, ErrNameInUse
// if its name is taken.
func (s *Snippets) Update(ctx context.Context, one snippet.Snippet) error {
	settings, err := jsonParam(one.Settings)
	if err != nil {
		return err
	}
	result := s.db.conn(ctx).Table("snippet").Where("id = ? AND workspace_id = ?", one.ID, one.WorkspaceID).Updates(map[string]any{
		"key": snippet.Key(one.Name), "name": one.Name, "content": one.Text, "settings": settings, "updated_at": one.UpdatedAt,
	})
	if result.Error == nil && result.RowsAffected == 0 {
		return notFound("text")
	}
	return named(result.Error)
}

func named(err error) error {
	if isDuplicate(err) {
		return ErrNameInUse
	}
	return classify(err)
}

// Delete deletes a text; NOT_FOUND when the workspace has no such text.
func (s *Snippets) Delete(ctx context.Context, of ident.Workspace, id ident.Snippet) error {
	result := s.db.conn(ctx).Table("snippet").Where("id = ? AND workspace_id = ?", id, of).Delete(nil)
	return affected(result, "text")
}

// LinkRule returns the rule of the parameters of links; the zero rule if the workspace has none.
func (s *Snippets) LinkRule(ctx context.Context, of ident.Workspace) (rule snippet.LinkRule, err error) {
	var raw []byte
	err = s.db.conn(ctx).Raw("SELECT rule FROM link_rule WHERE workspace_id = ?", of).Row().Scan(&raw)
	if errors.Is(err, sql.ErrNoRows) {
		return rule, nil
	}
	if err != nil {
		return rule, classify(err)
	}
	if err := json.Unmarshal(raw, &rule); err != nil {
		return rule, fmt.Errorf("decode a rule of links: %w", err)
	}
	return rule, nil
}

// SetLinkRule stores the rule of the parameters of links.
func (s *Snippets) SetLinkRule(ctx context.Context, of ident.Workspace, rule snippet.LinkRule, now time.Time) error {
	raw, err := jsonParam(rule)
	if err != nil {
		return err
	}
	return classify(s.db.conn(ctx).Exec(`INSERT INTO link_rule (workspace_id, rule, updated_at) VALUES (?, CAST(? AS jsonb), ?)
		ON CONFLICT (workspace_id) DO UPDATE SET rule = excluded.rule, updated_at = excluded.updated_at`, of, raw, now).Error)
}
