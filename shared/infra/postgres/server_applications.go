package postgres

import (
	"context"
	"fmt"

	"gorm.io/gorm/clause"

	"fencepost.internal/shared/infra/secretbox"
)

// ServerApplications stores the applications that this service registered at independent servers.
type ServerApplications struct {
	db  *DB
	box *secretbox.Keyring
}

// NewServerApplications returns the store.
func NewServerApplications(db *DB, box *secretbox.Keyring) *ServerApplications {
	return &ServerApplications{db: db, box: box}
}

func serverApplicationAAD(server, redirect string) secretbox.AAD {
	return secretbox.AAD{
		Kind: "server_application", Workspace: "installation", Record: server + " " + redirect, Field: "value",
	}
}

// Registered returns the application at the server with the redirect address; empty if there is none.
func (s *ServerApplications) Registered(ctx context.Context, server, redirect string) (string, error) {
	var found [][]byte
	err := s.db.conn(ctx).Table("server_application").Where("server = ? AND redirect = ?", server, redirect).
		Pluck("value", &found).Error
	if err != nil || len(found) == 0 {
		return "", classify(err)
	}
	plain, err := s.box.Open(found[0], serverApplicationAAD(server, redirect))
	if err != nil {
		return "", fmt.Errorf("application at %s: %w", server, err)
	}
	return string(plain), nil
}

// Register stores the application instead of the former one.
func (s *ServerApplications) Register(ctx context.Context, server, redirect, application string) error {
	sealed, err := s.box.Seal([]byte(application), serverApplicationAAD(server, redirect))
	if err != nil {
		return fmt.Errorf("seal application at %s: %w", server, err)
	}
	return classify(s.db.conn(ctx).Table("server_application").Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "server"}, {Name: "redirect"}},
		DoUpdates: clause.AssignmentColumns([]string{"value", "updated_at"}),
	}).Create(map[string]any{
		"server": server, "redirect": redirect, "value": sealed, "updated_at": dbNow,
	}).Error)
}
