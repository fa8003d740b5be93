// Command sandbox simulates the social networks: it serves their APIs as far as the connectors use them, stores
// published posts, shows them as a feed, and injects configured faults.
package main

import (
	"os"

	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/shared/infra/config"
)

func main() {
	os.Exit(bootstrap.Main(os.Args[1:], os.Stdout, bootstrap.Program[config.Sandbox]{
		Name:   "sandbox",
		Common: func(c config.Sandbox) config.Common { return c.Common },
		Start:  Start,
	}))
}
