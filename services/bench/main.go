// Command bench measures the service side by side with the ceilings of what it stands on, and prints both. It runs within
// the infrastructure of the development stack: make bench.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"socialpub.internal/services/bench/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := cli.Main(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
