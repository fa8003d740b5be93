package main

import (
	"go/ast"
	"go/token"
	"strings"
)

// finder finds the mutants of a file. The kinds are its operators. It skips statements that only log, and defer
// cancel(), because no test should depend on them.
type finder struct {
	*source
	fn string
	// initial says that the code is the initial value of a package's constant or variable.
	initial bool
}

func find(s *source) {
	for _, decl := range s.file.Decls {
		f := finder{source: s, fn: nameOf(decl)}
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Body != nil {
				f.function(d.Type, d.Body)
			}
		case *ast.GenDecl:
			f.initial = true
			ast.Inspect(d, f.visit(nil))
		}
	}
}

func nameOf(decl ast.Decl) string {
	fn, ok := decl.(*ast.FuncDecl)
	if !ok {
		return ""
	}
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	receiver := fn.Recv.List[0].Type
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver = star.X
	}
	if generic, ok := receiver.(*ast.IndexExpr); ok {
		receiver = generic.X
	}
	if name, ok := receiver.(*ast.Ident); ok {
		return name.Name + "." + fn.Name.Name
	}
	return fn.Name.Name
}

// function finds the mutants of a function's body; those of functions in it are found with their own result types.
func (f finder) function(typ *ast.FuncType, body *ast.BlockStmt) {
	inner := finder{source: f.source, fn: f.fn}
	ast.Inspect(body, inner.visit(typ))
}

func (f finder) visit(typ *ast.FuncType) func(ast.Node) bool {
	return func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			f.function(n.Type, n.Body)
			return false
		case *ast.BlockStmt:
			f.drops(n.List)
		case *ast.CaseClause:
			f.drops(n.Body)
		case *ast.CommClause:
			f.drops(n.Body)
		case *ast.IfStmt:
			f.condition("if", n.Cond)
		case *ast.ForStmt:
			if n.Cond != nil {
				f.condition("for", n.Cond)
			}
		case *ast.SwitchStmt:
			if n.Tag == nil {
				f.cases(n)
			}
		case *ast.BinaryExpr:
			f.operator(n)
		case *ast.ReturnStmt:
			f.returned(typ, n)
		case *ast.BasicLit:
			f.sql(n)
		case *ast.ImportSpec:
			return false
		}
		return true
	}
}

func (f finder) cases(s *ast.SwitchStmt) {
	for _, clause := range s.Body.List {
		if c, ok := clause.(*ast.CaseClause); ok {
			for _, condition := range c.List {
				f.condition("case", condition)
			}
		}
	}
}

// condition negates a condition.
func (f finder) condition(keyword string, n ast.Expr) {
	f.add(conditions, n, f.fn, keyword+" "+oneLine(f.textOf(n))+": negated", "((", ") != mutantOn($))")
}

func (f finder) operator(n *ast.BinaryExpr) {
	whole := oneLine(f.textOf(n))
	switch n.Op { //nolint:exhaustive // the other operators have no mutants
	case token.LAND:
		f.chain(n, whole, "((", ") || mutantOn($))")
	case token.LOR:
		f.chain(n, whole, "((", ") && !mutantOn($))")
	case token.LSS, token.GTR:
		f.boundary(n, whole, " || mutantOn($) && ", "=")
	case token.LEQ, token.GEQ:
		f.boundary(n, whole, " && !mutantOn($) || ", "")
	}
}

// chain removes each operand of a chain of && or ||.
func (f finder) chain(n *ast.BinaryExpr, whole, before, after string) {
	for _, operand := range []ast.Expr{n.X, n.Y} {
		if inner, ok := operand.(*ast.BinaryExpr); ok && inner.Op == n.Op {
			continue // its operands are removed one by one
		}
		f.add(operands, operand, f.fn, whole+": without "+oneLine(f.textOf(operand)), before, after)
	}
}

// boundary moves the boundary of a comparison by one.
func (f finder) boundary(n *ast.BinaryExpr, whole, join, equal string) {
	left, right := f.textOf(n.X), f.textOf(n.Y)
	if strings.Contains(whole, "\n") || strings.Contains(left+right, "\n") {
		return
	}
	strict := strings.TrimSuffix(n.Op.String(), "=")
	changed := "(" + left + ") " + strict + equal + " (" + right + ")"
	f.add(boundaries, n, f.fn, whole+": "+strict+equal, "(", join+changed+")")
}

func (f finder) drops(list []ast.Stmt) {
	for _, n := range list {
		if f.droppable(n) {
			f.add(statements, n, f.fn, "drop "+oneLine(f.textOf(n)), "if !mutantOn($) { ", " }")
		}
	}
}

func (f finder) droppable(n ast.Stmt) bool {
	switch n := n.(type) {
	case *ast.ExprStmt:
		return !f.logs(n.X) && !strings.HasPrefix(f.textOf(n), "panic(")
	case *ast.AssignStmt:
		return n.Tok != token.DEFINE && !blank(n.Lhs)
	case *ast.DeferStmt:
		return f.textOf(n) != "defer cancel()"
	case *ast.IncDecStmt, *ast.SendStmt, *ast.GoStmt:
		return true
	default:
		return false
	}
}

func (f finder) logs(n ast.Expr) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return false
	}
	callee := f.textOf(call.Fun)
	return strings.Contains(callee, "Logger.") || strings.Contains(callee, "logger.") || strings.HasPrefix(callee, "log.")
}

func blank(list []ast.Expr) bool {
	for _, n := range list {
		if name, ok := n.(*ast.Ident); !ok || name.Name != "_" {
			return false
		}
	}
	return true
}

// returned changes the results of a return statement: its error, or a boolean that is computed in the statement.
func (f finder) returned(typ *ast.FuncType, n *ast.ReturnStmt) {
	if typ == nil || typ.Results == nil || len(n.Results) != typ.Results.NumFields() || len(n.Results) == 0 {
		return
	}
	for _, result := range n.Results {
		if isBoolean(result) {
			f.add(results, result, f.fn, "return "+oneLine(f.textOf(result))+": negated", "((", ") != mutantOn($))")
		}
	}
	last := n.Results[len(n.Results)-1]
	of, ok := typ.Results.List[len(typ.Results.List)-1].Type.(*ast.Ident)
	if _, plain := last.(*ast.Ident); !ok || of.Name != "error" || plain {
		return
	}
	f.add(results, last, f.fn, "return "+oneLine(f.textOf(last))+": nil", "mutantNil($, ", ")")
}

// isBoolean reports whether the expression's syntax shows that it is a boolean.
func isBoolean(n ast.Expr) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		switch n.Op { //nolint:exhaustive // no other operator returns a boolean
		case token.EQL, token.NEQ, token.LSS, token.GTR, token.LEQ, token.GEQ, token.LAND, token.LOR:
			return true
		}
	case *ast.UnaryExpr:
		return n.Op == token.NOT
	case *ast.ParenExpr:
		return isBoolean(n.X)
	case *ast.Ident:
		return n.Name == "true" || n.Name == "false"
	}
	return false
}
