package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/objectstore"
)

// bucket creates the media bucket unless it exists. It retries while the store is unreachable. It does not retry other
// errors, such as a wrong key.
func bucket(ctx context.Context, cfg config.ObjectStore, log *slog.Logger, out io.Writer) error {
	if cfg.S3Endpoint == "" {
		_, _ = fmt.Fprintln(out, "bucket: S3_ENDPOINT is not set, skipped")
		return nil
	}
	store, err := objectstore.New(objectstore.Config{
		Endpoint: cfg.S3Endpoint, Region: cfg.S3Region, AccessKey: cfg.S3AccessKey, SecretKey: cfg.S3SecretKey.Reveal(),
		Bucket: cfg.S3Bucket, Addressing: objectstore.Addressing(cfg.S3Addressing),
	})
	if err != nil {
		return err
	}
	var refused error
	err = patiently(ctx, log, "object store", func() error {
		failed := store.EnsureBucket(ctx)
		if failed == nil || errors.Is(failed, objectstore.ErrUnavailable) {
			return failed
		}
		refused = failed
		return nil
	})
	if err = errors.Join(err, refused); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "bucket %q is ready\n", cfg.S3Bucket)
	return nil
}
