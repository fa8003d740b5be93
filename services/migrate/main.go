// Command migrate brings the database's schema, the media's bucket and Temporal's namespace to what the programs of this
// version need.
//
//	migrate [up]     apply missing migrations, then make the bucket, the namespace and its search attributes
//	migrate schema   apply missing migrations only
//	migrate down     take back the newest migration
//	migrate status   tell the applied and the newest version, and which programs are connected
package main

import (
	"os"

	"socialpub.internal/services/migrate/internal/setup"
)

func main() { os.Exit(setup.Main(os.Args[1:], os.Stdout)) }
