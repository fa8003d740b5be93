// Command console serves the application to users. They sign in and decide which programs may act for them.
package main

import (
	"os"

	"fencepost.internal/services/console/internal/consoleapp"
	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/platform/connectors"
)

func main() {
	os.Exit(bootstrap.Main(os.Args[1:], os.Stdout, bootstrap.Program[config.Console[connectors.Environment]]{
		Name:   "console",
		Common: func(c config.Console[connectors.Environment]) config.Common { return c.Common },
		Start:  consoleapp.Start,
	}))
}
