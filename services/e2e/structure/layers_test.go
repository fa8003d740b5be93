package structure_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// levels maps each layer's folder to its level.
func levels() map[string]int {
	return map[string]int{
		"shared/kernel":   0,
		"shared/domain":   1,
		"shared/flow":     2,
		"shared/infra":    3,
		"shared/platform": 3,
		"workflows":       4,
		"activities":      4,
		"services":        5,
		"sdk":             0, // imports nothing; TestModulesShareOnlySharedCode says who may use it
	}
}

// levelOf returns the level of a folder, or false if it is in no layer.
func levelOf(folder string) (int, bool) {
	table := levels()
	for known := folder; known != ""; known, _, _ = cutLast(known) {
		if level, ok := table[known]; ok {
			return level, true
		}
	}
	return 0, false
}

func cutLast(folder string) (before, after string, found bool) {
	at := strings.LastIndexByte(folder, '/')
	if at < 0 {
		return "", folder, false
	}
	return folder[:at], folder[at+1:], true
}

func TestEveryPackageHasLevel(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if p.ours() {
			_, known := levelOf(p.path())
			require.True(t, known, "%s lies in no layer: move it into one, or add a layer here and in .golangci.yml", p.path())
		}
	}
}

// TestImportsPointDown covers tests too: a test may import more libraries than its package, but no higher layer.
func TestImportsPointDown(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if !p.ours() {
			continue
		}
		from, _ := levelOf(p.path())
		for _, imported := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if to, ours := strings.CutPrefix(imported, prefix); ours {
				level, _ := levelOf(to)
				require.LessOrEqual(t, level, from, "%s imports %s, which lies above it", p.path(), to)
			}
		}
	}
}

func TestModulesShareOnlySharedCode(t *testing.T) {
	t.Parallel()
	forbidden := map[string][]string{
		"shared":     {"activities", "workflows", "services", "sdk"},
		"workflows":  {"activities", "services", "sdk"},
		"activities": {"workflows", "services", "sdk"},
		"sdk":        {"shared", "workflows", "activities", "services"},
	}
	for _, p := range packages(t) {
		module, _, _ := strings.Cut(p.path(), "/")
		for _, imported := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			to, ours := strings.CutPrefix(imported, prefix)
			other, _, _ := strings.Cut(to, "/")
			require.False(t, p.ours() && ours && slices.Contains(forbidden[module], other), "%s imports %s", p.path(), to)
		}
	}
}

// TestSandboxSharesNoCodeWithConnectors checks that the sandbox networks share no code with the connectors: a mistake in
// shared code would be on both sides, and no test would find it.
func TestSandboxSharesNoCodeWithConnectors(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, p := range packages(t) {
		if !p.ours() || !within(p.path(), "services/sandbox") {
			continue
		}
		seen++
		for _, imported := range p.Imports {
			require.False(t, within(imported, prefix+"shared/platform"), "%s imports %s", p.path(), imported)
		}
	}
	require.Greater(t, seen, 10)
}

// TestCommandLineUsesTheSDKAlone checks that the command line knows the service by its API, as programs of others do. It
// follows all transitive imports.
func TestCommandLineUsesTheSDKAlone(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, p := range packages(t) {
		if !p.ours() || !within(p.path(), "services/cli") {
			continue
		}
		seen++
		for _, dependency := range p.Deps {
			to, ours := strings.CutPrefix(dependency, prefix)
			require.True(t, !ours || within(to, "sdk/go") || within(to, "services/cli"), "%s depends on %s", p.path(), to)
		}
	}
	require.Greater(t, seen, 5)
}

// TestDomainHasNoDependencies follows all transitive imports.
func TestDomainHasNoDependencies(t *testing.T) {
	t.Parallel()
	all := packages(t)
	for _, p := range all {
		level, _ := levelOf(p.path())
		if !p.ours() || level > 1 {
			continue
		}
		for _, dependency := range p.Deps {
			known, below := levelOf(strings.TrimPrefix(dependency, prefix))
			ok := all[dependency].Standard || below && known <= 1 || within(dependency, "github.com/google/uuid") ||
				within(dependency, "golang.org/x/text") // forms of characters
			require.True(t, ok, "%s depends on %s", p.path(), dependency)
		}
	}
}

