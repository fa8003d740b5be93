package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// ensureDatabases creates the configured roles and databases unless they exist, and sets the roles' passwords.
func (s *Server) ensureDatabases(ctx context.Context) error {
	if len(s.cfg.Databases) == 0 {
		return nil
	}
	conn, err := s.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, database := range s.cfg.Databases {
		if err := ensureRole(ctx, conn, database); err != nil {
			return err
		}
		if err := ensureDatabase(ctx, conn, database); err != nil {
			return err
		}
	}
	return nil
}

func ensureRole(ctx context.Context, conn *pgx.Conn, database Database) error {
	var exists bool
	err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)", database.Owner).Scan(&exists)
	if err != nil {
		return fmt.Errorf("check role %s: %w", database.Owner, err)
	}
	verb := "CREATE"
	if exists {
		verb = "ALTER"
	}
	if _, err := conn.Exec(ctx, fmt.Sprintf("%s ROLE %s LOGIN PASSWORD %s",
		verb, identifier(database.Owner), literal(database.Password))); err != nil {
		return fmt.Errorf("role %s: %w", database.Owner, err)
	}
	return nil
}

func ensureDatabase(ctx context.Context, conn *pgx.Conn, database Database) error {
	var exists bool
	err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", database.Name).Scan(&exists)
	if err != nil {
		return fmt.Errorf("check database %s: %w", database.Name, err)
	}
	if exists {
		return nil
	}
	if _, err := conn.Exec(ctx, fmt.Sprintf("CREATE DATABASE %s OWNER %s",
		identifier(database.Name), identifier(database.Owner))); err != nil {
		return fmt.Errorf("create database %s: %w", database.Name, err)
	}
	return nil
}

// Recreate drops the databases, disconnecting their sessions, and creates them again, empty.
func (s *Server) Recreate(ctx context.Context, names ...string) error {
	conn, err := s.connect(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, err := conn.Exec(ctx, "DROP DATABASE IF EXISTS "+identifier(name)+" WITH (FORCE)"); err != nil {
			_ = conn.Close(ctx)
			return fmt.Errorf("drop database %s: %w", name, err)
		}
	}
	if err := conn.Close(ctx); err != nil {
		return fmt.Errorf("close the connection: %w", err)
	}
	return s.ensureDatabases(ctx)
}

func identifier(name string) string { return pgx.Identifier{name}.Sanitize() }

// literal quotes a value for statements in which PostgreSQL accepts no parameters.
func literal(value string) string { return "'" + strings.ReplaceAll(value, "'", "''") + "'" }
