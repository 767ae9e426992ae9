package main

import (
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

// Whether the rest of a body is undefined of whatever is excluded by one of its conditions.
func implied(body ast.Body, condition *ast.Expr) bool {
	if condition.Negated || !condition.IsCall() || len(condition.With) > 0 {
		return false
	}
	needed := func(term *ast.Term, needs func(call []*ast.Term, operand int) bool) bool {
		for _, expr := range body {
			if expr != condition && !expr.Negated && len(expr.With) == 0 && asks(expr, term, needs) {
				return true
			}
		}
		return false
	}
	name := condition.Operator().String()
	// is_string(x), where regex.match(…, x) is undefined of all others.
	if kind, ok := kinds[name]; ok {
		return needed(condition.Operand(0), func(call []*ast.Term, operand int) bool {
			builtin := ast.BuiltinMap[call[0].String()]
			// regex.is_valid and the like are false of what they cannot read.
			if builtin == nil || strings.HasSuffix(builtin.Name, "is_valid") || operand >= builtin.Decl.Arity() {
				return false
			}
			taken := builtin.Decl.FuncArgs().Args[operand]
			return types.Compare(bare(taken), kind) == 0
		})
	}
	// count(x) > 0, where some y in x, or max(x), is undefined of nothing.
	if counted := filled(condition); counted != nil {
		return needed(counted, func(call []*ast.Term, operand int) bool {
			switch call[0].String() {
			case "max", "min", "internal.member_2", "internal.member_3":
				return operand == len(call)-2
			}
			return false
		})
	}
	return false
}

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

// Whether an expression calls a builtin with a term, in a place that is evaluated whenever the expression is.
func asks(expr *ast.Expr, term *ast.Term, needs func(call []*ast.Term, operand int) bool) bool {
	var within func(of *ast.Term) bool
	call := func(terms []*ast.Term) bool {
		for i, operand := range terms[1:] {
			if operand.Equal(term) && needs(terms, i) || within(operand) {
				return true
			}
		}
		return false
	}
	within = func(of *ast.Term) bool {
		if value, ok := of.Value.(ast.Call); ok {
			return call(value)
		}
		return false
	}
	switch terms := expr.Terms.(type) {
	case *ast.Term:
		return within(terms)
	case []*ast.Term:
		return call(terms)
	case *ast.SomeDecl:
		return len(terms.Symbols) == 1 && within(terms.Symbols[0])
	}
	return false
}
