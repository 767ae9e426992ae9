package main

import (
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/types"
)

// Conditions that say nothing more than what stands beside them: without them a rule means the same, wherever it stands. They are there
// for readers, or for engines that end where OPA goes on with undefined.

// What a value is of which a builtin holds.
var kinds = map[string]types.Type{
	"is_string": types.S, "is_number": types.N, "is_boolean": types.B,
	"is_object": types.NewObject(nil, types.NewDynamicProperty(types.A, types.A)),
}

// Whether the rest of a body, or what is made of it, is undefined of whatever is excluded by one of its conditions.
func implied(body ast.Body, condition *ast.Expr, made []*ast.Term) bool {
	if condition.Negated || !condition.IsCall() || len(condition.With) > 0 {
		return false
	}
	needed := func(a asker) bool {
		for _, expr := range body {
			if expr != condition && a.expression(expr) {
				return true
			}
		}
		return slices.ContainsFunc(made, a.within)
	}
	name := condition.Operator().String()
	// is_string(x), where regex.match(…, x) is undefined of all others.
	if kind, ok := kinds[name]; ok {
		return needed(asker{condition.Operand(0), func(call []*ast.Term, operand int) bool {
			builtin := ast.BuiltinMap[call[0].String()]
			// regex.is_valid and the like are false of what they cannot read.
			if builtin == nil || strings.HasSuffix(builtin.Name, "is_valid") || operand >= builtin.Decl.Arity() {
				return false
			}
			return types.Compare(bare(builtin.Decl.FuncArgs().Args[operand]), kind) == 0
		}, false})
	}
	// count(x) > 0, where some y in x, max(x) or x[0] is undefined of nothing.
	if counted := filled(condition); counted != nil {
		return needed(asker{counted, func(call []*ast.Term, operand int) bool {
			return ofMembers[call[0].String()] && operand == len(call)-2
		}, true})
	}
	return false
}

// What is undefined of a collection without members, its last operand.
var ofMembers = map[string]bool{"max": true, "min": true, "internal.member_2": true, "internal.member_3": true}

func bare(of types.Type) types.Type {
	if named, ok := of.(*types.NamedType); ok {
		return named.Type
	}
	return of
}

// x of count(x) > 0.
func filled(condition *ast.Expr) *ast.Term {
	if condition.Operator().String() != "gt" || !condition.Operand(1).Equal(ast.IntNumberTerm(0)) {
		return nil
	}
	if call, ok := condition.Operand(0).Value.(ast.Call); ok && call[0].String() == "count" {
		return call[1]
	}
	return nil
}

// Looks for a term where it is needed, in places that are evaluated whenever an expression is.
type asker struct {
	term  *ast.Term
	needs func(call []*ast.Term, operand int) bool
	// x[0] needs x.
	member bool
}

func (a asker) expression(expr *ast.Expr) bool {
	if len(expr.With) > 0 {
		return false
	}
	switch terms := expr.Terms.(type) {
	case *ast.Term:
		return !expr.Negated && a.within(terms)
	case []*ast.Term:
		if expr.Negated {
			// not f(x[0]) is undefined where x[0] is.
			return slices.ContainsFunc(terms[1:], a.begins)
		}
		return a.call(terms)
	case *ast.SomeDecl:
		return len(terms.Symbols) == 1 && a.within(terms.Symbols[0])
	}
	return false
}

func (a asker) call(terms []*ast.Term) bool {
	for i, operand := range terms[1:] {
		if operand.Equal(a.term) && a.needs(terms, i) || a.within(operand) {
			return true
		}
	}
	// max([… | some y in x]) is undefined where the comprehension is empty.
	return ofMembers[terms[0].String()] && a.fills(terms[len(terms)-1])
}

func (a asker) within(of *ast.Term) bool {
	switch value := of.Value.(type) {
	case ast.Call:
		return a.call(value)
	case ast.Ref:
		// x[0], and [… | some y in x][0].
		return a.begins(of) || len(value) > 1 && a.fills(value[0])
	case *ast.Array:
		found := false
		value.Foreach(func(member *ast.Term) { found = found || a.within(member) })
		return found
	case ast.Object:
		found := false
		value.Foreach(func(_, member *ast.Term) { found = found || a.within(member) })
		return found
	}
	return false
}

func (a asker) begins(of *ast.Term) bool {
	ref, ok := of.Value.(ast.Ref)
	if !ok || !a.member {
		return false
	}
	begin := ast.Ref{a.term}
	if known, ok := a.term.Value.(ast.Ref); ok {
		begin = known
	}
	return len(ref) > len(begin) && ref.HasPrefix(begin)
}

// Whether a term is a comprehension that is empty where none of its expressions asks.
func (a asker) fills(of *ast.Term) bool {
	var body ast.Body
	switch value := of.Value.(type) {
	case *ast.ArrayComprehension:
		body = value.Body
	case *ast.SetComprehension:
		body = value.Body
	}
	return slices.ContainsFunc(body, a.expression)
}
