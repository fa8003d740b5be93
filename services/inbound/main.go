// Command inbound receives what networks report of conversations, and stores it before it acknowledges it. The worker
// reads it later.
package main

import (
	"os"

	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/shared/infra/config"
)

func main() {
	os.Exit(bootstrap.Main(os.Args[1:], os.Stdout, bootstrap.Program[config.Inbound]{
		Name:   "inbound",
		Common: func(c config.Inbound) config.Common { return c.Common },
		Start:  Start,
	}))
}
