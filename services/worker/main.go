// Command worker runs the workflows and their activities: it publishes posts, delivers webhooks, processes files and
// collects figures. With the argument rebuild it enqueues every open post and delivery again and exits. Temporal
// ignores messages that it has already processed. With the argument recover it makes a database safe to use after it
// was restored to an earlier state, and exits.
package main

import (
	"os"

	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/mediabox"
	"fencepost.internal/shared/platform/connectors"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == mediabox.Argument { // started by the worker to open one file
		os.Exit(mediabox.Main(os.Args[2:], os.Stdout))
	}
	if len(os.Args) > 1 && os.Args[1] == "rebuild" {
		os.Exit(Rebuild(os.Stdout))
	}
	if len(os.Args) > 1 && os.Args[1] == "recover" {
		os.Exit(Recover(os.Stdout))
	}
	os.Exit(bootstrap.Main(os.Args[1:], os.Stdout, bootstrap.Program[config.Worker[connectors.Environment]]{
		Name:   "worker",
		Common: func(c config.Worker[connectors.Environment]) config.Common { return c.Common },
		Start:  Start,
	}))
}
