// Command player serves the conformance cases to the runners of the SDKs (sdk/conformance/README.md). It prints its
// address, and ends with its standard input, that is with the runner.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"fencepost.internal/sdk/go/internal/player"
)

func main() {
	path := flag.String("cases", "sdk/conformance/cases.json", "the table of cases")
	flag.Parse()
	if err := serve(*path, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "player:", err)
		os.Exit(1)
	}
}

func serve(path string, in io.Reader, out io.Writer) error {
	table, err := player.Read(path)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "http://"+listener.Addr().String())
	server := &http.Server{Handler: player.New(table).Handler(), ReadHeaderTimeout: time.Minute}
	go func() {
		_, _ = io.Copy(io.Discard, in)
		_ = server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
