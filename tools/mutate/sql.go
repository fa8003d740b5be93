package main

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// sqlChanges lists the clauses that are removed from SQL strings.
var sqlChanges = []struct {
	pattern     *regexp.Regexp
	replacement string
	needs       string // a word that the string must contain
}{
	{regexp.MustCompile(`\bFOR (NO KEY )?(UPDATE|SHARE|KEY SHARE)( OF \w+(, \w+)*)?( SKIP LOCKED| NOWAIT)?`), "", ""},
	{regexp.MustCompile(`\bSKIP LOCKED\b`), "", ""},
	{regexp.MustCompile(`(\w+\.)?\bworkspace_id = (\?|@\w+|\$\d+|\w+\.workspace_id)`), "($0 OR TRUE)", ""},
	{regexp.MustCompile(`\bON CONFLICT( \([a-z_, ]+\))? DO NOTHING`), "", "INSERT"},
}

// sql finds the mutants of a string that contains SQL, one for each match.
func (f finder) sql(n *ast.BasicLit) {
	if n.Kind != token.STRING {
		return
	}
	text, err := strconv.Unquote(n.Value)
	if err != nil {
		return
	}
	for _, one := range sqlMutants(text) {
		f.add(sqlTexts, n, f.fn, one.name, f.textSwitch(), ", "+quoted(one.changed)+")")
	}
}

// tail returns the end of a text, which distinguishes two matches in one statement.
func tail(text string) string {
	const words = 5
	fields := strings.Fields(text)
	return strings.Join(fields[max(0, len(fields)-words):], " ")
}

// textSwitch is the call that switches a text. That of an initial value is made by every test, whichever it needs.
func (f finder) textSwitch() string {
	if f.initial {
		return "mutantConst($, "
	}
	return "mutantText($, "
}

// values are the names of a package's constants and variables whose text has mutants, and of those made of them.
type values map[string][]*mutant

// variables turns constants whose text has mutants into variables, and has their uses in functions note those mutants.
func variables(files []*source) {
	found := make(values)
	for more := true; more; {
		more = false
		for _, s := range files {
			for _, spec := range specsOf(s.file) {
				more = s.collect(spec, found) || more
			}
		}
	}
	for _, s := range files {
		s.rewrite(found)
	}
}

// specsOf are the declarations of a file's constants and variables.
func specsOf(file *ast.File) (specs []*ast.ValueSpec) {
	for _, decl := range file.Decls {
		if d, ok := decl.(*ast.GenDecl); ok {
			specs = append(specs, valuesOf(d)...)
		}
	}
	return specs
}

// collect adds the mutants of a declaration to its names, and reports whether there were new ones.
func (s *source) collect(spec *ast.ValueSpec, found values) (more bool) {
	mutants := s.mutantsOf(spec)
	for _, value := range spec.Values {
		eachUse(value, found, func(_ *ast.Ident, of []*mutant) { mutants = append(mutants, of...) })
	}
	for _, name := range spec.Names {
		for _, m := range mutants {
			if !slices.Contains(found[name.Name], m) {
				found[name.Name], more = append(found[name.Name], m), true
			}
		}
	}
	return more
}

// mutantsOf are the mutants of texts in a declaration; those in functions are reached when the function runs.
func (s *source) mutantsOf(n ast.Node) (mutants []*mutant) {
	start, end := s.offset(n.Pos()), s.offset(n.End())
	for _, w := range s.wraps {
		if w.start >= start && w.end <= end && strings.HasPrefix(w.before, "mutantConst(") {
			mutants = append(mutants, w.mutant)
		}
	}
	return mutants
}

// eachUse calls do for each name in the code that refers to one of the values. Fields of other types may have the same name.
func eachUse(n ast.Node, found values, do func(name *ast.Ident, mutants []*mutant)) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			eachUse(n.X, found, do)
			return false
		case *ast.Ident:
			if mutants := found[n.Name]; len(mutants) > 0 {
				do(n, mutants)
			}
		}
		return true
	})
}

func (s *source) rewrite(found values) {
	for _, decl := range s.file.Decls {
		switch d := decl.(type) {
		case *ast.GenDecl:
			s.unfix(d, found)
		case *ast.FuncDecl:
			if d.Body != nil {
				eachUse(d.Body, found, func(name *ast.Ident, mutants []*mutant) {
					s.swaps = append(s.swaps, wrap{
						start: s.offset(name.Pos()), end: s.offset(name.End()), before: name.Name, uses: mutants,
					})
				})
			}
		}
	}
	slices.SortFunc(s.swaps, func(a, b wrap) int { return a.start - b.start })
}

// unfix turns a declaration of constants into one of variables, if one of them is found to have mutants.
func (s *source) unfix(d *ast.GenDecl, found values) {
	changes := func(spec *ast.ValueSpec) bool {
		return slices.ContainsFunc(spec.Names, func(name *ast.Ident) bool { return len(found[name.Name]) > 0 })
	}
	if d.Tok == token.CONST && slices.ContainsFunc(valuesOf(d), changes) {
		start := s.offset(d.TokPos)
		s.swaps = append(s.swaps, wrap{start: start, end: start + len("const"), before: "var"})
	}
}

// valuesOf are the specifications of constants or variables in a declaration.
func valuesOf(d *ast.GenDecl) (values []*ast.ValueSpec) {
	for _, spec := range d.Specs {
		if value, ok := spec.(*ast.ValueSpec); ok {
			values = append(values, value)
		}
	}
	return values
}
