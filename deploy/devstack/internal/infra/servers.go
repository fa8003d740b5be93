package infra

import (
	"context"
	"net/http"
	"os/exec"
	"path/filepath"
	"time"

	"fencepost.internal/devstack/internal/minio"
	"fencepost.internal/devstack/internal/packages"
	"fencepost.internal/devstack/internal/postgres"
	"fencepost.internal/devstack/internal/temporal"
)

func (i *Infra) log(name string) string { return filepath.Join(i.cfg.Logs, name+".log") }

func (i *Infra) newPostgres() (*postgres.Server, error) {
	return postgres.New(postgres.Config{
		Folder:   PostgresFolder(i.cfg.Folder),
		Port:     i.cfg.Ports.Postgres,
		Password: i.cfg.Secrets.PostgresPassword,
		Databases: []postgres.Database{
			{Name: ServiceDatabase, Owner: serviceRole, Password: i.cfg.Secrets.SocialPassword},
			{Name: TemporalDatabase, Owner: temporalRole, Password: i.cfg.Secrets.TemporalPassword},
			{Name: VisibilityDatabase, Owner: temporalRole, Password: i.cfg.Secrets.TemporalPassword},
		},
		Fast:     i.cfg.Fast,
		LogPath:  i.log("postgres"),
		Launcher: i.cfg.Launcher,
		Binaries: postgres.SystemBinaries(),
		Install:  func(ctx context.Context) error { return i.packages().Ensure(ctx, packages.PostgreSQL) },
	})
}

func (i *Infra) newMinIO() (*minio.Server, error) {
	builder := minio.Builder{
		Folder: i.cfg.BinFolder, Launcher: i.cfg.Launcher, LookPath: exec.LookPath, Environ: i.cfg.Environ,
		Output: i.cfg.Output, Report: i.cfg.Report,
	}
	return minio.New(minio.Config{
		Folder:    filepath.Join(i.cfg.Folder, "minio"),
		Port:      i.cfg.Ports.MinIO,
		AccessKey: i.cfg.Secrets.S3AccessKey,
		SecretKey: i.cfg.Secrets.S3SecretKey,
		Bucket:    i.cfg.Bucket,
		LogPath:   i.log("minio"),
		Launcher:  i.cfg.Launcher,
		Program:   builder.Ensure,
	})
}

func (i *Infra) newTemporal() (*temporal.Server, error) {
	const requestTimeout = 2 * time.Second
	return temporal.New(temporal.Config{
		Program:            i.cfg.Program,
		Port:               i.cfg.Ports.Temporal,
		UIPort:             i.cfg.Ports.TemporalUI,
		PostgresAddress:    i.Postgres.Address(),
		User:               temporalRole,
		Password:           i.cfg.Secrets.TemporalPassword,
		Database:           TemporalDatabase,
		VisibilityDatabase: VisibilityDatabase,
		DynamicConfig:      i.cfg.DynamicConfig,
		LogPath:            i.log("temporal"),
		Launcher:           i.cfg.Launcher,
		HTTPClient:         &http.Client{Timeout: requestTimeout},
	})
}

// packages returns the installer of the machine's packages.
func (i *Infra) packages() packages.Installer {
	return packages.Installer{
		Script: i.cfg.InstallScript, Launcher: i.cfg.Launcher, Environ: i.cfg.Environ, Output: i.cfg.Output,
	}
}

// ensureMedia installs the programs that open media files. They are required for tests. Otherwise the stack works
// without them, and a failure is only reported.
func (i *Infra) ensureMedia(ctx context.Context) error {
	err := i.packages().Ensure(ctx, packages.Media)
	if err == nil || i.cfg.NeedsMedia || ctx.Err() != nil {
		return err
	}
	i.cfg.Report(err.Error() + "; without them, videos, PDF and HEIC files have no thumbnails")
	return nil
}
