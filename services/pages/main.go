// Command pages serves the public link pages. It renders each published version once, serves it from memory and counts
// visits without cookies.
package main

import (
	"os"

	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/shared/infra/config"
)

func main() {
	os.Exit(bootstrap.Main(os.Args[1:], os.Stdout, bootstrap.Program[config.Pages]{
		Name:   "pages",
		Common: func(c config.Pages) config.Common { return c.Common },
		Start:  Start,
	}))
}
