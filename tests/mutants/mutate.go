package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/open-policy-agent/opa/v1/ast"
)

// A change of one rule. number tells the changes of a rule apart: they are found in the same order in every copy of it.
type mutant struct {
	rule     *ast.Rule
	inside   string // the file, below the rules
	line     int
	number   int
	operator string
	text     string
}

// The package and the rule, without the line, which changes with every edit above it.
func (m *mutant) name() string {
	return m.rule.Module.Package.Path.String()[len("data."):] + "." + m.rule.Head.Ref().String()
}

// The rule with the change; nothing where the change is that the rule is gone.
func (m *mutant) mutated() *ast.Rule {
	changed := m.rule.Copy()
	gone := false
	each(changed, func(c change) {
		if c.number == m.number {
			gone = c.operator == whole
			c.apply()
		}
	})
	if gone {
		return nil
	}
	return changed
}

const whole = "rule removed"

type change struct {
	number         int
	operator, text string
	line           int
	apply          func()
}

// What an operator becomes: its neighbour, where a boundary may be wrong, and its opposite.
var calls = map[string][]string{
	"lt": {"lte", "gte"}, "lte": {"lt", "gt"}, "gt": {"gte", "lte"}, "gte": {"gt", "lt"},
	"equal": {"neq"}, "neq": {"equal"},
	"plus": {"minus"}, "minus": {"plus"}, "mul": {"div"}, "div": {"mul"},
	"floor": {"ceil"}, "ceil": {"floor"}, "min": {"max"}, "max": {"min"},
	"startswith": {"endswith"}, "endswith": {"startswith"}, "and": {"or"}, "or": {"and"},
}

// Words that lead to another verdict.
var words = map[string]string{
	"error": "warning", "warning": "info", "info": "warning",
	"deny": "warn", "warn": "audit", "audit": "deny",
}

type walker struct {
	visit func(change)
	count int
	// Numbers of which one more means the same.
	beyond map[*ast.Term]bool
}

// Calls visit for every change of a rule, in the same order for every copy of it.
func each(rule *ast.Rule, visit func(change)) {
	w := &walker{visit: visit, beyond: map[*ast.Term]bool{}}
	w.found(whole, rule.Location, rule.Head.String(), func() {})
	for r := rule; r != nil; r = r.Else {
		if next := r; next.Else != nil {
			w.found("else removed", next.Else.Location, "else", func() { next.Else = nil })
		}
		w.body(&r.Body, defined(r.Head.Key, r.Head.Value)...)
		if r.Head.Key != nil {
			w.term(r.Head.Key)
		}
		if r.Head.Value != nil {
			w.term(r.Head.Value)
		}
	}
}

func (w *walker) found(operator string, at *ast.Location, text string, apply func()) {
	line := 0
	if at != nil {
		line = at.Row
	}
	w.visit(change{w.count, operator, text, line, apply})
	w.count++
}

// made are the terms that follow from the body.
func (w *walker) body(body *ast.Body, made ...*ast.Term) {
	exprs := *body
	maps.Copy(w.beyond, limits(exprs, made))
	for i, expr := range exprs {
		if generated(expr) {
			continue
		}
		same := implied(exprs, expr, made)
		if !same {
			w.found("condition removed", expr.Location, expr.String()+" → true", func() {
				*exprs[i] = ast.Expr{Terms: ast.BooleanTerm(true).SetLocation(expr.Location), Location: expr.Location, Index: expr.Index}
			})
		}
		_, declares := expr.Terms.(*ast.SomeDecl)
		if !declares && !expr.IsAssignment() {
			opposite := "not " + expr.String()
			if expr.Negated {
				opposite = opposite[len("not not "):]
			}
			w.found("not", expr.Location, expr.String()+" → "+opposite, func() { expr.Negated = !expr.Negated })
		}
		own := &walker{count: w.count, beyond: w.beyond, visit: func(c change) {
			if !same || c.operator != "gt → gte" {
				w.visit(c)
			}
		}}
		own.expr(expr)
		w.count = own.count
	}
}

func defined(terms ...*ast.Term) []*ast.Term {
	return slices.DeleteFunc(terms, func(term *ast.Term) bool { return term == nil })
}

// A head without a body has the body `true`.
func generated(expr *ast.Expr) bool {
	term, ok := expr.Terms.(*ast.Term)
	return ok && term.Equal(ast.BooleanTerm(true))
}

