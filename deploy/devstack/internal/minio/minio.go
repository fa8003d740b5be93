// Package minio runs a MinIO object store over a folder.
package minio

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"fencepost.internal/devstack/internal/process"
	"fencepost.internal/devstack/internal/unit"
)

// Region is the store's region.
const Region = "us-east-1"

const (
	loopback     = "127.0.0.1"
	grace        = 10 * time.Second
	readyTimeout = 60 * time.Second
)

// Config holds the settings of the store.
type Config struct {
	// Folder holds the objects. It is created if missing.
	Folder string
	// Port is the S3 port on loopback. The web console is off.
	Port                 int
	AccessKey, SecretKey string
	// Bucket is created at each start unless it exists; "" for none.
	Bucket   string
	LogPath  string
	Launcher *process.Launcher
	// Program returns the path of the MinIO program.
	Program func(ctx context.Context) (string, error)
}

// Server is a MinIO server.
type Server struct {
	*unit.Unit

	cfg    Config
	client *minio.Client
}

// New returns a stopped server.
func New(cfg Config) (*Server, error) {
	if cfg.Folder == "" || cfg.Port <= 0 || cfg.AccessKey == "" || cfg.SecretKey == "" || cfg.Program == nil {
		return nil, errors.New("minio: folder, port, keys and program are required")
	}
	server := &Server{cfg: cfg}
	client, err := minio.New(server.Address(), &minio.Options{
		Creds:  credentials.NewStaticV4(cfg.AccessKey, cfg.SecretKey, ""),
		Region: Region,
	})
	if err != nil {
		return nil, fmt.Errorf("minio client: %w", err)
	}
	server.client = client
	run, err := unit.New(unit.Config{
		Name:         "minio",
		Launcher:     cfg.Launcher,
		Launch:       server.launch,
		Probe:        server.probe,
		Prepare:      server.ensureBucket,
		StopSignal:   syscall.SIGTERM,
		Grace:        grace,
		ReadyTimeout: readyTimeout,
		LogPath:      cfg.LogPath,
	})
	if err != nil {
		return nil, err
	}
	server.Unit = run
	return server, nil
}

// Address returns "host:port".
func (s *Server) Address() string { return net.JoinHostPort(loopback, strconv.Itoa(s.cfg.Port)) }

// URL returns the S3 endpoint.
func (s *Server) URL() string { return "http://" + s.Address() }

// EnsureProgram builds MinIO if it is missing.
func (s *Server) EnsureProgram(ctx context.Context) error {
	_, err := s.cfg.Program(ctx)
	return err
}

func (s *Server) launch(ctx context.Context) (process.Spec, error) {
	const ownerAll = 0o700
	program, err := s.cfg.Program(ctx)
	if err != nil {
		return process.Spec{}, err
	}
	if err := os.MkdirAll(s.cfg.Folder, ownerAll); err != nil {
		return process.Spec{}, fmt.Errorf("create the object store's folder: %w", err)
	}
	return process.Spec{
		Path: program,
		Args: []string{"server", "--quiet", "--address", s.Address(), s.cfg.Folder},
		Dir:  s.cfg.Folder,
		Env: []string{
			"PATH=/usr/local/bin:/usr/bin:/bin",
			"HOME=" + s.cfg.Folder,
			"MINIO_ROOT_USER=" + s.cfg.AccessKey,
			"MINIO_ROOT_PASSWORD=" + s.cfg.SecretKey,
			"MINIO_REGION=" + Region,
			"MINIO_BROWSER=off",
			"MINIO_UPDATE=off",
			"MINIO_SCANNER_SPEED=slowest",
		},
		DeathSignal: syscall.SIGKILL,
	}, nil
}

// probe sends a request that needs the credentials, so that it fails for another server on the port.
func (s *Server) probe(ctx context.Context) error {
	if _, err := s.client.ListBuckets(ctx); err != nil {
		return fmt.Errorf("list buckets: %w", err)
	}
	return nil
}

func (s *Server) ensureBucket(ctx context.Context) error {
	if s.cfg.Bucket == "" {
		return nil
	}
	exists, err := s.client.BucketExists(ctx, s.cfg.Bucket)
	if err != nil {
		return fmt.Errorf("check bucket %s: %w", s.cfg.Bucket, err)
	}
	if exists {
		return nil
	}
	if err := s.client.MakeBucket(ctx, s.cfg.Bucket, minio.MakeBucketOptions{Region: Region}); err != nil {
		return fmt.Errorf("create bucket %s: %w", s.cfg.Bucket, err)
	}
	return nil
}
