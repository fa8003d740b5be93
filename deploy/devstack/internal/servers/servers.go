// Package servers runs the infrastructure of the stack as processes over one folder: PostgreSQL, MinIO, and Temporal with
// its UI.
package servers

import (
	"context"
	"errors"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/minio/minio-go/v7"
	"golang.org/x/sync/errgroup"

	"fencepost.internal/devstack/internal/process"
)

const loopback = "127.0.0.1"

// Config describes the infrastructure.
type Config struct {
	// Folder holds the data, Logs the logs. Both must exist.
	Folder, Logs string
	// BinFolder receives programs that have to be built.
	BinFolder string
	// Program is devstack itself.
	Program string
	// DynamicConfig is the path of Temporal's dynamic configuration.
	DynamicConfig string
	// InstallScript installs packages of the machine.
	InstallScript string
	// Environ is devstack's environment, from which those of package managers and compilers are derived.
	Environ []string
	Ports   process.Layout
	Secrets Secrets
	// Fast trades durability against a crash of the machine for speed. A crash of a server alone loses no data.
	Fast bool
	// ForTests creates the bucket at each start, and makes it an error when the programs that open media files are
	// missing and cannot be installed.
	ForTests bool
	// Output receives the output of builds and installations, Report what is going on, in words.
	Output io.Writer
	Report func(message string)
}

// Servers is the infrastructure.
type Servers struct {
	Postgres, MinIO, Temporal *process.Unit

	cfg   Config
	store *minio.Client
}

// New creates the three servers. It does not start them.
func New(cfg Config) (*Servers, error) {
	s := &Servers{cfg: cfg}
	s.Postgres = s.newPostgres()
	s.Temporal = s.newTemporal()
	var err error
	s.MinIO, err = s.newMinIO()
	return s, err
}

func (s *Servers) log(name string) string { return filepath.Join(s.cfg.Logs, name+".log") }

func address(port int) string { return net.JoinHostPort(loopback, strconv.Itoa(port)) }

// Units lists the servers in dependency order.
func (s *Servers) Units() []*process.Unit { return []*process.Unit{s.Postgres, s.MinIO, s.Temporal} }

// prerequisites performs the slow one-time steps before any deadline starts.
func (s *Servers) prerequisites(ctx context.Context) error {
	if _, err := s.postgresPrograms(ctx); err != nil {
		return err
	}
	// Programs that open media files are required for tests. Otherwise the stack works without them.
	err := s.cfg.EnsurePackages(ctx, Media)
	if err != nil && (s.cfg.ForTests || ctx.Err() != nil) {
		return err
	}
	if err != nil {
		s.cfg.Report(err.Error() + "; without them, videos, PDF and HEIC files have no thumbnails")
	}
	_, err = s.cfg.EnsureMinIO(ctx, exec.LookPath)
	return err
}

// Start starts all servers, concurrently where possible, and returns when all are ready. On an error, it leaves nothing
// running.
func (s *Servers) Start(ctx context.Context) error {
	if err := s.prerequisites(ctx); err != nil {
		return err
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error {
		if err := s.Postgres.StartTimed(groupCtx, s.cfg.Report); err != nil {
			return err
		}
		return s.Temporal.StartTimed(groupCtx, s.cfg.Report)
	})
	group.Go(func() error { return s.MinIO.StartTimed(groupCtx, s.cfg.Report) })
	if err := group.Wait(); err != nil {
		return errors.Join(err, s.Stop(context.WithoutCancel(ctx)))
	}
	return nil
}

// Stop stops all servers, Temporal before its database.
func (s *Servers) Stop(ctx context.Context) error {
	var group errgroup.Group
	group.Go(func() error { return s.Temporal.Stop(ctx) })
	group.Go(func() error { return s.MinIO.Stop(ctx) })
	err := group.Wait()
	return errors.Join(err, s.Postgres.Stop(ctx))
}

// Kill kills all servers, for data that is not needed again.
func (s *Servers) Kill() error {
	return errors.Join(s.Temporal.Kill(), s.MinIO.Kill(), s.Postgres.Kill())
}

// WipeTemporal simulates the loss of a Temporal cluster: it stops Temporal, recreates its databases and starts it with
// an empty default namespace.
func (s *Servers) WipeTemporal(ctx context.Context) error {
	if err := s.Temporal.Stop(ctx); err != nil {
		return err
	}
	if err := s.recreateTemporal(ctx); err != nil {
		return err
	}
	return s.Temporal.Start(ctx)
}
