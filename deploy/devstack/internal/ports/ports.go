// Package ports assigns the TCP ports of the stack and finds the process that uses a taken port.
package ports

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"

	"fencepost.internal/devstack/internal/procfs"
)

// ErrTaken means that another program listens on a port that the stack needs.
var ErrTaken = errors.New("port is taken")

// Layout holds the TCP ports of the stack, all on 127.0.0.1.
type Layout struct {
	API, App, MCP, Pages, Files   int
	Sandbox, SandboxMail          int
	Temporal, TemporalUI          int
	MinIO, Postgres               int
	APIOps, WorkerOps, SandboxOps int
	AppOps, MCPOps, PagesOps      int
	FilesOps                      int
	Control                       int
}

// Default returns the layout of "make run" (docs/contract.md, Ports).
func Default() Layout {
	return Layout{
		API: 8080, App: 8081, MCP: 8082, Pages: 8083, Files: 8084, Sandbox: 8090, SandboxMail: 8025,
		Temporal: 7233, TemporalUI: 8233, MinIO: 9000, Postgres: 54320,
		APIOps: 8180, AppOps: 8181, MCPOps: 8182, PagesOps: 8183, WorkerOps: 8184, FilesOps: 8185, SandboxOps: 8190,
		Control: 8280,
	}
}

// Offsets from the base of a shifted layout.
const (
	offsetSandbox    = 10
	offsetMail       = 11
	offsetTemporal   = 20
	offsetTemporalUI = 21
	offsetMinIO      = 30
	offsetPostgres   = 40
	offsetOps        = 50
	offsetControl    = 60

	lowestBase  = 1024
	highestBase = 65535 - offsetControl
)

// At returns the layout of "make run PORT_BASE=base": a block of ports starting at base.
func At(base int) (Layout, error) {
	if base < lowestBase || base > highestBase {
		return Layout{}, fmt.Errorf("port base %d: must be from %d to %d", base, lowestBase, highestBase)
	}
	return Layout{
		API: base, App: base + 1, MCP: base + 2, Pages: base + 3, Files: base + 4,
		Sandbox: base + offsetSandbox, SandboxMail: base + offsetMail,
		Temporal: base + offsetTemporal, TemporalUI: base + offsetTemporalUI,
		MinIO: base + offsetMinIO, Postgres: base + offsetPostgres,
		APIOps: base + offsetOps, WorkerOps: base + offsetOps + 1, SandboxOps: base + offsetOps + 2,
		AppOps: base + offsetOps + 3, MCPOps: base + offsetOps + 4, PagesOps: base + offsetOps + 5,
		FilesOps: base + offsetOps + 6,
		Control:  base + offsetControl,
	}, nil
}

// Named is a port with its purpose.
type Named struct {
	Name string
	Port int
}

// Needed lists the ports that "run" opens. Ports of future programs are reserved, not needed.
func (l Layout) Needed() []Named {
	return []Named{
		{"API", l.API},
		{"API operations", l.APIOps},
		{"worker operations", l.WorkerOps},
		{"application", l.App},
		{"application's operations", l.AppOps},
		{"link pages", l.Pages},
		{"link pages' operations", l.PagesOps},
		{"media files", l.Files},
		{"media files' operations", l.FilesOps},
		{"sandbox network", l.Sandbox},
		{"sandbox mails", l.SandboxMail},
		{"sandbox operations", l.SandboxOps},
		{"Temporal", l.Temporal},
		{"Temporal UI", l.TemporalUI},
		{"MinIO", l.MinIO},
		{"PostgreSQL", l.Postgres},
		{"control API", l.Control},
	}
}

// Check reports every needed port that is taken, and the process that uses it.
func Check(ctx context.Context, system procfs.FS, needed []Named) error {
	var taken []error
	for _, named := range needed {
		if free(ctx, named.Port) {
			continue
		}
		holder := "an unknown process"
		if listener, err := system.ListenerOn(named.Port); err == nil {
			holder = listener.String()
		}
		taken = append(taken, fmt.Errorf("%w: %d (%s) is used by %s", ErrTaken, named.Port, named.Name, holder))
	}
	return errors.Join(taken...)
}

func free(ctx context.Context, port int) bool {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return false
	}
	return listener.Close() == nil
}
