// Package infra is the infrastructure of the stack as one: PostgreSQL, MinIO and Temporal over one folder.
package infra

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"socialpub.internal/devstack/internal/minio"
	"socialpub.internal/devstack/internal/postgres"
	"socialpub.internal/devstack/internal/process"
	"socialpub.internal/devstack/internal/secrets"
	"socialpub.internal/devstack/internal/temporal"
	"socialpub.internal/devstack/internal/unit"
)

// The databases and the roles that own them.
const (
	ServiceDatabase    = "social"
	TemporalDatabase   = "temporal"
	VisibilityDatabase = "temporal_visibility"

	serviceRole  = "social"
	temporalRole = "temporal"
)

// Ports are the TCP ports on loopback.
type Ports struct{ Postgres, MinIO, Temporal, TemporalUI int }

// Config describes the infrastructure.
type Config struct {
	// Folder holds the data, Logs the logs; both exist already.
	Folder, Logs string
	// BinFolder receives programs that have to be built.
	BinFolder string
	// Program is devstack itself.
	Program       string
	DynamicConfig string
	// InstallScript installs packages of the machine.
	InstallScript string
	// Environ is devstack's environment, which package managers and compilers start from.
	Environ []string
	Ports   Ports
	Secrets secrets.Secrets
	// Fast gives up durability against a crash of the machine.
	Fast bool
	// NeedsMedia makes it an error when the programs that open media files are missing and cannot be installed.
	NeedsMedia bool
	// Bucket is made in MinIO; "" for none.
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

// New wires the three servers together; none is started.
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

// Units lists the servers in the order in which they depend on each other.
func (i *Infra) Units() []*unit.Unit {
	return []*unit.Unit{i.Postgres.Unit, i.MinIO.Unit, i.Temporal.Unit}
}

// DatabaseURL is how the services connect to their database.
func (i *Infra) DatabaseURL() string {
	return i.Postgres.URL(serviceRole, i.cfg.Secrets.SocialPassword, ServiceDatabase)
}

// prerequisites are the slow, once-only steps, done before any deadline runs.
func (i *Infra) prerequisites(ctx context.Context) error {
	if err := i.Postgres.EnsureInstalled(ctx); err != nil {
		return err
	}
	if err := i.ensureMedia(ctx); err != nil {
		return err
	}
	return i.MinIO.EnsureProgram(ctx)
}

// EndLeftovers stops what a devstack that was killed left running over this folder.
func (i *Infra) EndLeftovers(ctx context.Context) error {
	return postgres.StopStale(ctx, PostgresFolder(i.cfg.Folder))
}

// PostgresFolder is where the database's data lie in a stack's folder.
func PostgresFolder(folder string) string { return filepath.Join(folder, "postgres") }

// Start starts everything, at the same time as far as possible, and returns when all of it is ready. On an error
// nothing keeps running.
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

// Stop stops everything, Temporal before the database it writes to.
func (i *Infra) Stop(ctx context.Context) error {
	var group errgroup.Group
	group.Go(func() error { return i.Temporal.Stop(ctx) })
	group.Go(func() error { return i.MinIO.Stop(ctx) })
	err := group.Wait()
	return errors.Join(err, i.Postgres.Stop(ctx))
}

// Kill ends everything at once, for data that nobody will read again.
func (i *Infra) Kill() error {
	return errors.Join(i.Temporal.Kill(), i.MinIO.Kill(), i.Postgres.Kill())
}

// WipeTemporal loses everything Temporal knows, as a lost cluster would: it stops Temporal, makes its databases anew
// and starts it, with an empty default namespace.
func (i *Infra) WipeTemporal(ctx context.Context) error {
	if err := i.Temporal.Stop(ctx); err != nil {
		return err
	}
	if err := i.Postgres.Recreate(ctx, TemporalDatabase, VisibilityDatabase); err != nil {
		return err
	}
	return i.Temporal.Start(ctx)
}
