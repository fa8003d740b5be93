package servers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"fencepost.internal/devstack/internal/process"
)

const (
	// Region is the object store's region.
	Region = "us-east-1"
	// Bucket is the bucket of the media.
	Bucket = "media"
)

func (s *Servers) newMinIO() (*process.Unit, error) {
	var err error
	s.store, err = minio.New(address(s.cfg.Ports.MinIO), &minio.Options{
		Creds:  credentials.NewStaticV4(s.cfg.Secrets.S3AccessKey, s.cfg.Secrets.S3SecretKey, ""),
		Region: Region,
	})
	if err != nil {
		return nil, fmt.Errorf("minio client: %w", err)
	}
	return process.New(process.Config{
		Name: "minio", Launch: s.launchMinIO, Prepare: s.ensureBucket,
		// The request needs the credentials, so that it fails for another server on the port.
		Probe: func(ctx context.Context) error {
			_, err := s.store.ListBuckets(ctx)
			return err
		},
		LogPath: s.log("minio"),
	}), nil
}

func (s *Servers) launchMinIO(ctx context.Context) (process.Spec, error) {
	program, err := s.cfg.EnsureMinIO(ctx, exec.LookPath)
	if err != nil {
		return process.Spec{}, err
	}
	folder := filepath.Join(s.cfg.Folder, "minio")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return process.Spec{}, fmt.Errorf("create the object store's folder: %w", err)
	}
	return process.Spec{
		Path: program,
		Args: []string{"server", "--quiet", "--address", address(s.cfg.Ports.MinIO), folder},
		Dir:  folder,
		Env: []string{
			"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + folder,
			"MINIO_ROOT_USER=" + s.cfg.Secrets.S3AccessKey, "MINIO_ROOT_PASSWORD=" + s.cfg.Secrets.S3SecretKey,
			"MINIO_REGION=" + Region, "MINIO_BROWSER=off", "MINIO_UPDATE=off", "MINIO_SCANNER_SPEED=slowest",
		},
	}, nil
}

func (s *Servers) ensureBucket(ctx context.Context) error {
	if !s.cfg.ForTests {
		return nil
	}
	err := s.store.MakeBucket(ctx, Bucket, minio.MakeBucketOptions{Region: Region})
	if err != nil && minio.ToErrorResponse(err).Code != "BucketAlreadyOwnedByYou" {
		return fmt.Errorf("bucket %s: %w", Bucket, err)
	}
	return nil
}
