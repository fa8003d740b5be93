package structure_test

import (
	"encoding/json"
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/ident"
)

const (
	linkPages     = "shared/domain/linkpage"
	pageTemplates = "services/internal/render/templates"
)

// blockFile returns the name of the file of a block type, in the domain or among the templates.
func blockFile(t linkpage.BlockType, extension string) string {
	return "block_" + strings.ToLower(string(t)) + extension
}

// TestEveryBlockTypeIsComplete checks that every declared block type has its file, its descriptor, its template and its
// row in the documentation, and that no file belongs to an undeclared type.
func TestEveryBlockTypeIsComplete(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root(t), "docs", "link-pages.md"))
	require.NoError(t, err)
	declared := blockConstants(t)
	require.Len(t, declared, len(linkpage.Descriptors()))
	var files, templates []string
	for name, constant := range declared {
		descriptor, known := linkpage.DescriptorOf(constant.value)
		require.True(t, known, "%s has no line in descriptor.go", name)
		require.Equal(t, blockFile(constant.value, ".go"), constant.file, "the file of %s", name)
		requireDocumented(t, descriptor.Fields, name)
		text, err := os.ReadFile(filepath.Join(root(t), pageTemplates, blockFile(constant.value, ".html")))
		require.NoError(t, err)
		require.Contains(t, string(text), `{{define "`+string(constant.value)+`"}}`)
		_, row, found := strings.Cut(string(page), "| `"+string(constant.value)+"` |")
		require.True(t, found, "docs/link-pages.md has no row for %s; run make generate", name)
		row, _, _ = strings.Cut(row, "\n")
		for _, f := range descriptor.Fields {
			require.Contains(t, row, f.Name)
		}
		files = append(files, constant.file)
		templates = append(templates, blockFile(constant.value, ".html"))
	}
	require.ElementsMatch(t, files, blockFiles(t, linkPages, isCode))
	require.ElementsMatch(t, templates, blockFiles(t, pageTemplates, isCode))
}

// requireDocumented checks the declaration of every field: the documentation and the samples of tests derive from it.
func requireDocumented(t *testing.T, fields []linkpage.Field, name string) {
	t.Helper()
	require.NotEmpty(t, fields, name)
	for _, f := range fields {
		require.NotEmpty(t, f.Name, name)
		require.NotEmpty(t, f.Doc, "%s %s", name, f.Name)
		switch f.Kind {
		case linkpage.KindTime, linkpage.KindImage, linkpage.KindPost:
		case linkpage.KindList:
			require.Positive(t, f.Max, "%s %s", name, f.Name)
			requireDocumented(t, f.Items, name+" "+f.Name)
		case linkpage.KindLine, linkpage.KindText, linkpage.KindAddress, linkpage.KindAmount, linkpage.KindCurrency,
			linkpage.KindNumber:
			require.Positive(t, f.Max, "%s %s", name, f.Name)
			fallthrough
		case linkpage.KindChoice, linkpage.KindFlag:
			require.NotNil(t, f.Example, "%s %s", name, f.Name)
		}
	}
}

// blockFiles returns the names of the files of block types in a folder.
func blockFiles(t *testing.T, folder string, wanted func(name string) bool) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root(t), folder, "block_*"))
	require.NoError(t, err)
	var names []string
	for _, path := range paths {
		if name := filepath.Base(path); wanted(name) {
			names = append(names, name)
		}
	}
	return names
}

type blockConstant struct {
	value linkpage.BlockType
	file  string
}

// blockConstants returns the constants of type BlockType, by name.
func blockConstants(t *testing.T) map[string]blockConstant {
	t.Helper()
	found := make(map[string]blockConstant)
	for _, file := range parse(t, filepath.Join(root(t), linkPages), isCode) {
		for _, declaration := range file.Decls {
			group, ok := declaration.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			for _, spec := range group.Specs {
				values, _ := spec.(*ast.ValueSpec)
				if kind, ok := values.Type.(*ast.Ident); ok && kind.Name == "BlockType" {
					value, ok := constant(group, values.Names[0].Name)
					require.True(t, ok, values.Names[0].Name)
					name := filepath.Base(position(values.Pos()).Filename)
					found[values.Names[0].Name] = blockConstant{linkpage.BlockType(value), name}
				}
			}
		}
	}
	return found
}