func (w *walker) expr(expr *ast.Expr) {
	switch terms := expr.Terms.(type) {
	case *ast.Term:
		w.term(terms)
	case []*ast.Term:
		w.call(terms, expr.Location, expr.String)
	case *ast.SomeDecl:
		for _, symbol := range terms.Symbols {
			w.term(symbol)
		}
	case *ast.Every:
		w.term(terms.Domain)
		w.body(&terms.Body)
	}
	for _, with := range expr.With {
		w.term(with.Value)
	}
}

func (w *walker) call(terms []*ast.Term, at *ast.Location, text func() string) {
	name := terms[0].String()
	for _, other := range calls[name] {
		w.found(name+" → "+other, at, text()+" → "+other, func() {
			terms[0] = ast.NewTerm(ast.Ref{ast.VarTerm(other)}).SetLocation(terms[0].Location)
		})
	}
	for _, operand := range terms[1:] {
		// Of count([1 | …]) nobody sees what is counted.
		if counted, ok := operand.Value.(*ast.ArrayComprehension); ok && name == "count" && ast.IsConstant(counted.Term.Value) {
			w.body(&counted.Body)
			continue
		}
		w.term(operand)
	}
}

func (w *walker) term(term *ast.Term) {
	at := term.Location
	switch value := term.Value.(type) {
	case ast.Number:
		for _, step := range []int64{1, -1} {
			if n, ok := value.Int64(); ok && (n > 0 || step > 0) && !(step > 0 && w.beyond[term]) {
				changed := ast.Number(json.Number(strconv.FormatInt(n+step, 10)))
				w.found("constant", at, fmt.Sprintf("%v → %v", value, changed), func() { term.Value = changed })
			}
		}
	case ast.Boolean:
		w.found("boolean", at, fmt.Sprintf("%v → %v", value, !value), func() { term.Value = !value })
	case ast.String:
		if other, ok := words[string(value)]; ok {
			w.found("word", at, fmt.Sprintf("%v → %q", value, other), func() { term.Value = ast.String(other) })
		}
	case ast.Call:
		w.call(value, at, value.String)
	case ast.Ref:
		for i, part := range value {
			if _, name := part.Value.(ast.String); i > 0 && !name {
				w.term(part)
			}
		}
	case *ast.Array:
		var members []*ast.Term
		value.Foreach(func(member *ast.Term) { members = append(members, member) })
		w.members("array", term, members, func(rest []*ast.Term) ast.Value { return ast.NewArray(rest...) })
	case ast.Set:
		w.members("set", term, value.Slice(), func(rest []*ast.Term) ast.Value { return ast.NewSet(rest...) })
	case ast.Object:
		// A value is changed in place: objects are sorted and hashed by their keys, and the hash is renewed when the term is copied.
		value.Foreach(func(_, member *ast.Term) { w.within(term, member) })
	case *ast.ArrayComprehension:
		w.body(&value.Body, value.Term)
		w.term(value.Term)
	case *ast.SetComprehension:
		w.body(&value.Body, value.Term)
		w.term(value.Term)
	case *ast.ObjectComprehension:
		w.body(&value.Body, value.Value)
		w.term(value.Value)
	}
}

// The members of a collection, each changed and each left out.
func (w *walker) members(of string, term *ast.Term, members []*ast.Term, build func([]*ast.Term) ast.Value) {
	for i, member := range members {
		if len(members) > 1 && of == "set" {
			w.found("member removed", term.Location, fmt.Sprintf("%v without %v", term, member), func() {
				term.Value = build(append(append([]*ast.Term{}, members[:i]...), members[i+1:]...))
			})
		}
		w.within(term, member)
	}
}

// A term within a collection, which keeps its hash: rebuilt after the change.
func (w *walker) within(outer, inner *ast.Term) {
	own := &walker{count: w.count, beyond: w.beyond}
	own.visit = func(c change) {
		apply := c.apply
		c.apply = func() {
			apply()
			outer.Value = rebuilt(outer.Value)
		}
		w.visit(c)
	}
	own.term(inner)
	w.count = own.count
}

func rebuilt(value ast.Value) ast.Value {
	switch value := value.(type) {
	case *ast.Array:
		var members []*ast.Term
		value.Foreach(func(member *ast.Term) { members = append(members, member) })
		return ast.NewArray(members...)
	case ast.Set:
		return ast.NewSet(value.Slice()...)
	case ast.Object:
		var members [][2]*ast.Term
		value.Foreach(func(key, member *ast.Term) { members = append(members, [2]*ast.Term{key, member}) })
		return ast.NewObject(members...)
	}
	return value
}
