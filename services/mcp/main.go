// Command mcp serves the tools for AI agents.
package main

import (
	"os"

	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/services/mcp/internal/tools"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/platform/connectors"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "tools" {
		os.Exit(tools.Print(os.Stdout))
	}
	os.Exit(bootstrap.Main(os.Args[1:], os.Stdout, bootstrap.Program[config.MCP[connectors.Environment]]{
		Name:   "mcp",
		Common: func(c config.MCP[connectors.Environment]) config.Common { return c.Common },
		Start:  start,
	}))
}
