// Command console serves the application to users. They sign in and decide which programs may act for them.
package main

import (
	"os"
	"runtime/debug"

	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/platform/connectors"
)

// garbage is the size of the heap at a collection, in percent of what is in use: most of that are templates, which a
// collection reads whole, and a page leaves some megabytes behind.
const garbage = 400

func main() {
	debug.SetGCPercent(garbage)
	os.Exit(bootstrap.Main(os.Args[1:], os.Stdout, bootstrap.Program[config.Console[connectors.Environment]]{
		Name:   "console",
		Common: func(c config.Console[connectors.Environment]) config.Common { return c.Common },
		Start:  Start,
	}))
}
