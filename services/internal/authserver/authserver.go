// Package authserver holds the use cases of the OAuth authorization server: a client asks, a person decides, a code becomes
// tokens, and tokens are exchanged, looked up and revoked. The rules are those of package oauth; HTTP is the callers'.
package authserver

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"socialpub.internal/shared/domain/oauth"
	"socialpub.internal/shared/infra/egress"
	"socialpub.internal/shared/infra/postgres"
	"socialpub.internal/shared/infra/secretbox"
	"socialpub.internal/shared/kernel/clock"
)

// Fetcher reads the document of a published client, from an address that the client chose.
type Fetcher interface {
	// Do returns the beginning of the answer; the error is an *egress.Error.
	Do(ctx context.Context, request egress.Request) (*egress.Response, error)
}

// Config is what a Server stands on.
type Config struct {
	DB        *postgres.DB
	Keyring   *secretbox.Keyring
	Issuer    string   // the API's base address, without a slash at its end
	Resources []string // whom tokens can be for: the REST API first, then the tool server
	Fetch     Fetcher  // reads at most oauth.MaxMetadata bytes, within seconds, without following redirects
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

// New checks the configuration.
func New(cfg Config) (*Server, error) {
	if cfg.DB == nil || cfg.Keyring == nil || cfg.Issuer == "" || len(cfg.Resources) == 0 || cfg.Fetch == nil || cfg.Clock == nil || cfg.Logger == nil {
		return nil, errors.New("authserver: every dependency is required")
	}
	return &Server{
		cfg: cfg, rules: oauth.Rules{Resources: cfg.Resources}, clients: postgres.NewClients(cfg.DB), grants: postgres.NewGrants(cfg.DB, cfg.Keyring),
		users: postgres.NewUsers(cfg.DB),
	}, nil
}

// now is the time that is stored: whole milliseconds.
func (s *Server) now() time.Time { return s.cfg.Clock.Now().UTC().Truncate(time.Millisecond) }
