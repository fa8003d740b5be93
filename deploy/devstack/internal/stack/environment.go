package stack

import (
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fencepost.internal/devstack/internal/process"
	"fencepost.internal/devstack/internal/servers"
)

const loopback = "127.0.0.1"

// Names of the programs. They equal their folders under services/.
const (
	API     = "api"
	Worker  = "worker"
	Sandbox = "sandbox"
	Files   = "files"
	Pages   = "pages"
	Inbound = "inbound"
	Console = "console"
	MCP     = "mcp"
	Migrate = "migrate"
	Admin   = "admin"
)

// Stack holds the properties of a running stack that its programs need.
type Stack struct {
	Ports   process.Layout
	Secrets servers.Secrets
	// DatabaseURL is the connection URL with the services' own database role.
	DatabaseURL string
	// VisibilityURL is the connection URL of Temporal's visibility database, which migrate slims.
	VisibilityURL string
	// RunFolder is .run, as an absolute path.
	RunFolder string
	// Environ is devstack's own environment. A few harmless variables of it are passed on.
	Environ []string
}

func address(port int) string { return net.JoinHostPort(loopback, strconv.Itoa(port)) }

func url(port int) string { return "http://" + address(port) }

// mcpURL returns the endpoint of the tool server, which is the resource of its tokens.
func (s Stack) mcpURL() string { return url(s.Ports.MCP) + "/mcp" }

// OpsURL returns the address of a program's /livez, /readyz and /metrics, or "" if it does not serve them.
func (s Stack) OpsURL(program string) string {
	if port := s.opsPorts()[program]; port != 0 {
		return url(port)
	}
	return ""
}

func (s Stack) opsPorts() map[string]int {
	return map[string]int{
		API: s.Ports.APIOps, Worker: s.Ports.WorkerOps, Sandbox: s.Ports.SandboxOps, Files: s.Ports.FilesOps,
		Console: s.Ports.AppOps, MCP: s.Ports.MCPOps, Pages: s.Ports.PagesOps, Inbound: s.Ports.InboundOps,
	}
}

// Environment returns the whole environment of a program, sorted. All programs get the same variables except OPS_ADDR.
// A program ignores variables that it does not declare.
func (s Stack) Environment(program string) []string {
	variables := s.inherited()
	for name, value := range s.common() {
		if _, set := variables[name]; !set || !overridable(name) {
			variables[name] = value
		}
	}
	if port := s.opsPorts()[program]; port != 0 {
		variables["OPS_ADDR"] = address(port)
	}
	return environment(variables)
}

func environment(variables map[string]string) []string {
	lines := make([]string, 0, len(variables))
	for name, value := range variables {
		lines = append(lines, name+"="+value)
	}
	slices.Sort(lines)
	return lines
}

// common returns the variables of every program. It contains no settings of real platforms: all networks are the
// sandbox.
func (s Stack) common() map[string]string {
	sandbox := url(s.Ports.Sandbox)
	return map[string]string{
		"LOG_LEVEL":  "info",
		"LOG_FORMAT": "text",

		"DATABASE_URL":                     s.DatabaseURL,
		"TEMPORAL_ADDRESS":                 address(s.Ports.Temporal),
		"TEMPORAL_VISIBILITY_DATABASE_URL": s.VisibilityURL,
		"TEMPORAL_NAMESPACE":               servers.Namespace,
		"ENCRYPTION_KEYS":                  s.Secrets.EncryptionKeys,
		"BASE_URL":                         url(s.Ports.API),
		"API_ADDR":                         address(s.Ports.API),
		"APP_URL":                          url(s.Ports.App),
		"MCP_URL":                          s.mcpURL(),
		"MCP_ADDR":                         address(s.Ports.MCP),
		"CONSOLE_ADDR":                     address(s.Ports.App),
		"CONSOLE_COMPONENTS":               "true",
		"PAGES_URL":                        url(s.Ports.Pages),
		"PAGES_ADDR":                       address(s.Ports.Pages),
		"INBOUND_URL":                      url(s.Ports.Inbound),
		"INBOUND_ADDR":                     address(s.Ports.Inbound),
		"WHATSAPP_APP_SECRET":              "sandbox-secret", // of the application on the sandbox network
		"WHATSAPP_VERIFY_TOKEN":            "sandbox-token",

		"S3_ENDPOINT": url(s.Ports.MinIO),
		// for the browser, and for the sandbox network, which fetches media itself
		"S3_PUBLIC_ENDPOINT": url(s.Ports.Files),
		"S3_ACCESS_KEY":      s.Secrets.S3AccessKey,
		"S3_SECRET_KEY":      s.Secrets.S3SecretKey,
		"S3_BUCKET":          servers.Bucket,
		"S3_REGION":          servers.Region,
		"FILES_ADDR":         address(s.Ports.Files),

		"EGRESS_ALLOW":         loopback + "/32",
		"NETWORKS_SANDBOX_URL": sandbox,
		"SANDBOX_ADDR":         address(s.Ports.Sandbox),
		"SANDBOX_SMTP_ADDR":    address(s.Ports.SandboxMail),
		"SMTP_HOST":            loopback,
		"SMTP_PORT":            strconv.Itoa(s.Ports.SandboxMail),
		"SMTP_TLS":             "none",
		"SMTP_FROM":            "Fencepost <posts@localhost.invalid>",
		"SANDBOX_DATA":         filepath.Join(s.RunFolder, "sandbox"),

		"NOTIFY_TELEGRAM_TOKEN": "100200300:sandbox-notes", // of a bot on the sandbox network
	}
}

// inherited returns the variables that a program may inherit from the developer's shell. Only listed names pass, so
// that a DATABASE_URL in the shell cannot connect the services to another database.
func (s Stack) inherited() map[string]string {
	machine := []string{"PATH", "HOME", "USER", "TMPDIR", "GODEBUG", "GOMAXPROCS", "GOMEMLIMIT", "GOTRACEBACK"}
	variables := make(map[string]string)
	for _, entry := range s.Environ {
		name, value, _ := strings.Cut(entry, "=")
		if slices.Contains(machine, name) || overridable(name) {
			variables[name] = value
		}
	}
	return variables
}

// overridable reports whether the shell may override a setting, as in: LOG_LEVEL=debug make run.
func overridable(name string) bool {
	switch name {
	case "LOG_LEVEL", "LOG_FORMAT", "LOG_REQUESTS_PER_SECOND", "FAILPOINTS", "RETRY_SCALE", "SWEEP_INTERVAL", "DB_MAX_CONNS", "PPROF",
		"POST_HORIZON", "DELIVERY_EXPRESS_AFTER", "ANALYTICS_RETENTION", "HISTORY_RETENTION", "POST_RETENTION":
		return true
	}
	return slices.ContainsFunc([]string{"WORKER_", "PUBLISH_", "INSIGHTS_", "OTEL_"},
		func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}
