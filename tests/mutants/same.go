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

// Builtins that stop after so many matches, their last operand.
var finders = map[string]bool{"regex.find_n": true, "regex.find_all_string_submatch_n": true}

// The limits of matches in a body, and in what is made of it, beyond which nobody looks: one more changes nothing.
func limits(body ast.Body, made []*ast.Term) map[*ast.Term]bool {
	found := map[*ast.Term]bool{}
	limit := func(call []*ast.Term) {
		if last := call[len(call)-1]; last.Equal(ast.IntNumberTerm(1)) {
			found[last] = true
		}
	}
	// Of what begins where the text begins there is one.
	anchored := func(call []*ast.Term) bool {
		pattern, ok := call[1].Value.(ast.String)
		return ok && strings.HasPrefix(string(pattern), "^") && !strings.Contains(string(pattern), "|")
	}
	visit := ast.NewGenericVisitor(func(node any) bool {
		switch node := node.(type) {
		case *ast.Expr:
			if call, ok := node.Terms.([]*ast.Term); ok && len(call) > 2 && finders[call[0].String()] && anchored(call) {
				limit(call)
			}
		case *ast.Term:
			switch value := node.Value.(type) {
			case ast.Call:
				if finders[value[0].String()] && anchored(value) {
					limit(value)
				}
			case ast.Ref:
				// regex.find_n(…, 1)[0]
				if call, ok := value[0].Value.(ast.Call); ok && first(value) && finders[call[0].String()] {
					limit(call)
				}
			}
		}
		return false
	})
	for _, expr := range body {
		visit.Walk(expr)
		// found := regex.find_n(…, 1), of which found[0] is read.
		if !expr.IsAssignment() {
			continue
		}
		call, ok := expr.Operand(1).Value.(ast.Call)
		if name, isName := expr.Operand(0).Value.(ast.Var); ok && isName && finders[call[0].String()] && onlyFirst(name, expr, body, made) {
			limit(call)
		}
	}
	for _, term := range made {
		visit.Walk(term)
	}
	return found
}

func first(ref ast.Ref) bool { return len(ref) > 1 && ref[1].Equal(ast.IntNumberTerm(0)) }

// Whether of a name that a body assigns nothing is read but its first member, and whether it has any.
func onlyFirst(name ast.Var, assigned *ast.Expr, body ast.Body, made []*ast.Term) bool {
	only := true
	var visit *ast.GenericVisitor
	visit = ast.NewGenericVisitor(func(node any) bool {
		switch node := node.(type) {
		case *ast.Expr:
			if node == assigned {
				visit.Walk(node.Operand(1))
				return true
			}
			if node.IsCall() && !node.Negated {
				if counted := filled(node); counted != nil && counted.Value.Compare(name) == 0 {
					return true
				}
			}
		case *ast.Term:
			if ref, ok := node.Value.(ast.Ref); ok && ref[0].Value.Compare(name) == 0 && first(ref) {
				for _, part := range ref[1:] {
					visit.Walk(part)
				}
				return true
			}
			if variable, ok := node.Value.(ast.Var); ok && variable.Equal(name) {
				only = false
			}
		}
		return false
	})
	for _, expr := range body {
		visit.Walk(expr)
	}
	for _, term := range made {
		visit.Walk(term)
	}
	return only
}
