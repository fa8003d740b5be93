// Command files is the only access to the stored media. It forwards signed addresses to the object store and nothing
// else, and removes from the responses everything that a browser or a client must not see.
package main

import (
	"os"

	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/shared/infra/config"
)

func main() {
	os.Exit(bootstrap.Main(os.Args[1:], os.Stdout, bootstrap.Program[config.Files]{
		Name:   "files",
		Common: func(c config.Files) config.Common { return c.Common },
		Start:  Start,
	}))
}
