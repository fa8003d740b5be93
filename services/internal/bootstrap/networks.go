package bootstrap

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
)

// applicationsEvery is the interval at which a program looks for changed credentials of applications.
const applicationsEvery = 15 * time.Second

// Networks connects a program to the networks, with the credentials of applications from the environment and from the
// database.
type Networks struct {
	Registry *platform.Registry

	stored  *postgres.AppCredentials
	connect func(stored map[string]string) (*platform.Registry, error)
	logger  *slog.Logger

	mu      sync.Mutex
	version string // of the stored credentials in use
}

// NewNetworks returns the connections. Until Run has read the stored credentials, only the environment counts.
func NewNetworks(
	environment connectors.Environment, stored *postgres.AppCredentials, p *Process, commit time.Duration,
	options ...connectors.Option,
) (*Networks, error) {
	n := &Networks{stored: stored, logger: p.Logger}
	n.connect = func(values map[string]string) (*platform.Registry, error) {
		return connectors.New(environment.Filled(values), p.Clock, commit, options...)
	}
	var err error
	n.Registry, err = n.connect(nil)
	return n, err
}

// Run follows changes of the stored credentials until the context is canceled.
func (n *Networks) Run(ctx context.Context) {
	retry.Every(ctx, applicationsEvery, n.Refresh, func(err error) {
		n.logger.WarnContext(ctx, "the stored credentials of applications were not read", slog.Any("error", err))
	})
}

// Refresh uses the stored credentials if they have changed.
func (n *Networks) Refresh(ctx context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	version, err := n.stored.Version(ctx)
	if err != nil || version == n.version {
		return err
	}
	values, err := n.stored.All(ctx)
	if err != nil {
		return err
	}
	fresh, err := n.connect(values)
	if err != nil {
		return err
	}
	n.Registry.Use(fresh)
	n.version = version
	return nil
}
