// Command bench measures the service and the ceilings of its infrastructure side by side, and prints both. It requires
// the infrastructure of the development stack: make bench.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"fencepost.internal/services/bench/internal/trial"
)

// main exits with 0, even if goals are missed, or 1 if a measurement failed.
func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := command(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		_, _ = fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func command(ctx context.Context, args []string) error {
	switch {
	case len(args) == 0 || strings.HasPrefix(args[0], "-"):
		return run(ctx, args)
	case args[0] == trial.BaselineCommand && len(args) == 2:
		return trial.ServeBaseline(ctx, args[1])
	}
	return fmt.Errorf("unknown command %q; want none, or -help", args[0])
}
