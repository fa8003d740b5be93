package main

import (
	"fmt"
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
	for _, change := range sqlChanges {
		if !strings.Contains(text, change.needs) {
			continue
		}
		for _, at := range change.pattern.FindAllStringIndex(text, -1) {
			found := text[at[0]:at[1]]
			instead := strings.ReplaceAll(change.replacement, "$0", found)
			changed := text[:at[0]] + instead + text[at[1]:]
			name := fmt.Sprintf("SQL %q becomes %q after %q", found, instead, tail(text[:at[0]]))
			f.add(sqlTexts, n, f.fn, name, "mutantText($, ", ", "+strings.ReplaceAll(strconv.Quote(changed), "$", "\\x24")+")")
		}
	}
}

// tail returns the end of a text, which distinguishes two matches in one statement.
func tail(text string) string {
	const words = 5
	fields := strings.Fields(text)
	return strings.Join(fields[max(0, len(fields)-words):], " ")
}

// variables converts the constants whose text has mutants, and constants that depend on them, to variables.
func variables(files []*source) {
	changed := make(map[string]bool)
	for more := true; more; {
		more = false
		for _, s := range files {
			for _, decl := range s.file.Decls {
				if s.becomesVariable(decl, changed) {
					more = true
				}
			}
		}
	}
}

// becomesVariable converts a constant declaration to variables if that is necessary, and reports whether it did.
func (s *source) becomesVariable(decl ast.Decl, changed map[string]bool) bool {
	d, ok := decl.(*ast.GenDecl)
	if !ok || d.Tok != token.CONST || !s.hasMutant(d) && !refersTo(d, changed) {
		return false
	}
	start := s.offset(d.TokPos)
	if slices.ContainsFunc(s.swaps, func(w wrap) bool { return w.start == start }) {
		return false
	}
	s.swaps = append(s.swaps, wrap{start: start, end: start + len("const"), before: "var"})
	slices.SortFunc(s.swaps, func(a, b wrap) int { return a.start - b.start })
	for _, spec := range valuesOf(d) {
		for _, name := range spec.Names {
			changed[name.Name] = true
		}
	}
	return true
}

// valuesOf returns the specifications of a constant declaration.
func valuesOf(d *ast.GenDecl) (values []*ast.ValueSpec) {
	for _, spec := range d.Specs {
		if value, ok := spec.(*ast.ValueSpec); ok {
			values = append(values, value)
		}
	}
	return values
}

func (s *source) hasMutant(n ast.Node) bool {
	start, end := s.offset(n.Pos()), s.offset(n.End())
	return slices.ContainsFunc(s.wraps, func(w wrap) bool { return w.start >= start && w.end <= end })
}

func refersTo(d *ast.GenDecl, names map[string]bool) (refers bool) {
	for _, spec := range valuesOf(d) {
		for _, value := range spec.Values {
			ast.Inspect(value, func(n ast.Node) bool {
				name, ok := n.(*ast.Ident)
				refers = refers || ok && names[name.Name]
				return true
			})
		}
	}
	return refers
}
