// Command fencepost is the command line of the service: it schedules and follows posts, manages media and webhooks, and
// forwards events to a program on the same machine. It is a client of the REST API.
package main

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"fencepost.internal/services/cli/internal/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := command.Main(ctx, os.Args[1:], command.Process{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Environ: environ(), Now: time.Now, Width: width, Secret: secret, Open: open,
	})
	stop()
	os.Exit(code)
}

func environ() map[string]string {
	all := make(map[string]string)
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		all[name] = value
	}
	return all
}

// width returns the columns of a terminal; false for other streams.
func width(stream any) (int, bool) {
	file, ok := stream.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return 0, false
	}
	columns, _, err := term.GetSize(int(file.Fd()))
	if err != nil || columns == 0 {
		columns = 80
	}
	return columns, true
}

// secret reads a line of a terminal without showing it.
func secret() (string, error) {
	text, err := term.ReadPassword(int(os.Stdin.Fd()))
	return string(text), err
}

// open opens an address in the browser of the desktop.
func open(ctx context.Context, address string) error {
	name, args := "xdg-open", []string{address}
	switch {
	case os.Getenv("BROWSER") != "":
		name = os.Getenv("BROWSER")
	case runtime.GOOS == "darwin":
		name = "open"
	case runtime.GOOS == "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	return exec.CommandContext(context.WithoutCancel(ctx), name, args...).Start() //nolint:gosec // the person's own browser
}
