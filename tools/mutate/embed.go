package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	embedDirective = "//go:embed "
	sqlFile        = ".sql"
)

// embedded finds the mutants of the SQL files that the file embeds, one file per string variable. Such a variable gets
// the text as its initial value, because an embedded file cannot change while a program runs.
func (s *source) embedded(root string) error {
	for _, decl := range s.file.Decls {
		d, ok := decl.(*ast.GenDecl)
		if !ok || d.Tok != token.VAR {
			continue
		}
		for _, spec := range valuesOf(d) {
			if err := s.embeddedIn(root, d, spec); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *source) embeddedIn(root string, d *ast.GenDecl, spec *ast.ValueSpec) error {
	directive := directiveOf(d, spec)
	if directive == nil || spec.Type == nil || s.textOf(spec.Type) != "string" {
		return nil
	}
	path := filepath.Join(filepath.Dir(s.path), strings.TrimSpace(strings.TrimPrefix(directive.Text, embedDirective)))
	if filepath.Ext(path) != sqlFile {
		return nil
	}
	raw, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		return err
	}
	text := string(raw)
	found := sqlMutants(text)
	if len(found) == 0 {
		return nil
	}
	start, end := s.offset(spec.Type.Pos()), s.offset(spec.Type.End())
	for _, one := range found {
		m := &mutant{Kind: sqlTexts, File: path, Line: 1 + strings.Count(text[:one.at], "\n"), Change: one.name}
		s.wraps = append(s.wraps, wrap{
			mutant: m, start: start, end: end, before: "mutantConst($, ", after: ", " + quoted(one.changed) + ")",
		})
	}
	// The directive would embed the file after the initial value was set. Line breaks stay where they are.
	s.swaps = append(s.swaps,
		wrap{start: s.offset(directive.Pos()), end: s.offset(directive.End()), before: "// " + path},
		wrap{start: s.offset(spec.Names[0].End()), end: start, before: " = "},
		wrap{start: start, end: end, before: strconv.Quote(text)},
	)
	return nil
}

// directiveOf returns the go:embed directive of a variable; nil if it has none.
func directiveOf(d *ast.GenDecl, spec *ast.ValueSpec) *ast.Comment {
	for _, doc := range []*ast.CommentGroup{spec.Doc, d.Doc} {
		if doc == nil {
			continue
		}
		for _, comment := range doc.List {
			if strings.HasPrefix(comment.Text, embedDirective) {
				return comment
			}
		}
	}
	return nil
}

// sqlMutant is a changed SQL text.
type sqlMutant struct {
	at      int // the offset of the changed clause
	name    string
	changed string
}

// sqlMutants returns the mutants of an SQL text, one for each clause. Comments have none.
func sqlMutants(text string) (found []sqlMutant) {
	for _, change := range sqlChanges {
		// A clause of a query that is built in parts is a string of its own.
		if !strings.Contains(text, change.needs) && !strings.HasPrefix(text, "ON CONFLICT") {
			continue
		}
		for _, at := range change.pattern.FindAllStringIndex(text, -1) {
			if commented(text[:at[0]]) {
				continue
			}
			clause := text[at[0]:at[1]]
			instead := strings.ReplaceAll(change.replacement, "$0", clause)
			found = append(found, sqlMutant{
				at: at[0], name: fmt.Sprintf("SQL %q becomes %q after %q", clause, instead, tail(text[:at[0]])),
				changed: text[:at[0]] + instead + text[at[1]:],
			})
		}
	}
	return found
}

// commented reports whether the text ends within a comment.
func commented(text string) bool {
	return strings.Contains(text[strings.LastIndex(text, "\n")+1:], "--")
}

// quoted returns the text as a Go string without the character that numbered replaces.
func quoted(text string) string { return strings.ReplaceAll(strconv.Quote(text), "$", "\\x24") }
