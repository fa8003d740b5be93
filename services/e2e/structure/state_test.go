package structure_test

import (
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// keepers returns the folders that may contain process-wide state: code for tests, and code that is only active
// in failure tests.
func keepers() []string {
	return []string{
		"services/e2e", "shared/kernel/failpoint", "shared/kernel/proctest",
		"shared/infra/postgres/postgrestest",
	}
}

// TestPackagesKeepNoState checks that a package's variables are only tables and errors. Mutable state belongs to a
// value with a constructor, so that a process can have two of them.
func TestPackagesKeepNoState(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		exempt := slices.ContainsFunc(keepers(), func(folder string) bool { return within(p.path(), folder) })
		if !p.ours() || exempt {
			continue
		}
		parsed := parse(t, p.Dir, isCode)
		for _, file := range parsed {
			for _, variable := range emptyVariables(file) {
				require.Fail(t, "a package keeps state", "%s: variable %s has no value", position(variable.Pos()),
					variable.Name)
			}
		}
		for _, changed := range changedVariables(parsed) {
			require.Fail(t, "a package keeps state", "%s: variable %s is changed", position(changed.Pos()), changed.Name)
		}
	}
}

// emptyVariables returns variables without an initial value, such as counters, locks and caches.
func emptyVariables(file *ast.File) []*ast.Ident {
	var found []*ast.Ident
	for _, declaration := range file.Decls {
		group, ok := declaration.(*ast.GenDecl)
		if !ok || group.Tok != token.VAR || embeds(group.Doc) {
			continue
		}
		for _, spec := range group.Specs {
			if values, ok := spec.(*ast.ValueSpec); ok && len(values.Values) == 0 && !embeds(values.Doc) {
				found = append(found, values.Names...)
			}
		}
	}
	return found
}

func embeds(comments *ast.CommentGroup) bool {
	return comments != nil && slices.ContainsFunc(comments.List, func(c *ast.Comment) bool {
		return strings.HasPrefix(c.Text, "//go:embed ")
	})
}

// changedVariables returns package variables to which, or to whose elements, the code assigns.
func changedVariables(parsed []*ast.File) []*ast.Ident {
	info := types.Info{Uses: make(map[*ast.Ident]types.Object)}
	// Imports are not resolved, and the resulting errors are ignored.
	check := types.Config{Importer: noImports{}, Error: func(error) {}}
	pkg, _ := check.Check("p", sources.files, parsed, &info)
	var found []*ast.Ident
	note := func(target ast.Expr) {
		if name := rootOf(target); name != nil {
			if v, ok := info.Uses[name].(*types.Var); ok && v.Parent() == pkg.Scope() {
				found = append(found, name)
			}
		}
	}
	for _, file := range parsed {
		ast.Inspect(file, func(n ast.Node) bool {
			switch statement := n.(type) {
			case *ast.AssignStmt:
				for _, target := range statement.Lhs {
					note(target)
				}
			case *ast.IncDecStmt:
				note(statement.X)
			}
			return true
		})
	}
	return found
}

// rootOf returns the variable that an assignment to x, x.f, x[i] or *x changes.
func rootOf(target ast.Expr) *ast.Ident {
	switch x := target.(type) {
	case *ast.Ident:
		return x
	case *ast.SelectorExpr:
		return rootOf(x.X)
	case *ast.IndexExpr:
		return rootOf(x.X)
	case *ast.StarExpr:
		return rootOf(x.X)
	case *ast.ParenExpr:
		return rootOf(x.X)
	default:
		return nil
	}
}

type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not of interest") }
