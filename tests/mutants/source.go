package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/types"
)

// A test that takes as long with a mutant does not pass.
const patience = 5 * time.Minute

type source struct {
	root    string
	modules map[string]*ast.Module
	tests   []*ast.Rule
}

func load(root string) (*source, error) {
	s := &source{root: root, modules: map[string]*ast.Module{}}
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".rego") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		s.modules[path], err = ast.ParseModuleWithOpts(path, string(text), ast.ParserOptions{ProcessAnnotation: false})
		if err != nil {
			return err
		}
		if strings.HasSuffix(path, "_test.rego") {
			for _, rule := range s.modules[path].Rules {
				if strings.HasPrefix(rule.Head.Name.String(), "test_") {
					s.tests = append(s.tests, rule)
				}
			}
		}
		return nil
	})
	return s, err
}

// Every change of every rule that a person wrote.
func (s *source) mutants() []*mutant {
	var all []*mutant
	seen := map[string]int{}
	for _, path := range slices.Sorted(maps.Keys(s.modules)) {
		if strings.HasSuffix(path, "_test.rego") || written(s.modules[path]) {
			continue
		}
		inside, _ := filepath.Rel(s.root, path)
		for _, rule := range s.modules[path].Rules {
			each(rule, func(c change) {
				m := &mutant{rule, inside, c.line, c.number, c.operator, c.text}
				// Alternatives of a rule, and members of an array, may read alike.
				key := fingerprint(m.name(), m.text)
				if seen[key]++; seen[key] > 1 {
					m.text = fmt.Sprintf("%s (%d)", m.text, seen[key])
				}
				all = append(all, m)
			})
		}
	}
	return all
}

// Written by a program: the mutants are the program's.
func written(module *ast.Module) bool {
	return len(module.Comments) > 0 && strings.Contains(string(module.Comments[0].Text), "Generated from")
}

// The rules with all mutants in them. Compiling takes ten times as long as a test, so it is done once: a rule that has mutants runs
// where its number is not that of the mutant's rule, each mutant where its number is.
type program struct {
	compiler *ast.Compiler
	mutants  map[*mutant]int
	rules    map[*ast.Rule]int
	lines    map[spot]bool // where mutants are
}

// What stands before a rule that has mutants, and before a mutant: formats of its number.
type switches struct{ off, on string }

// Tests ask a builtin: what stands in data is not seen for certain below a `with data… as`. A plan asks its host.
var (
	byCall = switches{off.Name + "(%d)", on.Name + "(%d)"}
	byHost = switches{"data.mutant.off(%d)", "data.mutant.on(%d)"}
)

var (
	asked = types.NewFunction(types.Args(types.N), types.B)
	off   = &ast.Builtin{Name: "mutant.off", Decl: asked, Nondeterministic: true}
	on    = &ast.Builtin{Name: "mutant.on", Decl: asked, Nondeterministic: true}
)

// A mutant and its rule, by number.
type numbers struct{ rule, id int }

var unchanged = numbers{-1, -1}

// What the guards ask, while this is the mutant.
func (n numbers) answers() map[string]*topdown.Builtin {
	answer := func(builtin *ast.Builtin, holds func(int) bool) *topdown.Builtin {
		return &topdown.Builtin{Decl: builtin, Func: func(_ topdown.BuiltinContext, operands []*ast.Term, found func(*ast.Term) error) error {
			number, ok := operands[0].Value.(ast.Number).Int()
			return found(ast.BooleanTerm(ok && holds(number)))
		}}
	}
	return map[string]*topdown.Builtin{
		off.Name: answer(off, func(rule int) bool { return rule != n.rule }),
		on.Name:  answer(on, func(id int) bool { return id == n.id }),
	}
}

func guard(rule *ast.Rule, condition string) {
	for r := rule; r != nil; r = r.Else {
		r.Body = append(ast.MustParseBody(condition), r.Body...)
		for i, expr := range r.Body {
			expr.Index = i
			if expr.Location == nil {
				expr.Location = r.Location
			}
		}
	}
}

// Compiles the mutants, and leaves out those that do not compile.
func (s *source) compile(mutants []*mutant) (*program, []*mutant, error) {
	for {
		p, modules := s.merge(mutants, byCall)
		// A type that the compiler infers only shows what an evaluation would show, and it takes most of the time.
		p.compiler = ast.NewCompiler().WithBuiltins(map[string]*ast.Builtin{off.Name: off, on.Name: on}).SetErrorLimit(0).WithSkipStages(ast.StageCheckTypes)
		p.compiler.Compile(modules)
		if !p.compiler.Failed() {
			return p, mutants, nil
		}
		broken := map[string]bool{}
		for _, err := range p.compiler.Errors {
			switch {
			case err.Location != nil && strings.HasPrefix(err.Location.File, "mutant "):
				broken[err.Location.File] = true
			case err.Code == ast.RecursionErr:
				// A name that is assigned no more is that of a rule: one of those in the circle.
				for _, m := range mutants {
					if strings.Contains(err.Message+" ", "data."+m.name()+" ") {
						broken[p.file(m)] = true
					}
				}
			default:
				return nil, nil, err
			}
		}
		if len(broken) == 0 {
			return nil, nil, p.compiler.Errors
		}
		mutants = slices.DeleteFunc(mutants, func(m *mutant) bool { return broken[p.file(m)] })
	}
}

