// Command worker runs the workflows and their activities: it publishes posts, delivers webhooks and works on files. With the argument
// rebuild it enqueues every open post and delivery again and ends; Temporal ignores what it knows already. With recover it makes a
// database that was restored to an earlier moment safe to go on with, and ends.
package main

import (
	"os"

	"socialpub.internal/services/internal/bootstrap"
	"socialpub.internal/services/worker/internal/workerapp"
	"socialpub.internal/shared/infra/config"
	"socialpub.internal/shared/infra/mediabox"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == mediabox.Argument { // started by the worker, to open one file
		os.Exit(mediabox.Main(os.Args[2:], os.Stdout))
	}
	if len(os.Args) > 1 && os.Args[1] == "rebuild" {
		os.Exit(workerapp.Rebuild(os.Stdout))
	}
	if len(os.Args) > 1 && os.Args[1] == "recover" {
		os.Exit(workerapp.Recover(os.Stdout))
	}
	os.Exit(bootstrap.Main(os.Args[1:], os.Stdout, bootstrap.Program[config.Worker]{
		Name:   "worker",
		Common: func(c config.Worker) config.Common { return c.Common },
		Start:  workerapp.Start,
	}))
}
