package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/term"

	"fencepost.internal/devstack/internal/process"
	"fencepost.internal/devstack/internal/servers"
)

// FailedCode is the exit status when devstack itself failed, not the command.
const FailedCode = 125

// ExecConfig describes an execution.
type ExecConfig struct {
	Folders

	// Folder keeps the data for later executions; "" means a temporary folder.
	Folder string
	// KeepLogs keeps the logs when the command fails.
	KeepLogs bool
	// Fast disables durability against a crash of the machine.
	Fast    bool
	Command []string
	// Environ is the command's environment, to which the addresses are added.
	Environ []string
}

type execution struct {
	ExecConfig

	folder  string
	servers *servers.Servers
	config  servers.Config
	signals chan os.Signal // forwarded to the command
}

// Exec runs the command with the infrastructure and returns its exit status. It returns FailedCode and an error if the
// command could not be run.
func Exec(ctx context.Context, cfg ExecConfig) (int, error) {
	folder, err := filepath.Abs(cfg.Folder)
	if cfg.Folder == "" {
		folder, err = os.MkdirTemp("", "devstack-")
	}
	if err != nil {
		return FailedCode, err
	}
	lock, err := lockFolder(folder)
	if err != nil {
		return FailedCode, err
	}
	e := &execution{ExecConfig: cfg, folder: folder, signals: make(chan os.Signal, 1)}
	signal.Notify(e.signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(e.signals)
	code, err := e.run(ctx)
	return code, errors.Join(err, lock.Close(), e.cleanUp(code))
}

func (e *execution) report(message string) {
	_, _ = fmt.Fprintln(os.Stderr, "devstack: "+message) // a write error cannot be reported
}

func (e *execution) run(ctx context.Context) (int, error) {
	if err := e.prepare(ctx); err != nil {
		return FailedCode, err
	}
	begin := time.Now()
	started := make(chan error, 1)
	startCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { started <- e.servers.Start(startCtx) }()
	select {
	case err := <-started:
		if err != nil {
			return FailedCode, err
		}
	case received := <-e.signals:
		cancel()
		<-started //nolint:errcheck // an error means that nothing runs
		number, _ := received.(syscall.Signal)
		return 128 + int(number), e.end(ctx)
	}
	e.report(fmt.Sprintf("up in %.1f s", time.Since(begin).Seconds()))
	code, err := e.runCommand(ctx)
	return code, errors.Join(err, e.end(ctx))
}

func (e *execution) prepare(ctx context.Context) error {
	picked, err := process.Pick(ctx, 5) //nolint:mnd // the five below
	if err != nil {
		return err
	}
	layout := process.Layout{
		Postgres: picked[0], MinIO: picked[1], Temporal: picked[2], TemporalUI: picked[3], Control: picked[4],
	}
	if e.config, err = e.Folders.servers(e.folder, layout, e.Environ); err != nil {
		return err
	}
	e.config.Fast, e.config.ForTests, e.config.Output, e.config.Report = e.Fast, true, os.Stderr, e.report
	if e.servers, err = servers.New(e.config); err != nil {
		return err
	}
	return e.servers.AwaitStale()
}

// end stops the infrastructure. It kills it if the data is temporary.
func (e *execution) end(ctx context.Context) error {
	if e.Folder == "" {
		return e.servers.Kill()
	}
	return e.servers.Stop(context.WithoutCancel(ctx))
}

func (e *execution) runCommand(ctx context.Context) (int, error) {
	serveCtx, stopServing := context.WithCancel(ctx)
	defer stopServing()
	controlURL, err := serveControl(serveCtx, e.config.Ports.Control, e.servers, func(string) {})
	if err != nil {
		return FailedCode, err
	}
	for _, unit := range e.servers.Units() {
		// A crashed server is not restarted, so that a test sees the failure.
		go process.Watch(serveCtx, unit, func(reason error) {
			e.report(fmt.Sprintf("%s ended unexpectedly: %v (see %s)", unit.Name(), reason, logs(e.folder)))
		})
	}
	command, err := process.Start(process.Spec{
		Path: e.Command[0], Args: e.Command[1:], Env: slices.Concat(e.Environ, e.environment(controlURL)),
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Foreground: true, DeathSignal: syscall.SIGTERM,
	})
	if err != nil {
		return FailedCode, err
	}
	for {
		select {
		case <-command.Done():
			return command.ExitCode(), nil
		case received := <-e.signals:
			// A command on the terminal gets Ctrl-C from the terminal itself.
			if received != os.Interrupt || !term.IsTerminal(int(os.Stdin.Fd())) {
				_ = command.Signal(received) // fails only if it has ended
			}
		}
	}
}

// environment returns the variables that are added to the environment of the command.
func (e *execution) environment(controlURL string) []string {
	return []string{
		"TEST_DATABASE_URL=" + e.servers.SuperuserURL(),
		fmt.Sprintf("TEST_TEMPORAL_ADDRESS=127.0.0.1:%d", e.config.Ports.Temporal),
		fmt.Sprintf("TEST_TEMPORAL_UI_URL=http://127.0.0.1:%d", e.config.Ports.TemporalUI),
		fmt.Sprintf("TEST_S3_ENDPOINT=http://127.0.0.1:%d", e.config.Ports.MinIO),
		"TEST_S3_ACCESS_KEY=" + e.config.Secrets.S3AccessKey,
		"TEST_S3_SECRET_KEY=" + e.config.Secrets.S3SecretKey,
		"DEVSTACK_CONTROL=" + controlURL,
	}
}

// cleanUp deletes a temporary folder. It keeps the logs if KeepLogs is set and the command failed.
func (e *execution) cleanUp(code int) error {
	if e.Folder != "" {
		return nil
	}
	errs := []error{servers.RemovePostgres(servers.PostgresFolder(e.folder))}
	if code == 0 || !e.KeepLogs {
		return errors.Join(append(errs, os.RemoveAll(e.folder))...)
	}
	e.report("the logs are in " + logs(e.folder))
	entries, _ := filepath.Glob(filepath.Join(e.folder, "*"))
	for _, entry := range entries {
		if entry != logs(e.folder) {
			errs = append(errs, os.RemoveAll(entry))
		}
	}
	return errors.Join(errs...)
}
