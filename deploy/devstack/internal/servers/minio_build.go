package servers

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"fencepost.internal/devstack/internal/process"
)

// The only version of MinIO that is built and tested.
const (
	minioModule  = "github.com/minio/minio"
	minioVersion = "v0.0.0-20260212201848-7aac2a2c5b7c"
)

// ErrNoGo means that MinIO must be built and the machine has no Go toolchain.
var ErrNoGo = errors.New("the go command is not in PATH")

// EnsureMinIO returns the path of MinIO. It builds MinIO from source, once, if it is missing or of another version: there is
// no binary release for every machine. lookPath finds a program in PATH.
func (c Config) EnsureMinIO(ctx context.Context, lookPath func(name string) (string, error)) (string, error) {
	target := filepath.Join(c.BinFolder, "minio")
	info, err := buildinfo.ReadFile(target)
	if err == nil && info.Main.Path == minioModule && info.Main.Version == minioVersion {
		return target, nil
	}
	goTool, err := lookPath("go")
	if err != nil {
		return "", fmt.Errorf("build MinIO: %w", ErrNoGo)
	}
	if err := c.buildMinIO(ctx, goTool, target); err != nil {
		return "", fmt.Errorf("build MinIO: %w", err)
	}
	return target, nil
}

// buildMinIO builds into a temporary folder and moves the result to the target, so that an interrupted build leaves no
// partial program.
func (c Config) buildMinIO(ctx context.Context, goTool, target string) error {
	c.Report("building MinIO from source (once; about four minutes on two cores)")
	if err := os.MkdirAll(c.BinFolder, 0o750); err != nil {
		return err
	}
	draft, err := os.MkdirTemp(c.BinFolder, "minio-build-") // outside any module or workspace
	if err != nil {
		return err
	}
	defer os.RemoveAll(draft)
	err = process.Run(ctx, process.Spec{
		Path: goTool, Args: []string{"install", "-ldflags=-s -w", minioModule + "@" + minioVersion}, Dir: draft,
		Env: slices.Concat(c.Environ, []string{
			"GOBIN=" + draft, "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0", "GOOS=", "GOARCH=",
		}),
		Stdout: c.Output, Stderr: c.Output,
	})
	if err != nil {
		return err
	}
	return os.Rename(filepath.Join(draft, "minio"), target)
}
