package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// ErrTaken means that another program listens on a port that the stack needs.
var ErrTaken = errors.New("port is taken")

// Layout holds the TCP ports of the stack, all on 127.0.0.1.
type Layout struct {
	API, App, MCP, Pages, Files   int
	Inbound                       int
	Sandbox, SandboxMail          int
	Temporal, TemporalUI          int
	MinIO, Postgres               int
	APIOps, WorkerOps, SandboxOps int
	AppOps, MCPOps, PagesOps      int
	FilesOps, InboundOps          int
	Control                       int
}

// use is a port of a layout with its purpose, its default (docs/contract.md, Ports), and its offset from the base of a
// shifted layout.
type use struct {
	name             string
	port             *int
	standard, offset int
}

func (l *Layout) uses() []use {
	return []use{
		{"API", &l.API, 8080, 0},
		{"application", &l.App, 8081, 1},
		{"tool server", &l.MCP, 8082, 2},
		{"link pages", &l.Pages, 8083, 3},
		{"media files", &l.Files, 8084, 4},
		{"reports of networks", &l.Inbound, 8086, 5},
		{"sandbox network", &l.Sandbox, 8090, 10},
		{"sandbox mails (SMTP)", &l.SandboxMail, 8025, 11},
		{"Temporal", &l.Temporal, 7233, 20},
		{"Temporal UI", &l.TemporalUI, 8233, 21},
		{"MinIO", &l.MinIO, 9000, 30},
		{"PostgreSQL", &l.Postgres, 54320, 40},
		{"API operations", &l.APIOps, 8180, 50},
		{"worker operations", &l.WorkerOps, 8184, 51},
		{"sandbox operations", &l.SandboxOps, 8190, 52},
		{"application's operations", &l.AppOps, 8181, 53},
		{"tool server's operations", &l.MCPOps, 8182, 54},
		{"link pages' operations", &l.PagesOps, 8183, 55},
		{"media files' operations", &l.FilesOps, 8185, 56},
		{"reports' operations", &l.InboundOps, 8186, 57},
		{"control API", &l.Control, 8280, 60},
	}
}

// Default returns the layout of "make run".
func Default() (l Layout) {
	for _, u := range l.uses() {
		*u.port = u.standard
	}
	return l
}

// At returns the layout of "make run PORT_BASE=base": a block of ports starting at base.
func At(base int) (l Layout, err error) {
	const lowestBase, highestBase = 1024, 65535 - 60 // without the highest offset
	if base < lowestBase || base > highestBase {
		return Layout{}, fmt.Errorf("port base %d: must be from %d to %d", base, lowestBase, highestBase)
	}
	for _, u := range l.uses() {
		*u.port = base + u.offset
	}
	return l, nil
}

// Help returns the part of the help that describes PORT_BASE.
func Help() string {
	const base = 20000
	var text strings.Builder
	fmt.Fprintf(&text, "Ports, all on 127.0.0.1:     default   --port-base %d\n", base)
	for _, u := range new(Layout).uses() {
		fmt.Fprintf(&text, "  %-26s %7d   %7d\n", u.name, u.standard, base+u.offset)
	}
	return text.String()
}

// Check reports every port of the layout that is taken, and the process that uses it.
func (l *Layout) Check(ctx context.Context) error {
	var taken []error
	for _, u := range l.uses() {
		if *u.port != 0 && !free(ctx, *u.port) {
			taken = append(taken, fmt.Errorf("%w: %d (%s) is used by %s", ErrTaken, *u.port, u.name, ListenerOn(*u.port)))
		}
	}
	return errors.Join(taken...)
}

func free(ctx context.Context, port int) bool {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	return err == nil && listener.Close() == nil
}
