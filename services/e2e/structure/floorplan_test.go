package structure_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// levels says how high each folder stands; a longer path counts before a shorter one.
func levels() map[string]int {
	return map[string]int{
		"shared/apperr": 0, "shared/base62": 0, "shared/clock": 0, "shared/failpoint": 0, "shared/ident": 0,
		"shared/plaintext": 0, "shared/webaddress": 0,
		"shared/analytics": 1, "shared/channel": 1, "shared/credential": 1, "shared/event": 1, "shared/idea": 1, "shared/lead": 1,
		"shared/linkpage": 1, "shared/media": 1, "shared/oauth": 1, "shared/post": 1, "shared/slot": 1, "shared/user": 1, "shared/webhook": 1, "shared/workspace": 1,
		"shared/flow":   2,
		"shared/access": 3, "shared/config": 3, "shared/egress": 3, "shared/mediabox": 3, "shared/objectstore": 3, "shared/password": 3, "shared/platform": 3, "shared/postgres": 3, "shared/ratelimit": 3,
		"shared/secretbox": 3, "shared/telemetry": 3,
		"workflows": 4, "activities": 4,
		"services": 5,
	}
}

// levelOf is the level of a folder, by the longest path of the table that it lies in.
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

func TestEveryPackageHasALevel(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if p.ours() {
			_, known := levelOf(p.path())
			require.True(t, known, "%s stands on no level of the floor plan: give it one here and in .golangci.yml", p.path())
		}
	}
}

// TestImportsPointDown looks at tests too: a test may use more libraries, but it stands where its package stands.
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
				require.LessOrEqual(t, level, from, "%s imports %s, which stands above it", p.path(), to)
			}
		}
	}
}

func TestModulesMeetOnlyInShared(t *testing.T) {
	t.Parallel()
	forbidden := map[string][]string{
		"shared":     {"activities", "workflows", "services"},
		"workflows":  {"activities", "services"},
		"activities": {"workflows", "services"},
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

// TestDomainDependsOnNothing follows every import to its end.
func TestDomainDependsOnNothing(t *testing.T) {
	t.Parallel()
	all := packages(t)
	for _, p := range all {
		level, _ := levelOf(p.path())
		if !p.ours() || level > 1 {
			continue
		}
		for _, dependency := range p.Deps {
			known, below := levelOf(strings.TrimPrefix(dependency, prefix))
			ok := all[dependency].Standard || below && known <= 1 || within(dependency, "github.com/google/uuid")
			require.True(t, ok, "%s depends on %s", p.path(), dependency)
		}
	}
}

// TestDomainTypesReferById: domain packages know each other's ids. Changes of a post or a lead and a delivery tell an event, and
// the connector contract is about channels and posts.
func TestDomainTypesReferById(t *testing.T) {
	t.Parallel()
	allowed := map[string][]string{
		"shared/lead":     {"shared/event"},
		"shared/oauth":    {"shared/credential"},
		"shared/post":     {"shared/event"},
		"shared/webhook":  {"shared/event"},
		"shared/platform": {"shared/channel", "shared/media", "shared/post"},
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

// TestWorkflowsTouchNothing: no store, no connector, no client is within a workflow's reach.
func TestWorkflowsTouchNothing(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if !within(p.path(), "workflows") || p.path() == "workflows/record" {
			continue
		}
		for _, dependency := range p.Deps {
			to, ours := strings.CutPrefix(dependency, prefix)
			level, _ := levelOf(to)
			require.True(t, !ours || level <= 2 || within(to, "workflows"), "%s depends on %s", p.path(), to)
		}
	}
}

// TestConnectorsStandAlone: a network's connector knows no other one, and none of them knows what the service does.
func TestConnectorsStandAlone(t *testing.T) {
	t.Parallel()
	common := []string{
		"shared/platform", "shared/platform/daybook", "shared/platform/google", "shared/platform/graph", "shared/platform/graph/containers",
		"shared/platform/postmatch", "shared/platform/rules", "shared/platform/textlen", "shared/platform/wire",
	}
	for _, p := range packages(t) {
		if !within(p.path(), "shared/platform") || within(p.path(), "shared/platform/networks") || within(p.path(), "shared/platform/platformtest") {
			continue
		}
		for _, imported := range p.Imports {
			to, ours := strings.CutPrefix(imported, prefix)
			level, _ := levelOf(to)
			require.True(t, !ours || level <= 1 || slices.Contains(common, to), "%s imports %s", p.path(), to)
		}
	}
}

// TestTechnologiesHaveOneOwner names who may import what; all others ask the owner.
func TestTechnologiesHaveOneOwner(t *testing.T) {
	t.Parallel()
	temporal := []string{
		"services/internal/bootstrap", "services/internal/relay", "services/worker", "services/migrate",
		"services/bench", "services/e2e", "workflows/record",
	}
	owners := map[string][]string{
		"gorm.io":                         {"shared/postgres"},
		"github.com/jackc":                {"shared/postgres", "services/bench", "services/e2e/faults"}, // the fault suite breaks what the owner stands on
		"github.com/pressly/goose":        {"shared/postgres"},
		"database/sql":                    {"shared/postgres"},
		"github.com/minio":                {"shared/objectstore"},
		"github.com/gofiber":              {"services/api", "services/pages", "services/bench"},
		"github.com/danielgtaylor/huma":   {"services/api", "services/internal/wire", "services/mcp/internal/tools", "services/bench"},
		"github.com/modelcontextprotocol": {"services/mcp", "services/e2e", "services/bench"},
		"github.com/valyala/fasthttp":     {"services/api", "services/pages", "services/bench"},
		"github.com/caarlos0/env":         {"shared/config"},
		"code.dny.dev/ssrf":               {"shared/egress"},
		"go.temporal.io/sdk/client":       temporal,
		"go.temporal.io/sdk/worker":       temporal,
		"go.temporal.io/sdk/workflow":     {"shared/flow", "workflows", "services/worker", "services/bench"},
		"github.com/prometheus/client_golang/prometheus/promhttp": {"shared/telemetry"},
	}
	for _, p := range packages(t) {
		for technology := range maps.Keys(owners) {
			uses := slices.ContainsFunc(p.Imports, func(imported string) bool {
				return within(imported, technology) && imported != "database/sql/driver"
			})
			owner := slices.ContainsFunc(owners[technology], func(folder string) bool { return within(p.path(), folder) })
			require.True(t, !p.ours() || !uses || owner, "%s imports %s, which belongs to %v", p.path(), technology, owners[technology])
		}
	}
}
