// Package infra combines the infrastructure of the stack: PostgreSQL, MinIO and Temporal in one folder.
package infra

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"fencepost.internal/devstack/internal/minio"
	"fencepost.internal/devstack/internal/postgres"
	"fencepost.internal/devstack/internal/process"
	"fencepost.internal/devstack/internal/secrets"
	"fencepost.internal/devstack/internal/temporal"
	"fencepost.internal/devstack/internal/unit"
)

// Databases, and the roles that own them.
const (
	ServiceDatabase    = "social"
	TemporalDatabase   = "temporal"
	VisibilityDatabase = "temporal_visibility"

	serviceRole  = "social"
	temporalRole = "temporal"
)

// Ports holds the TCP ports on loopback.
type Ports struct{ Postgres, MinIO, Temporal, TemporalUI int }

// Config describes the infrastructure.
type Config struct {
	// Folder holds the data, Logs the logs. Both must exist.
	Folder, Logs string
	// BinFolder receives programs that have to be built.
	BinFolder string
	// Program is devstack itself.
	Program       string
	DynamicConfig string
	// InstallScript installs packages of the machine.
	InstallScript string
	// Environ is devstack's environment, from which those of package managers and compilers are derived.
	Environ []string
	Ports   Ports
	Secrets secrets.Secrets
	// Fast disables durability against a crash of the machine.
	Fast bool
	// NeedsMedia makes it an error when the programs that open media files are missing and cannot be installed.
	NeedsMedia bool
	// Bucket is created in MinIO; "" for none.
	Bucket   string
	Launcher *process.Launcher
	// Output receives the output of builds and installations, Report what is going on, in words.
	Output io.Writer
	Report func(message string)
}

// Infra is the infrastructure.
type Infra struct {
	Postgres *postgres.Server
	MinIO    *minio.Server
	Temporal *temporal.Server

	cfg Config
}

// New creates the three servers and connects them. It does not start them.
func New(cfg Config) (*Infra, error) {
	infra := &Infra{cfg: cfg}
	var err error
	if infra.Postgres, err = infra.newPostgres(); err != nil {
		return nil, err
	}
	if infra.MinIO, err = infra.newMinIO(); err != nil {
		return nil, err
	}
	if infra.Temporal, err = infra.newTemporal(); err != nil {
		return nil, err
	}
	return infra, nil
}

// Units lists the servers in dependency order.
func (i *Infra) Units() []*unit.Unit {
	return []*unit.Unit{i.Postgres.Unit, i.MinIO.Unit, i.Temporal.Unit}
}

// DatabaseURL returns the connection URL of the services.
func (i *Infra) DatabaseURL() string {
	return i.Postgres.URL(serviceRole, i.cfg.Secrets.SocialPassword, ServiceDatabase)
}

// VisibilityURL returns the connection URL of Temporal's visibility database, as its owner.
func (i *Infra) VisibilityURL() string {
	return i.Postgres.URL(temporalRole, i.cfg.Secrets.TemporalPassword, VisibilityDatabase)
}

// prerequisites performs the slow one-time steps before any deadline starts.
func (i *Infra) prerequisites(ctx context.Context) error {
	if err := i.Postgres.EnsureInstalled(ctx); err != nil {
		return err
	}
	if err := i.ensureMedia(ctx); err != nil {
		return err
	}
	return i.MinIO.EnsureProgram(ctx)
}

// EndLeftovers stops servers that a killed devstack left running in this folder.
func (i *Infra) EndLeftovers(ctx context.Context) error {
	return postgres.StopStale(ctx, PostgresFolder(i.cfg.Folder))
}

// PostgresFolder returns the folder of the database's data within a stack's folder.
func PostgresFolder(folder string) string { return filepath.Join(folder, "postgres") }

// Start starts all servers, concurrently where possible, and returns when all are ready. On an error, it leaves nothing
// running.
func (i *Infra) Start(ctx context.Context) error {
	if err := i.prerequisites(ctx); err != nil {
		return err
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error {
		if err := i.timed(groupCtx, i.Postgres.Unit); err != nil {
			return err
		}
		return i.timed(groupCtx, i.Temporal.Unit)
	})
	group.Go(func() error { return i.timed(groupCtx, i.MinIO.Unit) })
	if err := group.Wait(); err != nil {
		return errors.Join(err, i.Stop(context.WithoutCancel(ctx)))
	}
	return nil
}

func (i *Infra) timed(ctx context.Context, started *unit.Unit) error {
	begin := time.Now()
	if err := started.Start(ctx); err != nil {
		return err
	}
	i.cfg.Report(fmt.Sprintf("%s is ready (%.1f s)", started.Name(), time.Since(begin).Seconds()))
	return nil
}

// Stop stops all servers, Temporal before its database.
func (i *Infra) Stop(ctx context.Context) error {
	var group errgroup.Group
	group.Go(func() error { return i.Temporal.Stop(ctx) })
	group.Go(func() error { return i.MinIO.Stop(ctx) })
	err := group.Wait()
	return errors.Join(err, i.Postgres.Stop(ctx))
}

// Kill kills all servers, for data that is not needed again.
func (i *Infra) Kill() error {
	return errors.Join(i.Temporal.Kill(), i.MinIO.Kill(), i.Postgres.Kill())
}

// WipeTemporal simulates the loss of a Temporal cluster: it stops Temporal, recreates its databases and starts it with
// an empty default namespace.
func (i *Infra) WipeTemporal(ctx context.Context) error {
	if err := i.Temporal.Stop(ctx); err != nil {
		return err
	}
	if err := i.Postgres.Recreate(ctx, TemporalDatabase, VisibilityDatabase); err != nil {
		return err
	}
	return i.Temporal.Start(ctx)
}
