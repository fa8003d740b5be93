// Command sandbox is a network that stands in for the social networks: it speaks their APIs as far as the connectors
// use them, keeps what is published, shows it as a feed, and can be told to fail.
package main

import (
	"os"

	"socialpub.internal/services/internal/bootstrap"
	"socialpub.internal/services/sandbox/internal/sandboxapp"
	"socialpub.internal/shared/infra/config"
)

func main() {
	os.Exit(bootstrap.Main(os.Args[1:], os.Stdout, bootstrap.Program[config.Sandbox]{
		Name:   "sandbox",
		Common: func(c config.Sandbox) config.Common { return c.Common },
		Start:  sandboxapp.Start,
	}))
}
