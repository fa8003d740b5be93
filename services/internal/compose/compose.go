// Package compose wires the use cases and their dependencies, the same for every program that offers them.
package compose

import (
	"context"
	"time"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/services/internal/cursor"
	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/ratelimit"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/testnet"
)

// lockTimeout limits the wait of a statement for a lock of another request. Most transactions of requests are tried
// twice, so two such waits fit into the time limit of a request.
const lockTimeout = 4 * time.Second

// Engine holds the use cases and their dependencies.
type Engine struct {
	DB      *postgres.DB
	Keyring *secretbox.Keyring
	Files   *objectstore.Store
	Policy  *egress.Policy
	App     *app.App
	Limiter *ratelimit.Limiter
	// Cursors is the key of list cursors, which all programs of a deployment share.
	Cursors []byte

	Connections  *app.Connections
	Applications *app.Applications

	relay    *relay.Relay
	networks *bootstrap.Networks
	hangUp   func() // closes the Temporal client
}

// Database opens the database for a program that serves requests, and waits until it is ready.
func Database(
	ctx context.Context, cfg config.UseCases[connectors.Environment], p *bootstrap.Process,
) (*postgres.DB, error) {
	pool := bootstrap.Pool{Connections: cfg.DBMaxConns, LockTimeout: lockTimeout, Horizon: cfg.PostHorizon, Express: cfg.DeliveryExpressAfter.After()}
	return bootstrap.Database(ctx, cfg.Database.URL, pool, p)
}

// New returns the use cases; audience is the required audience of OAuth access tokens. Temporal may be down: requests
// succeed regardless, and the relay delivers their messages later.
func New(
	cfg config.UseCases[connectors.Environment], audience string, db *postgres.DB, p *bootstrap.Process,
) (*Engine, error) {
	e := &Engine{DB: db}
	temporal, err := bootstrap.Temporal(cfg.Temporal, p)
	if err != nil {
		return nil, err
	}
	e.hangUp = temporal.Close
	if e.Keyring, err = bootstrap.Keyring(cfg.Encryption.Keys); err != nil {
		return nil, err
	}
	if e.relay, err = relay.New(relay.Config{
		Outbox: postgres.NewOutbox(db), Events: postgres.NewEvents(db), Queues: postgres.NewDeliveries(db, nil),
		Temporal:  temporal,
		Namespace: cfg.Temporal.Namespace, Clock: p.Clock, Logger: p.Logger, Metrics: relay.NewMetrics(p.Registry, false),
		Late: bootstrap.Late(cfg.Express), Connections: cfg.DBMaxConns,
	}); err != nil {
		return nil, err
	}
	if e.Files, err = bootstrap.Files(cfg.ObjectStore); err != nil {
		return nil, err
	}
	if e.Policy, err = egress.NewPolicy(egress.PolicyConfig{
		Allow: cfg.EgressAllow, OwnURLs: bootstrap.OwnURLs(cfg.Public, cfg.ObjectStore),
	}); err != nil {
		return nil, err
	}
	if e.Limiter, err = ratelimit.New(ratelimit.Config{
		Store: postgres.NewRateLimits(db), Clock: p.Clock, Logger: p.Logger,
	}); err != nil {
		return nil, err
	}
	return e, e.finish(cfg, audience, p)
}

func (e *Engine) finish(cfg config.UseCases[connectors.Environment], audience string, p *bootstrap.Process) error {
	testing, err := testnet.Links(testnet.Config{
		Memory: postgres.NewTestPosts(e.DB), Clock: p.Clock, Scale: 1, PostURL: app.PostURL(cfg.AppURL),
	})
	if err != nil {
		return err
	}
	e.networks, err = bootstrap.NewNetworks(cfg.Networks, postgres.NewAppCredentials(e.DB, e.Keyring), p, 0,
		connectors.Through(e.Policy), connectors.Registering(postgres.NewServerApplications(e.DB, e.Keyring)), connectors.Testing(testing))
	if err != nil {
		return err
	}
	secret, err := cfg.Encryption.Keys[0].Derive("cursors of lists")
	if err != nil {
		return err
	}
	if e.Cursors, err = cursor.DeriveKey(secret); err != nil {
		return err
	}
	e.App, err = app.New(app.Deps{
		DB: e.DB, Keyring: e.Keyring, Connectors: e.networks.Registry, Rules: connectors.Rules(), Files: e.Files, Egress: e.Policy,
		Clock: p.Clock, Logger: p.Logger, Wake: e.relay.Wake, Audience: audience, AppURL: cfg.AppURL,
		ShortURL: cfg.ShortHost(), PagesURL: cfg.PagesURL, Mails: cfg.SMTPHost != "",
	})
	if err != nil {
		return err
	}
	e.Connections, err = app.NewConnections(app.ConnectionsDeps{
		DB: e.DB, Keyring: e.Keyring, Links: e.networks.Registry, Clock: p.Clock, Logger: p.Logger, AppURL: cfg.AppURL,
		Wake: e.relay.Wake,
	})
	if err != nil {
		return err
	}
	e.Applications, err = app.NewApplications(app.ApplicationsDeps{
		DB: e.DB, Keyring: e.Keyring, Connections: e.Connections, Networks: connectors.Networks(),
		InEnvironment: cfg.Networks.IsSet, Refresh: e.networks.Refresh,
	})
	return err
}

// Connectors returns the connections to the networks, for use cases that only one program offers.
func (e *Engine) Connectors() *platform.Registry { return e.networks.Registry }

// Wake notifies the relay of committed rows. It never blocks.
func (e *Engine) Wake(kind relay.Wake) { e.relay.Wake(kind) }

// Beside returns the background work. Each function runs until its context is canceled.
func (e *Engine) Beside() []func(context.Context) {
	return []func(context.Context){e.relay.Run, e.Limiter.Run, e.networks.Run}
}

// Close closes the Temporal client and the database.
func (e *Engine) Close() error {
	e.hangUp()
	return e.DB.Close()
}
