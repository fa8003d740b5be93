package postgres

import (
	"context"

	"fencepost.internal/shared/kernel/ident"
)

// Operators stores which users configure the installation.
type Operators struct{ db *DB }

// NewOperators returns the store.
func NewOperators(db *DB) *Operators { return &Operators{db: db} }

// Is reports whether the user is an operator.
func (s *Operators) Is(ctx context.Context, id ident.User) (bool, error) {
	var found []ident.User
	err := s.db.conn(ctx).Table("installation_operator").Where("user_id = ?", id).Pluck("user_id", &found).Error
	return len(found) > 0, classify(err)
}

// Add makes the user an operator, and reports whether that changed anything.
func (s *Operators) Add(ctx context.Context, id ident.User) (bool, error) {
	result := s.db.conn(ctx).Table("installation_operator").Clauses(onConflict("ON CONFLICT DO NOTHING")).
		Create(map[string]any{"user_id": id})
	return result.RowsAffected > 0, classify(result.Error)
}

// Remove ends the rights of an operator, and reports whether that changed anything.
func (s *Operators) Remove(ctx context.Context, id ident.User) (bool, error) {
	result := s.db.conn(ctx).Table("installation_operator").Where("user_id = ?", id).Delete(nil)
	return result.RowsAffected > 0, classify(result.Error)
}