func (p *program) file(m *mutant) string { return fmt.Sprintf("mutant %d", p.mutants[m]) }

func (s *source) merge(mutants []*mutant, by switches) (*program, map[string]*ast.Module) {
	p := &program{mutants: map[*mutant]int{}, rules: map[*ast.Rule]int{}, lines: map[spot]bool{}}
	modules := maps.Clone(s.modules)
	for i, m := range mutants {
		p.mutants[m] = i
		p.lines[spot{m.rule.Location.File, m.line}] = true
		if _, ok := p.rules[m.rule]; !ok {
			p.rules[m.rule] = len(p.rules)
		}
		changed := m.mutated()
		if changed == nil {
			continue
		}
		module := *m.rule.Module
		module.Annotations, module.Comments, module.Rules = nil, nil, []*ast.Rule{changed}
		guard(changed, fmt.Sprintf(by.on, i))
		relocate(changed, p.file(m))
		for r := changed; r != nil; r = r.Else {
			r.Module, r.Annotations = &module, nil
		}
		modules[p.file(m)] = &module
	}
	for path, module := range modules {
		if !slices.ContainsFunc(module.Rules, func(r *ast.Rule) bool { _, ok := p.rules[r]; return ok }) {
			continue
		}
		guarded := *module
		guarded.Rules = slices.Clone(module.Rules)
		for i, rule := range module.Rules {
			if id, ok := p.rules[rule]; ok {
				guarded.Rules[i] = rule.Copy()
				guard(guarded.Rules[i], fmt.Sprintf(by.off, id))
				for r := guarded.Rules[i]; r != nil; r = r.Else {
					r.Module = &guarded
				}
			}
		}
		modules[path] = &guarded
	}
	return p, modules
}

// So that an error of the compiler names the mutant.
func relocate(rule *ast.Rule, file string) {
	at := func(location *ast.Location) *ast.Location {
		if location == nil {
			return nil
		}
		moved := *location
		moved.File = file
		return &moved
	}
	// The walk passes over the reference in a head.
	for r := rule; r != nil; r = r.Else {
		for _, term := range r.Head.Reference {
			term.SetLoc(at(term.Loc()))
		}
	}
	ast.WalkNodes(rule, func(node ast.Node) bool {
		node.SetLoc(at(node.Loc()))
		return false
	})
}

// A test of the rules, with what it evaluates while nothing is changed: a mutant of a rule outside of that is not seen by it.
type test struct {
	name  string
	file  string
	query ast.Body
	// Rules with mutants that it may evaluate, as the compiler knows.
	reaches map[spot]bool
	tried   sync.Once
	failed  error         // without a mutant
	rules   map[spot]bool // that it enters
	lines   map[spot]bool // with mutants, that it evaluates
	wanted  map[spot]bool
}

func newTest(rule *ast.Rule, reaches map[spot]bool) *test {
	body := ast.NewBody(ast.Equality.Expr(ast.VarTerm("said"), ast.NewTerm(rule.Ref())))
	return &test{name: rule.Ref().String(), file: rule.Location.File, query: body, reaches: reaches}
}

// A line of a file.
type spot struct {
	file string
	row  int
}

func place(location *ast.Location) spot { return spot{location.File, location.Row} }

// The tests that could evaluate a rule with a mutant, by what the compiler knows; those that reach the fewest come first.
func (p *program) concerned(tests []*ast.Rule) []*test {
	wanted := map[spot]bool{}
	for rule := range p.rules {
		wanted[place(rule.Location)] = true
	}
	reached := map[*ast.Rule]map[spot]bool{}
	var visit func(rule *ast.Rule) map[spot]bool
	visit = func(rule *ast.Rule) map[spot]bool {
		if known, ok := reached[rule]; ok {
			return known
		}
		found := map[spot]bool{}
		reached[rule] = found // rules do not lead to themselves
		if wanted[place(rule.Location)] {
			found[place(rule.Location)] = true
		}
		for next := range p.compiler.Graph.Dependencies(rule) {
			maps.Copy(found, visit(next.(*ast.Rule)))
		}
		return found
	}
	names := map[string]map[spot]bool{}
	for _, module := range p.compiler.Modules {
		for _, rule := range module.Rules {
			if found := visit(rule); len(found) > 0 {
				names[rule.Ref().String()] = found
			}
		}
	}
	var concerned []*test
	for _, rule := range tests {
		if found := names[rule.Ref().String()]; found != nil {
			concerned = append(concerned, newTest(rule, found))
		}
	}
	slices.SortStableFunc(concerned, func(a, b *test) int { return len(a.reaches) - len(b.reaches) })
	return concerned
}

