// Command admin is the operator's command line: workspaces, API keys, connected channels, and a seed for development. Its
// commands are in package cli, so that tests run them in their own process.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"fencepost.internal/services/admin/internal/cli"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/kernel/clock"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return cli.Main(ctx, os.Args[1:], cli.Process{
		Environ: config.OS(), In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Clock: clock.System(),
	})
}
