package execute

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"syscall"

	"fencepost.internal/devstack/internal/control"
	"fencepost.internal/devstack/internal/devenv"
	"fencepost.internal/devstack/internal/process"
)

func (e *execution) runCommand(ctx context.Context) (int, error) {
	serveCtx, stopServing := context.WithCancel(ctx)
	defer stopServing()
	controlURL, err := e.serveControl(serveCtx)
	if err != nil {
		return FailedCode, err
	}
	e.watchCrashes(serveCtx)
	command, err := e.launcher.Start(process.Spec{
		Path: e.cfg.Command[0], Args: e.cfg.Command[1:],
		Env: slices.Concat(e.cfg.Environ, devenv.TestEnvironment(
			e.infra.Postgres.SuperuserURL(), e.infra.Temporal.Address(), e.infra.Temporal.UIURL(), e.infra.MinIO.URL(),
			e.keys, controlURL)),
		Stdin: e.cfg.Stdin, Stdout: e.cfg.Stdout, Stderr: e.cfg.Stderr,
		Foreground: true, DeathSignal: syscall.SIGTERM,
	})
	if err != nil {
		return FailedCode, err
	}
	for {
		select {
		case <-command.Done():
			return command.ExitCode(), nil
		case signal := <-e.cfg.Signals:
			if signal == os.Interrupt && e.cfg.OnTerminal {
				continue
			}
			if err := command.Signal(signal); err != nil {
				e.report(err.Error())
			}
		}
	}
}

func (e *execution) serveControl(ctx context.Context) (string, error) {
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(e.control))
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return "", fmt.Errorf("control API: %w", err)
	}
	parts := make([]control.Part, 0, len(e.infra.Units()))
	for _, part := range e.infra.Units() {
		parts = append(parts, part)
	}
	handler := control.NewHandler(control.Config{Parts: parts, Wipe: e.infra.WipeTemporal, Report: func(string) {}})
	go func() {
		if err := control.Serve(ctx, listener, handler); err != nil {
			e.report(err.Error())
		}
	}()
	return "http://" + address, nil
}

// watchCrashes reports when a server ends on its own. It does not restart the server, so that a test sees the failure.
func (e *execution) watchCrashes(ctx context.Context) {
	for _, part := range e.infra.Units() {
		go func() {
			for {
				select {
				case <-ctx.Done():
					return
				case reason := <-part.Crashes():
					e.report(fmt.Sprintf("%s ended unexpectedly: %v (see %s)", part.Name(), reason, e.logs()))
				}
			}
		}()
	}
}
