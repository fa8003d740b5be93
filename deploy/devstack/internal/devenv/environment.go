// Package devenv converts the stack's ports and secrets into the environment of each service, .run/dev.json, and the
// text that is printed when the stack is up.
package devenv

import (
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fencepost.internal/devstack/internal/minio"
	"fencepost.internal/devstack/internal/ports"
	"fencepost.internal/devstack/internal/secrets"
	"fencepost.internal/devstack/internal/temporal"
)

// Bucket is the MinIO bucket of the media.
const Bucket = "media"

const loopback = "127.0.0.1"

// Names of the programs. They equal their folders under services/.
const (
	API     = "api"
	Worker  = "worker"
	Sandbox = "sandbox"
	Files   = "files"
	Pages   = "pages"
	Console = "console"
	MCP     = "mcp"
	Migrate = "migrate"
	Admin   = "admin"
)

// Stack holds the properties of a running stack that its programs need.
type Stack struct {
	Ports   ports.Layout
	Secrets secrets.Secrets
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
	if port := s.opsPort(program); port != 0 {
		return url(port)
	}
	return ""
}

func (s Stack) opsPort(program string) int {
	switch program {
	case API:
		return s.Ports.APIOps
	case Worker:
		return s.Ports.WorkerOps
	case Sandbox:
		return s.Ports.SandboxOps
	case Files:
		return s.Ports.FilesOps
	case Console:
		return s.Ports.AppOps
	case MCP:
		return s.Ports.MCPOps
	case Pages:
		return s.Ports.PagesOps
	default:
		return 0
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
	if port := s.opsPort(program); port != 0 {
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
		"TEMPORAL_NAMESPACE":               temporal.Namespace,
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

		"S3_ENDPOINT": url(s.Ports.MinIO),
		// for the browser, and for the sandbox network, which fetches media itself
		"S3_PUBLIC_ENDPOINT": url(s.Ports.Files),
		"S3_ACCESS_KEY":      s.Secrets.S3AccessKey,
		"S3_SECRET_KEY":      s.Secrets.S3SecretKey,
		"S3_BUCKET":          Bucket,
		"S3_REGION":          minio.Region,
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
	for _, prefix := range []string{"WORKER_", "PUBLISH_", "INSIGHTS_", "OTEL_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// TestEnvironment returns the variables that "exec" adds to the environment of its command.
func TestEnvironment(
	superuserURL, temporalAddress, temporalUI, s3 string, keys secrets.Secrets, control string,
) []string {
	return []string{
		"TEST_DATABASE_URL=" + superuserURL,
		"TEST_TEMPORAL_ADDRESS=" + temporalAddress,
		"TEST_TEMPORAL_UI_URL=" + temporalUI,
		"TEST_S3_ENDPOINT=" + s3,
		"TEST_S3_ACCESS_KEY=" + keys.S3AccessKey,
		"TEST_S3_SECRET_KEY=" + keys.S3SecretKey,
		"DEVSTACK_CONTROL=" + control,
	}
}

// PortHelp returns the part of the help that describes PORT_BASE.
func PortHelp() string {
	standard, shifted := ports.Default(), ports.Layout{}
	if layout, err := ports.At(20000); err == nil { //nolint:mnd // an example
		shifted = layout
	}
	rows := [][3]any{
		{"API", standard.API, shifted.API},
		{"application", standard.App, shifted.App},
		{"tool server", standard.MCP, shifted.MCP},
		{"link pages", standard.Pages, shifted.Pages},
		{"media files", standard.Files, shifted.Files},
		{"sandbox network", standard.Sandbox, shifted.Sandbox},
		{"sandbox mails (SMTP)", standard.SandboxMail, shifted.SandboxMail},
		{"Temporal", standard.Temporal, shifted.Temporal},
		{"Temporal UI", standard.TemporalUI, shifted.TemporalUI},
		{"MinIO", standard.MinIO, shifted.MinIO},
		{"PostgreSQL", standard.Postgres, shifted.Postgres},
		{"API operations", standard.APIOps, shifted.APIOps},
		{"worker operations", standard.WorkerOps, shifted.WorkerOps},
		{"application's operations", standard.AppOps, shifted.AppOps},
		{"tool server's operations", standard.MCPOps, shifted.MCPOps},
		{"link pages' operations", standard.PagesOps, shifted.PagesOps},
		{"media files' operations", standard.FilesOps, shifted.FilesOps},
		{"sandbox operations", standard.SandboxOps, shifted.SandboxOps},
		{"control API", standard.Control, shifted.Control},
	}
	var text strings.Builder
	text.WriteString("Ports, all on 127.0.0.1:     default   --port-base 20000\n")
	for _, row := range rows {
		fmt.Fprintf(&text, "  %-26s %7d   %7d\n", row[:]...)
	}
	return text.String()
}
