package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// kind is the kind of code that an operator changes.
type kind string

const (
	conditions kind = "conditions" // negated
	operands   kind = "operands"   // operands of && and || without effect
	boundaries kind = "boundaries" // bounds of comparisons, moved by one
	statements kind = "statements" // dropped
	results    kind = "results"    // an error becomes nil, a boolean is negated
	// a row lock, SKIP LOCKED, a workspace predicate or ON CONFLICT DO NOTHING is removed
	sqlTexts kind = "sql"
)

// mutant is one change of one expression, statement or string of the code.
type mutant struct {
	ID     int
	Kind   kind
	File   string // relative to the root
	Line   int
	Func   string // "Relay.carry"; empty outside of functions
	Change string // the text before and after
}

func (m mutant) String() string {
	return fmt.Sprintf("%s:%d %s: %s", m.File, m.Line, m.Func, m.Change)
}

// wrap inserts text before and after a range of a file. Wraps nest. They contain no line breaks, so that line numbers
// do not change.
type wrap struct {
	mutant        *mutant
	start, end    int
	before, after string
	uses          []*mutant // of a swap: the mutants in the value of the name
}

// source is a file and its changes.
type source struct {
	path  string // relative to the root
	text  []byte
	fset  *token.FileSet
	file  *ast.File
	wraps []wrap
	// swaps replace ranges; they carry no mutant. A constant whose text changes becomes a variable, and its uses are noted.
	swaps []wrap
}

func parse(root, path string) (*source, error) {
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, err
	}
	return &source{path: path, text: text, fset: fset, file: file}, nil
}

func (s *source) offset(p token.Pos) int { return s.fset.Position(p).Offset }

func (s *source) textOf(n ast.Node) string {
	return string(s.text[s.offset(n.Pos()):s.offset(n.End())])
}

// add adds a mutant that wraps the node.
func (s *source) add(of kind, n ast.Node, fn, change, before, after string) {
	m := &mutant{Kind: of, File: s.path, Line: s.fset.Position(n.Pos()).Line, Func: fn, Change: change}
	s.wraps = append(s.wraps, wrap{
		mutant: m, start: s.offset(n.Pos()), end: s.offset(n.End()), before: before, after: after,
	})
}

// render returns the file with all mutants, each activated by its number.
func (s *source) render() []byte {
	outerFirst := slices.Clone(s.wraps)
	slices.SortStableFunc(outerFirst, func(a, b wrap) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	var out bytes.Buffer
	at := 0
	var open []wrap
	closeUntil := func(limit int) {
		for len(open) > 0 && open[len(open)-1].end <= limit {
			last := open[len(open)-1]
			open = open[:len(open)-1]
			s.copy(&out, at, last.end)
			at = max(at, last.end)
			out.WriteString(numbered(last.after, last.mutant))
		}
	}
	for _, w := range outerFirst {
		closeUntil(w.start)
		s.copy(&out, at, w.start)
		at = max(at, w.start)
		out.WriteString(numbered(w.before, w.mutant))
		open = append(open, w)
	}
	closeUntil(len(s.text))
	s.copy(&out, at, len(s.text))
	return out.Bytes()
}

// copy copies a range of the text with its swaps.
func (s *source) copy(out *bytes.Buffer, from, to int) {
	for _, w := range s.swaps {
		if w.start >= from && w.end <= to {
			out.Write(s.text[from:w.start])
			out.WriteString(w.replacement())
			from = w.end
		}
	}
	if from < to {
		out.Write(s.text[from:to])
	}
}

// replacement is the text of a swap. The mutants have their numbers by now; those that are not tried have none.
func (w wrap) replacement() string {
	numbers := ""
	for _, m := range w.uses {
		if m.ID > 0 {
			numbers += ", " + strconv.Itoa(m.ID)
		}
	}
	if numbers == "" {
		return w.before
	}
	return "mutantUse(" + w.before + numbers + ")"
}

// numbered puts the number of the mutant in the place of $.
func numbered(text string, m *mutant) string {
	return strings.ReplaceAll(text, "$", strconv.Itoa(m.ID))
}

// oneLine returns a text without line breaks, shortened for a report.
func oneLine(text string) string {
	const longest = 160
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > longest {
		return text[:longest] + "…"
	}
	return text
}

// sourcesOf reads the files of a package and finds their mutants.
func sourcesOf(root string, p listed) ([]*source, error) {
	dir, err := filepath.Rel(root, p.Dir)
	if err != nil {
		return nil, err
	}
	var files []*source
	for _, name := range p.GoFiles {
		s, err := parse(root, filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		find(s)
		if err := s.embedded(root); err != nil {
			return nil, err
		}
		files = append(files, s)
	}
	variables(files)
	return files, nil
}
