// Command bench measures the service and the ceilings of its infrastructure side by side, and prints both. It requires
// the infrastructure of the development stack: make bench.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"fencepost.internal/services/bench/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := cli.Main(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