// Of how many tests elsewhere it is asked, at most, whether they evaluate a mutant's rule.
const enough = 300

// A test beside the rule that a mutant does not pass, nothing where it survives them: first those of the rule's file, then the others that
// evaluate the rule.
func (p *program) beside(tests []*test, m *mutant) (*test, error) {
	at := place(m.rule.Location)
	own := strings.TrimSuffix(m.rule.Location.File, ".rego") + "_test.rego"
	killer, err := p.killer(tests, m, func(t *test) bool { return t.reaches[at] && t.file == own })
	if killer != nil {
		return killer, err
	}
	return p.killer(tests, m, func(t *test) bool {
		if !t.reaches[at] || t.file == own || filepath.Dir(t.file) != filepath.Dir(m.rule.Location.File) {
			return false
		}
		p.passes(t)
		return t.rules[at]
	})
}

// The same of the tests elsewhere: first those that evaluate its line. No more than most run: what a package's own tests and so many others
// do not see, nobody should have to find by chance.
func (p *program) elsewhere(tests []*test, m *mutant, most int) (*test, error) {
	at, line := place(m.rule.Location), spot{m.rule.Location.File, m.line}
	var near, far []*test
	tried := 0
	for _, t := range tests {
		if !t.reaches[at] || filepath.Dir(t.file) == filepath.Dir(m.rule.Location.File) {
			continue
		}
		if tried++; tried > enough || len(near) == most {
			break
		}
		p.passes(t)
		switch {
		case t.lines[line]:
			near = append(near, t)
		case t.rules[at]:
			far = append(far, t)
		}
	}
	chosen := append(near, far...)
	return p.killer(chosen[:min(most, len(chosen))], m, func(*test) bool { return true })
}

func (p *program) killer(tests []*test, m *mutant, runs func(*test) bool) (*test, error) {
	active := numbers{p.rules[m.rule], p.mutants[m]}
	for _, t := range tests {
		if !runs(t) {
			continue
		}
		if said, err := p.says(t, active, false); err != nil || said != ast.Boolean(true) {
			if said, err := p.says(t, unchanged, false); err != nil || said != ast.Boolean(true) {
				return nil, fmt.Errorf("%s does not pass without a mutant (%v)", t.name, err)
			}
			return t, nil
		}
	}
	return nil, nil
}

// Runs a test without a mutant, once, and remembers what it evaluates.
func (p *program) passes(t *test) error {
	t.tried.Do(func() {
		t.rules, t.lines, t.wanted = map[spot]bool{}, map[spot]bool{}, p.lines
		if said, err := p.says(t, unchanged, true); err != nil || said != ast.Boolean(true) {
			t.failed = fmt.Errorf("%s does not pass without a mutant (%v)", t.name, err)
		}
	})
	return t.failed
}

// What a test says, nothing where it is undefined; where it is watched, what it evaluates is remembered.
func (p *program) says(t *test, active numbers, watched bool) (ast.Value, error) {
	store := inmem.New()
	txn := storage.NewTransactionOrDie(background, store)
	defer store.Abort(background, txn)
	cancel := topdown.NewCancel()
	timer := time.AfterFunc(patience, cancel.Cancel)
	defer timer.Stop()
	query := topdown.NewQuery(t.query).WithCompiler(p.compiler).WithStore(store).WithTransaction(txn).WithCancel(cancel).WithBuiltins(active.answers())
	if watched {
		// Without indexes every alternative of a rule is entered, as it might be with a mutant.
		query = query.WithIndexing(false).WithEarlyExit(false).WithQueryTracer(t)
	}
	var said ast.Value
	err := query.Iter(background, func(result topdown.QueryResult) error {
		said = result[ast.Var("said")].Value
		return nil
	})
	return said, err
}

func (t *test) Enabled() bool               { return true }
func (t *test) Config() topdown.TraceConfig { return topdown.TraceConfig{} }
func (t *test) TraceEvent(event topdown.Event) {
	switch node := event.Node.(type) {
	case *ast.Rule:
		if event.Op == topdown.EnterOp && node.Location != nil && t.reaches[place(node.Location)] {
			t.rules[place(node.Location)] = true
		}
	case *ast.Expr:
		if event.Op == topdown.EvalOp && node.Location != nil && t.wanted[place(node.Location)] {
			t.lines[place(node.Location)] = true
		}
	}
}
