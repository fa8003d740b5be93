// Command devstack runs everything the services need on one machine, without a container engine: PostgreSQL, MinIO and
// Temporal with its UI. See "devstack help" for details.
package main

import (
	"context"
	"os"
)

func main() { os.Exit(Main(context.Background(), os.Args[1:])) }
