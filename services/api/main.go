// Command api serves the REST API.
package main

import (
	"os"

	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/platform/connectors"
)

func main() {
	if len(os.Args) == 2 && prints(os.Args[1]) {
		os.Exit(printDocument(os.Args[1], os.Stdout))
	}
	os.Exit(bootstrap.Main(os.Args[1:], os.Stdout, bootstrap.Program[config.API[connectors.Environment]]{
		Name:   "api",
		Common: func(c config.API[connectors.Environment]) config.Common { return c.Common },
		Start:  start,
	}))
}
