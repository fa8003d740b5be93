package servers

import (
	"context"
	"fmt"
)

// Databases, and the roles that own them.
const (
	serviceDatabase    = "social"
	temporalDatabase   = "temporal"
	visibilityDatabase = "temporal_visibility"

	serviceRole  = "social"
	temporalRole = "temporal"
)

// ensureDatabases creates the roles and databases unless they exist, and sets the roles' passwords.
func (s *Servers) ensureDatabases(ctx context.Context) error {
	conn, err := s.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	const (
		always          = "SELECT $1 <> ''"
		missingRole     = "SELECT NOT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)"
		missingDatabase = "SELECT NOT EXISTS (SELECT FROM pg_database WHERE datname = $1)"
	)
	for _, step := range []struct{ condition, name, statement string }{
		{missingRole, serviceRole, "CREATE ROLE " + serviceRole + " LOGIN"},
		{missingRole, temporalRole, "CREATE ROLE " + temporalRole + " LOGIN"},
		// PostgreSQL accepts no parameters here. Passwords have letters and digits only.
		{always, serviceRole, "ALTER ROLE " + serviceRole + " PASSWORD '" + s.cfg.Secrets.SocialPassword + "'"},
		{always, temporalRole, "ALTER ROLE " + temporalRole + " PASSWORD '" + s.cfg.Secrets.TemporalPassword + "'"},
		{missingDatabase, serviceDatabase, "CREATE DATABASE " + serviceDatabase + " OWNER " + serviceRole},
		{missingDatabase, temporalDatabase, "CREATE DATABASE " + temporalDatabase + " OWNER " + temporalRole},
		{missingDatabase, visibilityDatabase, "CREATE DATABASE " + visibilityDatabase + " OWNER " + temporalRole},
	} {
		var holds bool
		err := conn.QueryRow(ctx, step.condition, step.name).Scan(&holds)
		if err == nil && holds {
			_, err = conn.Exec(ctx, step.statement)
		}
		if err != nil {
			return fmt.Errorf("prepare %s: %w", step.name, err)
		}
	}
	return nil
}

// recreateTemporal drops the databases of Temporal, disconnecting their sessions, and creates them again, empty.
func (s *Servers) recreateTemporal(ctx context.Context) error {
	conn, err := s.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, name := range []string{temporalDatabase, visibilityDatabase} {
		if _, err := conn.Exec(ctx, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)"); err != nil {
			return fmt.Errorf("drop database %s: %w", name, err)
		}
	}
	return s.ensureDatabases(ctx)
}
