package structure_test

import (
	"encoding/json"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const sdkWorkflow = "go.temporal.io/sdk/workflow"

// workflowFunctions returns the exported functions whose first parameter is a workflow.Context. These are the functions
// that a worker can register.
func workflowFunctions(t *testing.T) []selection {
	t.Helper()
	var found []selection
	for _, p := range packages(t) {
		if !within(p.path(), "workflows") {
			continue
		}
		for _, file := range parse(t, p.Dir, isCode) {
			for _, declaration := range file.Decls {
				if f, ok := declaration.(*ast.FuncDecl); ok && isWorkflow(file, f) {
					found = append(found, selection{p.ImportPath, f.Name.Name})
				}
			}
		}
	}
	return found
}

func isWorkflow(file *ast.File, f *ast.FuncDecl) bool {
	return f.Recv == nil && f.Name.IsExported() && len(f.Type.Params.List) > 0 &&
		selectionOf(file, f.Type.Params.List[0].Type) == selection{sdkWorkflow, "Context"}
}

// registrations returns the workflows that services/worker registers, with their names.
func registrations(t *testing.T) map[selection]string {
	t.Helper()
	found := make(map[selection]string)
	for _, p := range packages(t) {
		if !within(p.path(), "services/worker") {
			continue
		}
		for _, file := range parse(t, p.Dir, isCode) {
			ast.Inspect(file, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					if function, ok := call.Fun.(*ast.SelectorExpr); ok && strings.HasPrefix(function.Sel.Name, "RegisterWorkflow") {
						registered := selectionOf(file, call.Args[0])
						require.Len(t, call.Args, 2, "%v is registered without a name: use RegisterWorkflowWithOptions", registered)
						found[registered] = nameOption(t, file, call.Args[1])
					}
				}
				return true
			})
		}
	}
	return found
}

// nameOption returns the Name of a workflow.RegisterOptions literal.
func nameOption(t *testing.T, file *ast.File, options ast.Expr) string {
	t.Helper()
	literal, ok := options.(*ast.CompositeLit)
	require.True(t, ok, "the options of a registration are written where it is made")
	for _, element := range literal.Elts {
		if field, ok := element.(*ast.KeyValueExpr); ok {
			if key, ok := field.Key.(*ast.Ident); ok && key.Name == "Name" {
				return selectionOf(file, field.Value).text(t)
			}
		}
	}
	require.Fail(t, "a registration has no Name")
	return ""
}

func TestEveryWorkflowIsRegistered(t *testing.T) {
	t.Parallel()
	functions, registered := workflowFunctions(t), registrations(t)
	require.NotEmpty(t, functions)
	require.Len(t, registered, len(functions))
	for _, f := range functions {
		require.Contains(t, registered, f, "the worker does not register %v", f)
	}
}

// recorded is the part of a history that identifies its workflow and shows whether it ended.
type recorded struct {
	Events []struct {
		EventType string `json:"eventType"`
		Started   struct {
			WorkflowType struct {
				Name string `json:"name"`
			} `json:"workflowType"`
		} `json:"workflowExecutionStartedEventAttributes"`
	} `json:"events"`
}

func (r recorded) ended() bool {
	return slices.Contains([]string{
		"EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED", "EVENT_TYPE_WORKFLOW_EXECUTION_FAILED",
		"EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED",
		"EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT", "EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED",
		"EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW",
	}, r.Events[len(r.Events)-1].EventType)
}

// TestEveryWorkflowHasHistories requires an open and an ended history of each workflow: only the history of a waiting
// run shows that a change would break it, and only that of an ended run covers the whole workflow. The package's
// TestReplay replays both.
func TestEveryWorkflowHasHistories(t *testing.T) {
	t.Parallel()
	for registered, name := range registrations(t) {
		folder := filepath.Join(root(t), strings.TrimPrefix(registered.pkg, prefix))
		files, err := filepath.Glob(filepath.Join(folder, "testdata", "histories", "*", "*.json"))
		require.NoError(t, err)
		var ended, open int
		for _, file := range files {
			raw, err := os.ReadFile(file)
			require.NoError(t, err)
			var history recorded
			require.NoError(t, json.Unmarshal(raw, &history), file)
			require.NotEmpty(t, history.Events, file)
			switch {
			case history.Events[0].Started.WorkflowType.Name != name:
			case history.ended():
				ended++
			default:
				open++
			}
		}
		require.Positive(t, ended, "no history of a %s that ended: run `make record`", name)
		require.Positive(t, open, "no history of a %s that waits: run `make record`", name)
		require.True(t, hasTest(t, folder, "TestReplay"), "%s does not replay its histories in TestReplay", registered.pkg)
	}
}

func hasTest(t *testing.T, folder, name string) bool {
	t.Helper()
	return slices.ContainsFunc(parse(t, folder, isTest), func(file *ast.File) bool {
		return slices.ContainsFunc(file.Decls, func(declaration ast.Decl) bool {
			f, ok := declaration.(*ast.FuncDecl)
			return ok && f.Name.Name == name
		})
	})
}
