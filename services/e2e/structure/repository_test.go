// Package structure_test checks rules across packages: which packages may import which, and that connectors, workflows
// and migrations have their tests, histories and rollbacks. It reads the source, so it requires no infrastructure.
package structure_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// prefix is the prefix of the import paths of the repository's packages. The rest of the path is the folder in the
// repository.
const prefix = "fencepost.internal/"

func modules() []string { return []string{"shared", "workflows", "activities", "services"} }

// root returns the folder of the repository.
func root(t *testing.T) string {
	t.Helper()
	folder, err := findRoot()
	require.NoError(t, err)
	return folder
}

func findRoot() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		_, err := os.Stat(filepath.Join(folder, "go.work"))
		if err == nil {
			return folder, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if folder == filepath.Dir(folder) {
			return "", errors.New("no go.work above the test")
		}
		folder = filepath.Dir(folder)
	}
}

// goPackage is a package in the output of `go list`.
type goPackage struct {
	ImportPath   string
	Dir          string
	Standard     bool
	Imports      []string
	TestImports  []string
	XTestImports []string
	Deps         []string
}

// path returns the package's folder in the repository.
func (p goPackage) path() string { return strings.TrimPrefix(p.ImportPath, prefix) }

func (p goPackage) ours() bool { return strings.HasPrefix(p.ImportPath, prefix) }

// packages returns the repository's packages and all their dependencies, by import path. Tests must not change the map.
func packages(t *testing.T) map[string]goPackage {
	t.Helper()
	found, err := listed()
	require.NoError(t, err)
	return found
}

// listed runs `go list` once per test process.
var listed = sync.OnceValues(list)

func list() (map[string]goPackage, error) {
	folder, err := findRoot()
	if err != nil {
		return nil, err
	}
	args := []string{"list", "-deps", "-json=ImportPath,Dir,Standard,Imports,TestImports,XTestImports,Deps"}
	for _, module := range modules() {
		args = append(args, "./"+module+"/...")
	}
	command := exec.CommandContext(context.Background(), "go", args...)
	command.Dir = folder
	out, err := command.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, fmt.Errorf("go list: %w\n%s", err, exit.Stderr)
	}
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	found := make(map[string]goPackage)
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		found[p.ImportPath] = p
	}
}

// within reports whether a folder is the parent or inside it.
func within(folder, parent string) bool {
	return folder == parent || strings.HasPrefix(folder, parent+"/")
}

// sources holds the parsed files of the repository, each parsed once per test process. Tests must not change them.
var sources = struct {
	sync.Mutex

	files   *token.FileSet
	folders map[string][]source
}{files: token.NewFileSet(), folders: make(map[string][]source)}

// source is a Go file.
type source struct {
	name   string
	parsed *ast.File
}

// parse returns the Go files of a folder whose names are wanted.
func parse(t *testing.T, folder string, wanted func(name string) bool) []*ast.File {
	t.Helper()
	sources.Lock()
	defer sources.Unlock()
	known, ok := sources.folders[folder]
	if !ok {
		known = parseFolder(t, folder)
		sources.folders[folder] = known
	}
	var files []*ast.File
	for _, file := range known {
		if wanted(file.name) {
			files = append(files, file.parsed)
		}
	}
	return files
}

func parseFolder(t *testing.T, folder string) []source {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	var found []source
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".go") {
			file, err := parser.ParseFile(sources.files, filepath.Join(folder, entry.Name()), nil,
				parser.SkipObjectResolution|parser.ParseComments)
			require.NoError(t, err)
			found = append(found, source{entry.Name(), file})
		}
	}
	return found
}

// position returns the place of a node of a file that parse returned.
func position(at token.Pos) token.Position { return sources.files.Position(at) }

func isTest(name string) bool { return strings.HasSuffix(name, "_test.go") }

func isCode(name string) bool { return !isTest(name) }

// importOf returns the import path of a package name in a file. It is empty if no import has the name.
func importOf(file *ast.File, name string) string {
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err == nil && (spec.Name != nil && spec.Name.Name == name || spec.Name == nil && filepath.Base(path) == name) {
			return path
		}
	}
	return ""
}

// selection is an expression pkg.Name with the package's import path.
type selection struct{ pkg, name string }

func selectionOf(file *ast.File, expression ast.Expr) selection {
	selector, ok := expression.(*ast.SelectorExpr)
	if !ok {
		return selection{}
	}
	pkg, ok := selector.X.(*ast.Ident)
	if !ok {
		return selection{}
	}
	return selection{importOf(file, pkg.Name), selector.Sel.Name}
}

// text returns the value of a string constant of one of the repository's packages.
func (s selection) text(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(root(t), strings.TrimPrefix(s.pkg, prefix))
	for _, file := range parse(t, folder, isCode) {
		for _, declaration := range file.Decls {
			if value, ok := constant(declaration, s.name); ok {
				return value
			}
		}
	}
	require.Fail(t, "no constant", "%s.%s", s.pkg, s.name)
	return ""
}

func constant(declaration ast.Decl, name string) (string, bool) {
	group, ok := declaration.(*ast.GenDecl)
	if !ok || group.Tok != token.CONST {
		return "", false
	}
	for _, spec := range group.Specs {
		values, ok := spec.(*ast.ValueSpec)
		if !ok || len(values.Names) != 1 || len(values.Values) != 1 || values.Names[0].Name != name {
			continue
		}
		if literal, ok := values.Values[0].(*ast.BasicLit); ok {
			value, err := strconv.Unquote(literal.Value)
			return value, err == nil
		}
	}
	return "", false
}
