package minio

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"fencepost.internal/devstack/internal/process"
)

// The only version of MinIO that is built and tested.
const (
	module  = "github.com/minio/minio"
	version = "v0.0.0-20260212201848-7aac2a2c5b7c"
)

// ErrNoGo means that MinIO must be built and the machine has no Go toolchain.
var ErrNoGo = errors.New("the go command is not in PATH")

// Builder builds MinIO from source, once. There is no binary release for every machine.
type Builder struct {
	// Folder receives the program.
	Folder   string
	Launcher *process.Launcher
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
	if info, err := buildinfo.ReadFile(target); err == nil && info.Main.Path == module && info.Main.Version == version {
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
	const folderMode = 0o755
	goTool, err := b.LookPath("go")
	if err != nil {
		return ErrNoGo
	}
	b.Report("building MinIO from source (once; about four minutes on two cores)")
	if err := os.MkdirAll(b.Folder, folderMode); err != nil {
		return fmt.Errorf("create %s: %w", b.Folder, err)
	}
	draft, err := os.MkdirTemp(b.Folder, "minio-build-")
	if err != nil {
		return fmt.Errorf("create a folder: %w", err)
	}
	defer os.RemoveAll(draft)
	err = b.Launcher.Run(ctx, process.Spec{
		Path: goTool,
		Args: []string{"install", "-ldflags=-s -w", module + "@" + version},
		Dir:  draft, // outside any module or workspace
		Env: slices.Concat(b.Environ, []string{
			"GOBIN=" + draft, "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0", "GOOS=", "GOARCH=",
		}),
		Stdout: b.Output, Stderr: b.Output,
		DeathSignal: syscall.SIGKILL,
	})
	if err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(draft, "minio"), target); err != nil {
		return fmt.Errorf("install: %w", err)
	}
	return nil
}
