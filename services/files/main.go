// Command files is the one door to the stored media: it lets signed addresses through to the object store and nothing else,
// and takes everything from its answers that a browser or a client must not see.
package main

import (
	"os"

	"socialpub.internal/services/files/internal/filesapp"
	"socialpub.internal/services/internal/bootstrap"
	"socialpub.internal/shared/infra/config"
)

func main() {
	os.Exit(bootstrap.Main(os.Args[1:], os.Stdout, bootstrap.Program[config.Files]{
		Name:   "files",
		Common: func(c config.Files) config.Common { return c.Common },
		Start:  filesapp.Start,
	}))
}
