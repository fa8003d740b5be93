// Package execute implements "devstack exec", which runs one command with the infrastructure on free ports.
package execute

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"fencepost.internal/devstack/internal/devenv"
	"fencepost.internal/devstack/internal/infra"
	"fencepost.internal/devstack/internal/ports"
	"fencepost.internal/devstack/internal/process"
	"fencepost.internal/devstack/internal/project"
	"fencepost.internal/devstack/internal/runlock"
	"fencepost.internal/devstack/internal/secrets"
)

// FailedCode is the exit status when devstack itself failed, not the command.
const FailedCode = 125

// when devstack runs as root, the database runs as another user, which must be able to traverse the folder
const folderMode = 0o755

// Config describes an execution.
type Config struct {
	Folders project.Folders
	// Folder keeps the data for later executions; "" means a temporary folder.
	Folder string
	// KeepLogs keeps the logs when the command fails.
	KeepLogs bool
	// Fast disables durability against a crash of the machine.
	Fast    bool
	Command []string
	// Program is the path of devstack itself.
	Program string
	// Environ is the command's environment, to which the addresses are added.
	Environ        []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Signals are forwarded to the command. OnTerminal reports whether the command gets Ctrl-C from the terminal
	// itself.
	Signals    <-chan os.Signal
	OnTerminal bool
}

type execution struct {
	cfg      Config
	folder   string
	launcher *process.Launcher
	infra    *infra.Infra
	keys     secrets.Secrets
	control  int
}

// Run runs the command with the infrastructure and returns its exit status. It returns FailedCode and an error if the
// command could not be run.
func Run(ctx context.Context, cfg Config) (int, error) {
	e := &execution{cfg: cfg, folder: cfg.Folder, launcher: process.NewLauncher()}
	defer e.launcher.Close()
	if err := e.makeFolder(); err != nil {
		return FailedCode, err
	}
	lock, err := runlock.Acquire(e.folder)
	if err != nil {
		return FailedCode, err
	}
	code, err := e.run(ctx)
	err = errors.Join(err, lock.Release(), e.cleanUp(code))
	return code, err
}

func (e *execution) makeFolder() error {
	if e.folder == "" {
		temporary, err := os.MkdirTemp("", "devstack-")
		if err != nil {
			return fmt.Errorf("create a temporary folder: %w", err)
		}
		e.folder = temporary
	}
	absolute, err := filepath.Abs(e.folder)
	if err != nil {
		return fmt.Errorf("resolve %s: %w", e.folder, err)
	}
	e.folder = absolute
	if err := os.MkdirAll(e.logs(), folderMode); err != nil {
		return fmt.Errorf("create the folder: %w", err)
	}
	if err := os.Chmod(e.folder, folderMode); err != nil {
		return fmt.Errorf("grant the database's user access to the folder: %w", err)
	}
	return nil
}

func (e *execution) logs() string { return filepath.Join(e.folder, "logs") }

func (e *execution) report(message string) {
	_, _ = fmt.Fprintln(e.cfg.Stderr, "devstack: "+message) // a write error cannot be reported
}

func (e *execution) run(ctx context.Context) (int, error) {
	if err := e.prepare(ctx); err != nil {
		return FailedCode, err
	}
	begin := time.Now()
	startCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	started := make(chan error, 1)
	go func() { started <- e.infra.Start(startCtx) }()
	select {
	case err := <-started:
		if err != nil {
			return FailedCode, err
		}
	case signal := <-e.cfg.Signals:
		cancel()
		err := <-started
		if err == nil {
			err = e.end(ctx)
		} else if errors.Is(err, context.Canceled) {
			err = nil
		}
		return exitCode(signal), err
	}
	e.report(fmt.Sprintf("up in %.1f s", time.Since(begin).Seconds()))
	code, err := e.runCommand(ctx)
	return code, errors.Join(err, e.end(ctx))
}

// end stops the infrastructure. It kills it if the data is temporary.
func (e *execution) end(ctx context.Context) error {
	if e.cfg.Folder == "" {
		return e.infra.Kill()
	}
	return e.infra.Stop(context.WithoutCancel(ctx))
}

func exitCode(signal os.Signal) int {
	if number, ok := signal.(syscall.Signal); ok {
		return 128 + int(number)
	}
	return FailedCode
}

func (e *execution) prepare(ctx context.Context) error {
	var err error
	if e.keys, err = secrets.Ensure(filepath.Join(e.folder, "secrets.json")); err != nil {
		return err
	}
	picked, err := ports.Pick(ctx, 5) //nolint:mnd // the five below
	if err != nil {
		return err
	}
	e.control = picked[4]
	e.infra, err = infra.New(infra.Config{
		Folder: e.folder, Logs: e.logs(), BinFolder: e.cfg.Folders.Bin, Program: e.cfg.Program,
		DynamicConfig: e.cfg.Folders.DynamicConfig(), InstallScript: e.cfg.Folders.InstallScript(), Environ: e.cfg.Environ,
		Ports:   infra.Ports{Postgres: picked[0], MinIO: picked[1], Temporal: picked[2], TemporalUI: picked[3]},
		Secrets: e.keys, Fast: e.cfg.Fast, NeedsMedia: true, Bucket: devenv.Bucket,
		Launcher: e.launcher, Output: e.cfg.Stderr, Report: e.report,
	})
	if err != nil {
		return err
	}
	return e.infra.EndLeftovers(ctx)
}

// cleanUp deletes a temporary folder. It keeps the logs if KeepLogs is set and the command failed.
func (e *execution) cleanUp(code int) error {
	if e.cfg.Folder != "" {
		return nil
	}
	if code == 0 || !e.cfg.KeepLogs {
		return errors.Join(removeData(e.folder), os.RemoveAll(e.folder))
	}
	e.report("the logs are in " + e.logs())
	return removeData(e.folder)
}