// TestDomainTypesReferByID checks that domain packages refer to each other by ID, except for events, credentials and
// the connector contract.
func TestDomainTypesReferByID(t *testing.T) {
	t.Parallel()
	allowed := map[string][]string{
		"shared/domain/channel":    {"shared/domain/approval", "shared/domain/event"},
		"shared/domain/inbox":      {"shared/domain/channel", "shared/domain/media", "shared/domain/workspace"},
		"shared/domain/lead":       {"shared/domain/event"},
		"shared/domain/lead/score": {"shared/domain/lead"},
		"shared/domain/media":      {"shared/domain/event"},
		"shared/domain/member":     {"shared/domain/credential"},
		"shared/domain/oauth":      {"shared/domain/credential"},
		"shared/domain/person":     {"shared/domain/channel"},
		"shared/domain/post":       {"shared/domain/approval", "shared/domain/event"},
		"shared/domain/webhook":    {"shared/domain/event"},
		"shared/domain/workspace":  {"shared/domain/approval"},
		"shared/platform": {
			"shared/domain/analytics", "shared/domain/channel", "shared/domain/inbox", "shared/domain/media", "shared/domain/post",
		},
	}
	for _, p := range packages(t) {
		from, _ := levelOf(p.path())
		if !p.ours() || from != 1 && p.path() != "shared/platform" {
			continue
		}
		for _, imported := range p.Imports {
			to, ours := strings.CutPrefix(imported, prefix)
			level, _ := levelOf(to)
			require.True(t, !ours || level == 0 || slices.Contains(allowed[p.path()], to), "%s imports %s", p.path(), to)
		}
	}
}

// TestWorkflowsDependOnNoIO checks that workflows depend on no store, connector or client.
func TestWorkflowsDependOnNoIO(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if !within(p.path(), "workflows") {
			continue
		}
		for _, dependency := range p.Deps {
			to, ours := strings.CutPrefix(dependency, prefix)
			level, _ := levelOf(to)
			require.True(t, !ours || level <= 2 || within(to, "workflows"), "%s depends on %s", p.path(), to)
		}
	}
}

// TestConnectorsAreIndependent checks that a connector imports no other connector and nothing of the publish protocol.
func TestConnectorsAreIndependent(t *testing.T) {
	t.Parallel()
	// The environment of a connector has secrets, a type of the configuration.
	common := []string{
		"shared/platform", "shared/platform/network", "shared/platform/rules", "shared/platform/rules/textlen",
		"shared/infra/config", "shared/infra/telemetry/traces",
	}
	for _, p := range packages(t) {
		_, connector := strings.CutPrefix(p.path(), "shared/platform/connectors/")
		if !connector && !within(p.path(), "shared/platform/rules") && !within(p.path(), "shared/platform/presentation") {
			continue
		}
		for _, imported := range p.Imports {
			to, ours := strings.CutPrefix(imported, prefix)
			level, _ := levelOf(to)
			helper := within(to, "shared/platform/connectors/internal")
			require.True(t, !ours || level <= 1 || helper || slices.Contains(common, to), "%s imports %s", p.path(), to)
		}
	}
}

// TestTechnologiesHaveOneOwner lists the packages that may import each technology. All other packages use the owner.
func TestTechnologiesHaveOneOwner(t *testing.T) {
	t.Parallel()
	temporal := []string{
		"services/internal/bootstrap", "services/internal/relay", "services/worker", "services/migrate",
		"services/bench", "services/e2e",
		"services/admin/internal/doctor",
	}
	owners := map[string][]string{
		"gorm.io": {"shared/infra/postgres"},
		// the fault suite breaks the owner's infrastructure
		"github.com/jackc": {
			"shared/infra/postgres", "services/bench", "services/e2e/faults",
		},
		"github.com/pressly/goose": {"shared/infra/postgres"},
		"database/sql":             {"shared/infra/postgres"},
		"github.com/minio":         {"shared/infra/objectstore"},
		"github.com/gofiber":       {"services/api", "services/pages", "services/bench"},
		"github.com/danielgtaylor/huma": {
			"services/api", "services/internal/apiforms", "services/mcp/internal/tools",
		},
		"github.com/modelcontextprotocol": {"services/mcp", "services/e2e"},
		"github.com/valyala/fasthttp":     {"services/api", "services/pages"},
		"github.com/caarlos0/env":         {"shared/infra/config"},
		"code.dny.dev/ssrf":               {"shared/infra/egress"},
		"github.com/wneessen/go-mail":     {"shared/infra/mailer"},
		"github.com/mmcdole/gofeed":       {"shared/infra/feed"},
		"github.com/emersion/go-smtp":     {"services/sandbox"},
		"github.com/pquerna/otp":          {"services/internal/authn"},
		"github.com/go-webauthn":          {"services/internal/authn"},
		"github.com/coreos/go-oidc":       {"services/internal/authn"},
		"go.temporal.io/sdk/client":       temporal,
		"go.temporal.io/sdk/worker":       temporal,
		"go.temporal.io/sdk/workflow": {
			"shared/flow", "workflows", "services/worker", "services/bench", "services/e2e/record",
			"services/e2e/harness", // a worker that replaces another program
		},
		"github.com/prometheus/client_golang/prometheus/promhttp": {"shared/infra/telemetry"},
	}
	for _, p := range packages(t) {
		for technology := range maps.Keys(owners) {
			uses := slices.ContainsFunc(p.Imports, func(imported string) bool {
				return within(imported, technology) && imported != "database/sql/driver"
			})
			owner := slices.ContainsFunc(owners[technology], func(folder string) bool { return within(p.path(), folder) })
			require.True(t, !p.ours() || !uses || owner, "%s imports %s, which belongs to %v", p.path(), technology,
				owners[technology])
		}
	}
}
