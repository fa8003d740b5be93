package structure_test

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform/connectors"
)

const (
	channelPackage    = prefix + "shared/domain/channel"
	connectorsFolder  = "shared/platform/connectors"
	connectorInternal = connectorsFolder + "/internal"
	sandboxFolder     = "services/sandbox/internal"
)

// naming returns the files that may name a single network, each with the reason. A new network changes the first two
// alone; if it has an endpoint of its own, also the two after them.
func naming() map[string]string {
	return map[string]string{
		"shared/domain/channel/types.go":                       "lists the channel types and the networks",
		"shared/platform/connectors/connectors.go":             "lists the declarations",
		"services/internal/apiforms/bodies_platforms.go":       "has the endpoints of single networks",
		"services/api/internal/httpapi/posts_platforms.go":     "has the endpoints of single networks",
		"services/pages/internal/tally/bots.go":                "lists crawlers by their user agents",
		"shared/domain/inbox/conversation.go":                  "has the windows of answers",
		"shared/domain/lead/lead.go":                           "lists the platforms of leads, an enumeration of its own",
		"services/api/internal/httpapi/examples.go":            "has an example of a channel",
		"services/api/internal/httpapi/examples_analytics.go":  "has an example of a channel",
		"services/api/internal/httpapi/openapi_event_kinds.go": "has an example of an event",
		"services/admin/internal/seed/plan.go":                 "has a workspace with one sample channel",
		"services/bench/internal/lab/seed.go":                  "measures three networks",
		"services/bench/internal/trial/inbox.go":               "measures the inbox of one network",
		"shared/platform/presentation/table.go":                "has the look of each network",
		"services/console/internal/preview/drawing.go":         "draws the look of each network",
		"services/console/internal/options/form.go":            "asks what TikTok's audit demands",
		"services/console/internal/options/options.go":         "reads what two networks offer",
		"services/console/internal/options/words.go":           "has the words of each network's options",
		"services/console/gallery_previews.go":                 "has an example of each network",
		"services/inbound/internal/web/web.go":                 "has the addresses of reports",
		"services/inbound/internal/web/metrics.go":             "counts the reports of each address",
		"services/sandbox/control.go":                          "connects bots to accounts",
		"services/e2e/harness/sandboxinbox.go":                 "writes as people of two networks",
		"services/e2e/harness/channels.go":                     "connects the accounts that tests name",
		"services/e2e/faults/lab/accept.go":                    "injects faults into three networks",
		"services/e2e/faults/lab/posts.go":                     "knows which networks return no link",
		"services/e2e/record/script.go":                        "records histories",
	}
}

// TestNetworksAreDeclaredOnce checks that shared code derives what it knows of a network from its declaration: outside
// of the network's folders, only the files above use the constant or the package of a single network.
func TestNetworksAreDeclaredOnce(t *testing.T) {
	t.Parallel()
	constants, folders := networkConstants(t), networkFolders(t)
	allowed, found := naming(), make(map[string]bool)
	var wrong []string
	for _, p := range packages(t) {
		if !p.ours() || slices.Contains(folders, p.path()) || within(p.path(), connectorInternal) {
			continue
		}
		for _, file := range parse(t, p.Dir, isCode) {
			if ast.IsGenerated(file) {
				continue
			}
			name := p.path() + "/" + filepath.Base(position(file.Package).Filename)
			for _, network := range namedIn(t, file, constants, folders) {
				found[name] = true
				if _, ok := allowed[name]; !ok {
					wrong = append(wrong, name+" names "+network)
				}
			}
		}
	}
	require.Empty(t, wrong, "declare it in the package of the connector, in %s", connectorsFolder)
	delete(allowed, "shared/domain/channel/types.go") // declares the constants, and uses them without a selector
	for name := range allowed {
		require.Contains(t, found, name, "%s names no network any more: remove it from this test", name)
	}
}

// namedIn returns the networks that a file names by a constant, by an import or by a whole text.
func namedIn(t *testing.T, file *ast.File, constants, folders []string) []string {
	t.Helper()
	var found []string
	for _, imported := range file.Imports {
		path, err := strconv.Unquote(imported.Path.Value)
		require.NoError(t, err)
		if slices.Contains(folders, strings.TrimPrefix(path, prefix)) {
			found = append(found, path)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch node := n.(type) {
		case *ast.SelectorExpr:
			if of := selectionOf(file, node); of.pkg == channelPackage && slices.Contains(constants, of.name) {
				found = append(found, of.name)
			}
		case *ast.BasicLit:
			if text, err := strconv.Unquote(node.Value); err == nil && node.Kind == token.STRING && isNetwork(text) {
				found = append(found, text)
			}
		}
		return true
	})
	return found
}

// isNetwork reports whether a text is a channel type or a network. A single letter has other meanings.
func isNetwork(text string) bool {
	return len(text) > 1 && slices.ContainsFunc(channel.Types(), func(typ channel.Type) bool {
		return text == string(typ) || text == string(typ.Network())
	})
}

// networkConstants returns the names of the constants of channel types and networks, except for NetworkTest, the queue of
// every test channel, which has no connector.
func networkConstants(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, file := range parse(t, filepath.Join(root(t), "shared", "domain", "channel"), isCode) {
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Names) == 1 && len(spec.Values) == 1 {
				kind, typed := spec.Type.(*ast.Ident)
				if name := spec.Names[0].Name; typed && (kind.Name == "Type" || kind.Name == "Network") && name != "NetworkTest" {
					names = append(names, name)
				}
			}
			return true
		})
	}
	require.NotEmpty(t, names)
	return names
}

// networkFolders returns the folders of the connectors and of the sandbox's networks.
func networkFolders(t *testing.T) []string {
	t.Helper()
	var folders []string
	for _, p := range packages(t) {
		connector := filepath.ToSlash(filepath.Dir(p.path())) == connectorsFolder
		if connector || within(p.path(), sandboxFolder) && declaresNetwork(t, p) {
			folders = append(folders, p.path())
		}
	}
	require.GreaterOrEqual(t, len(folders), 2*len(connectors.Networks()),
		"every network has a connector and a place in the sandbox")
	return folders
}

func declaresNetwork(t *testing.T, p goPackage) bool {
	t.Helper()
	for _, file := range parse(t, p.Dir, isCode) {
		for _, declaration := range file.Decls {
			if f, ok := declaration.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "Network" {
				return true
			}
		}
	}
	return false
}
