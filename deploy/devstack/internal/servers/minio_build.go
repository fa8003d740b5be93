package servers

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
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

// Builder builds MinIO from source, once. There is no binary release for every machine.
type Builder struct {
	// Folder receives the program.
	Folder   string
	LookPath func(name string) (string, error)
	// Environ is the base environment of the go command.
	Environ []string
	// Output receives what the go command says.
	Output io.Writer
	Report func(message string)
}

// Ensure returns the path of the program. It builds the program if it is missing or of another version.
func (b Builder) Ensure(ctx context.Context) (string, error) {
	target := filepath.Join(b.Folder, "minio")
	info, err := buildinfo.ReadFile(target)
	if err == nil && info.Main.Path == minioModule && info.Main.Version == minioVersion {
		return target, nil
	}
	if err := b.build(ctx, target); err != nil {
		return "", fmt.Errorf("build MinIO: %w", err)
	}
	return target, nil
}

// build builds into a temporary folder and moves the result to the target, so that an interrupted build leaves no
// partial program.
func (b Builder) build(ctx context.Context, target string) error {
	goTool, err := b.LookPath("go")
	if err != nil {
		return ErrNoGo
	}
	b.Report("building MinIO from source (once; about four minutes on two cores)")
	const mode = 0o755
	if err := os.MkdirAll(b.Folder, mode); err != nil {
		return err
	}
	draft, err := os.MkdirTemp(b.Folder, "minio-build-") // outside any module or workspace
	if err != nil {
		return err
	}
	defer os.RemoveAll(draft)
	err = process.Run(ctx, process.Spec{
		Path: goTool, Args: []string{"install", "-ldflags=-s -w", minioModule + "@" + minioVersion}, Dir: draft,
		Env: slices.Concat(b.Environ, []string{
			"GOBIN=" + draft, "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0", "GOOS=", "GOARCH=",
		}),
		Stdout: b.Output, Stderr: b.Output,
	})
	if err != nil {
		return err
	}
	return os.Rename(filepath.Join(draft, "minio"), target)
}