// examples returns the files and folders whose content has blocks of certain types by nature: example data and load.
func examples() []string {
	return []string{
		"services/admin/internal/seed", "services/api/internal/httpapi/examples_linkpages.go",
	}
}

// TestNoOtherFileNamesBlockType checks that a block type can be added without a change of other files: no file names
// the constant of a type, no code its settings or its name, and no template its name.
func TestNoOtherFileNamesBlockType(t *testing.T) {
	t.Parallel()
	constants := blockConstants(t)
	settings := settingsTypes(t)
	folder := root(t)
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules"
		if entry.IsDir() && hidden && path != folder {
			return filepath.SkipDir
		}
		name, err := filepath.Rel(folder, path)
		require.NoError(t, err)
		if strings.HasSuffix(name, ".go") {
			requireNoBlockType(t, name, constants, settings)
		}
		return nil
	}))
	for _, d := range linkpage.Descriptors() {
		templates, err := filepath.Glob(filepath.Join(folder, pageTemplates, "*.html"))
		require.NoError(t, err)
		for _, path := range templates {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			if filepath.Base(path) != blockFile(d.Type, ".html") {
				require.NotContains(t, string(text), `"`+string(d.Type)+`"`, path)
			}
		}
	}
}

// settingsTypes returns the name of the Go type of every type's settings.
func settingsTypes(t *testing.T) []string {
	t.Helper()
	var names []string
	sampling := linkpage.Sampling{Post: ident.New[ident.Post](), Time: "2026-03-01T09:00:00Z"}
	for _, sample := range linkpage.Samples(sampling) {
		settings, err := linkpage.ReadSettings(sample.Type, sample.Settings)
		require.NoError(t, err)
		stored, err := json.Marshal(settings)
		require.NoError(t, err)
		require.NotEqual(t, "{}", string(stored))
		names = append(names, reflect.TypeOf(settings).Name())
	}
	return names
}

// requireNoBlockType checks a file of Go code. Tests may name types by their settings and their names, because they
// test the rules of one type.
func requireNoBlockType(t *testing.T, path string, constants map[string]blockConstant, settings []string) {
	t.Helper()
	of := filepath.Dir(path) == linkPages
	if of && strings.HasPrefix(filepath.Base(path), "block_") || strings.HasSuffix(path, ".gen.go") {
		return
	}
	folder, base := filepath.Split(path)
	file := parse(t, filepath.Join(root(t), folder), func(name string) bool { return name == base })[0]
	name := importName(file, prefix+linkPages)
	if !of && name == "" {
		return
	}
	free := isTest(path) || slices.ContainsFunc(examples(), func(e string) bool { return within(path, e) })
	ast.Inspect(file, func(n ast.Node) bool {
		switch node := n.(type) {
		case *ast.Ident:
			if _, named := constants[node.Name]; of && named {
				require.Fail(t, "a block type is named", "%s names %s", position(node.Pos()), node.Name)
			}
		case *ast.SelectorExpr:
			if from, ok := node.X.(*ast.Ident); ok && from.Name == name {
				_, named := constants[node.Sel.Name]
				if named || !free && slices.Contains(settings, node.Sel.Name) {
					require.Fail(t, "a block type is named", "%s names linkpage.%s", position(node.Pos()), node.Sel.Name)
				}
			}
		case *ast.BasicLit:
			if text, err := strconv.Unquote(node.Value); err == nil && node.Kind == token.STRING && !free &&
				linkpage.BlockType(text).Known() {
				require.Fail(t, "a block type is named", "%s names %s", position(node.Pos()), text)
			}
		}
		return true
	})
}

// importName returns the name under which a file imports a package. It is empty if the file does not import it.
func importName(file *ast.File, path string) string {
	for _, spec := range file.Imports {
		if spec.Path.Value != strconv.Quote(path) {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return filepath.Base(path)
	}
	return ""
}
