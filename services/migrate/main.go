// Command migrate prepares the database schema, the media bucket and the Temporal namespace for this version's
// programs.
//
//	migrate [up]     applies missing migrations, then creates the bucket, the namespace and its search attributes
//	migrate schema   applies missing migrations only
//	migrate down     reverts the newest migration
//	migrate status   prints the applied and the newest version, and the connected programs
package main

import "os"

func main() { os.Exit(Main(os.Args[1:], os.Stdout)) }
