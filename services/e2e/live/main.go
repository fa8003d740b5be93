// Command live runs the connector suite against a real network, with the tokens in the environment, and records the
// responses without secrets and personal data: make live NETWORK=threads.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/platformtest/live"
)

const usage = `Usage: make live NETWORK=threads, or a type of channel such as LINKEDIN_PROFILE

Environment:
  LIVE_ACCOUNT        external id of the account on the network
  LIVE_USERNAME       its user name, which no fixture keeps
  LIVE_ACCESS_TOKEN   and LIVE_REFRESH_TOKEN, if the network has one
  LIVE_PUBLISH=1      also publishes a post of text, which stays on the account
and the network's own variables (docs/reference/configuration.md). Use a test account.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	environ := make(map[string]string)
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		environ[name] = value
	}
	if len(args) != 1 || args[0] == "" || environ["LIVE_ACCESS_TOKEN"] == "" || environ["LIVE_ACCOUNT"] == "" {
		return fmt.Errorf("%s", usage) //nolint:err113 // the text of the program's help
	}
	kind, err := live.TypeOf(args[0])
	if err != nil {
		return err
	}
	settings, err := config.Load[connectors.Environment](environ)
	if err != nil {
		return err
	}
	var secrets []string
	for name, value := range environ {
		if strings.HasSuffix(name, "_SECRET") || strings.HasSuffix(name, "_CLIENT_ID") {
			secrets = append(secrets, value)
		}
	}
	return live.Run(ctx, live.Config{
		Account: platform.Account{
			Type: kind, ExternalID: environ["LIVE_ACCOUNT"], Username: environ["LIVE_USERNAME"],
			Credentials: channel.Credentials{
				AccessToken: environ["LIVE_ACCESS_TOKEN"], RefreshToken: environ["LIVE_REFRESH_TOKEN"],
			},
		},
		Environment: settings, Secrets: secrets, Publish: environ["LIVE_PUBLISH"] == "1", Clock: clock.System(),
		Out:    os.Stdout,
		Folder: filepath.Join("shared", "platform", "connectors", string(kind.Network()), "testdata", "contract"),
	})
}
