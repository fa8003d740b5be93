package problem_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/problem"
	"fencepost.internal/shared/kernel/apperr"
)

// declaredCodes reads the codes from the source of package apperr, so that the test covers new ones.
func declaredCodes(t *testing.T) []string {
	t.Helper()
	source, err := os.ReadFile("../../../shared/kernel/apperr/apperr.go")
	require.NoError(t, err)
	file, err := parser.ParseFile(token.NewFileSet(), "apperr.go", source, 0)
	require.NoError(t, err)
	var codes []string
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := spec.Type.(*ast.Ident); ok && name.Name == "Code" {
			literal, ok := spec.Values[0].(*ast.BasicLit)
			require.True(t, ok)
			code, err := strconv.Unquote(literal.Value)
			require.NoError(t, err)
			codes = append(codes, code)
		}
		return true
	})
	require.NotEmpty(t, codes)
	return codes
}

func TestEveryCodeHasKind(t *testing.T) {
	t.Parallel()
	var known []string
	for _, kind := range problem.Kinds() {
		known = append(known, string(kind.Code))
		require.Equal(t, kind, problem.KindOf(kind.Code))
		require.GreaterOrEqual(t, kind.Status, 400)
		require.NotEmpty(t, kind.Title)
		require.True(t, strings.HasSuffix(kind.Meaning, "."), kind.Meaning)
		require.NotEmpty(t, kind.Remedy)
		for _, text := range append(kind.Remedy, kind.Meaning) {
			require.Zero(t, strings.Count(text, "`")%2, text)
		}
		require.Regexp(t, `^[a-z]+(-[a-z]+)*$`, kind.Slug())
	}
	require.ElementsMatch(t, declaredCodes(t), known)
}

func TestUnknownCodesAreInternal(t *testing.T) {
	t.Parallel()
	require.Equal(t, apperr.Internal, problem.KindOf("SOMETHING_NEW").Code)
}

func TestDocument(t *testing.T) {
	t.Parallel()
	o := problem.Occurrence{BaseURL: "https://api.example.com", Path: "/v1/posts", RequestID: "r", Detail: "d"}
	got, err := json.Marshal(problem.New(problem.KindOf(apperr.NotFound), o))
	require.NoError(t, err)
	require.JSONEq(t, `{"type":"https://api.example.com/problems/not-found","title":"Not found","status":404,"detail":"d",
		"instance":"/v1/posts","code":"NOT_FOUND","requestId":"r"}`, string(got))

	o.Status = 431
	p := problem.New(problem.KindOf(apperr.PayloadTooLarge), o).WithFaults([]apperr.Field{{Pointer: "/a", Message: "b"}})
	p.SetHeader("Retry-After", "2")
	require.Equal(t, 431, p.GetStatus())
	require.Equal(t, "2", p.GetHeaders().Get("Retry-After"))
	require.Equal(t, []problem.Fault{{Pointer: "/a", Message: "b"}}, p.Errors)
	require.EqualError(t, p, "PAYLOAD_TOO_LARGE: d")
}

// TestTypesOfReferences compares the documented types with those of the domain.
func TestTypesOfReferences(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../../../shared/domain/media/files.go")
	require.NoError(t, err)
	field, _ := reflect.TypeFor[problem.Reference]().FieldByName("Type")
	found := regexp.MustCompile(`OwnerType = "([A-Z_]+)"`).FindAllSubmatch(source, -1)
	var types []string
	for _, one := range found {
		types = append(types, string(one[1]))
	}
	require.ElementsMatch(t, types, regexp.MustCompile(`[A-Z][A-Z_]+`).FindAllString(field.Tag.Get("doc"), -1))
	require.Contains(t, types, field.Tag.Get("example"))
}
