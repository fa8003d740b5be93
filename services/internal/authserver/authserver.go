// Package authserver implements the use cases of the OAuth authorization server: authorization requests, user
// decisions, and the exchange, introspection and revocation of tokens. Package oauth has the rules. Callers handle
// HTTP.
package authserver

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/clock"
)

// Fetcher reads the metadata document of a published client, from an address that the client chose.
type Fetcher interface {
	// Do returns a response with a size-limited body. The error is an *egress.Error.
	Do(ctx context.Context, request egress.Request) (*egress.Response, error)
}

// Config holds the dependencies of a Server.
type Config struct {
	DB        *postgres.DB
	Keyring   *secretbox.Keyring
	Issuer    string   // the API's base address, without a trailing slash
	Resources []string // valid audiences: the REST API first, then the tool server
	Fetch     Fetcher  // limited to oauth.MaxMetadata bytes and a few seconds, follows no redirects
	Clock     clock.Clock
	Logger    *slog.Logger
}

// Server is the authorization server. It is safe for concurrent use.
type Server struct {
	cfg     Config
	rules   oauth.Rules
	clients *postgres.Clients
	grants  *postgres.Grants
	users   *postgres.Users
}

// New returns a Server, or an error when a dependency is missing.
func New(cfg Config) (*Server, error) {
	if cfg.DB == nil || cfg.Keyring == nil || cfg.Issuer == "" || len(cfg.Resources) == 0 || cfg.Fetch == nil ||
		cfg.Clock == nil || cfg.Logger == nil {
		return nil, errors.New("authserver: every dependency is required")
	}
	return &Server{
		cfg: cfg, rules: oauth.Rules{Resources: cfg.Resources}, clients: postgres.NewClients(cfg.DB),
		grants: postgres.NewGrants(cfg.DB, cfg.Keyring),
		users:  postgres.NewUsers(cfg.DB),
	}, nil
}

// Resources returns the resources for which the server issues tokens.
func (s *Server) Resources() []string { return s.cfg.Resources }

// now returns the current time in whole milliseconds, the precision of stored times.
func (s *Server) now() time.Time { return s.cfg.Clock.Now().UTC().Truncate(time.Millisecond) }
