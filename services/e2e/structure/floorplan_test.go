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
		"shared/kernel/apperr": 0, "shared/kernel/base62": 0, "shared/kernel/clock": 0, "shared/kernel/failpoint": 0, "shared/kernel/ident": 0,
		"shared/kernel/plaintext": 0, "shared/kernel/webaddress": 0,
		"shared/domain/analytics": 1, "shared/domain/channel": 1, "shared/domain/credential": 1, "shared/domain/event": 1, "shared/domain/idea": 1, "shared/domain/lead": 1,
		"shared/domain/linkpage": 1, "shared/domain/media": 1, "shared/domain/oauth": 1, "shared/domain/post": 1, "shared/domain/channel/slot": 1, "shared/domain/user": 1, "shared/domain/webhook": 1, "shared/domain/workspace": 1,
		"shared/flow":            2,
		"shared/platform/access": 3, "shared/infra/config": 3, "shared/infra/egress": 3, "shared/infra/mediabox": 3, "shared/infra/objectstore": 3, "shared/infra/password": 3, "shared/platform": 3, "shared/infra/postgres": 3, "shared/infra/ratelimit": 3,
		"shared/infra/secretbox": 3, "shared/infra/telemetry": 3,
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
		"shared/domain/lead":    {"shared/domain/event"},
		"shared/domain/oauth":   {"shared/domain/credential"},
		"shared/domain/post":    {"shared/domain/event"},
		"shared/domain/webhook": {"shared/domain/event"},
		"shared/platform":       {"shared/domain/channel", "shared/domain/media", "shared/domain/post"},
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
		if !within(p.path(), "workflows") || p.path() == "services/e2e/record" {
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
		"shared/platform", "shared/platform/connectors/internal/days", "shared/platform/connectors/internal/google", "shared/platform/connectors/internal/graph", "shared/platform/connectors/internal/graph/containers",
		"shared/platform/connectors/internal/match", "shared/platform/rules", "shared/platform/rules/textlen", "shared/platform/connectors/internal/httpcall",
	}
	for _, p := range packages(t) {
		if !within(p.path(), "shared/platform") || within(p.path(), "shared/platform/connectors") || within(p.path(), "shared/platform/platformtest") {
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
		"services/bench", "services/e2e", "services/e2e/record",
	}
	owners := map[string][]string{
		"gorm.io":                         {"shared/infra/postgres"},
		"github.com/jackc":                {"shared/infra/postgres", "services/bench", "services/e2e/faults"}, // the fault suite breaks what the owner stands on
		"github.com/pressly/goose":        {"shared/infra/postgres"},
		"database/sql":                    {"shared/infra/postgres"},
		"github.com/minio":                {"shared/infra/objectstore"},
		"github.com/gofiber":              {"services/api", "services/pages", "services/bench"},
		"github.com/danielgtaylor/huma":   {"services/api", "services/internal/apiforms", "services/mcp/internal/tools", "services/bench"},
		"github.com/modelcontextprotocol": {"services/mcp", "services/e2e", "services/bench"},
		"github.com/valyala/fasthttp":     {"services/api", "services/pages", "services/bench"},
		"github.com/caarlos0/env":         {"shared/infra/config"},
		"code.dny.dev/ssrf":               {"shared/infra/egress"},
		"go.temporal.io/sdk/client":       temporal,
		"go.temporal.io/sdk/worker":       temporal,
		"go.temporal.io/sdk/workflow":     {"shared/flow", "workflows", "services/worker", "services/bench"},
		"github.com/prometheus/client_golang/prometheus/promhttp": {"shared/infra/telemetry"},
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
