package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/topdown"
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
// where data.mutant.rule is not its own, each mutant where data.mutant.id is.
type program struct {
	compiler *ast.Compiler
	mutants  map[*mutant]int
	rules    map[*ast.Rule]int
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
		p, modules := s.merge(mutants)
		// A type that the compiler infers only shows what an evaluation would show, and it takes most of the time.
		p.compiler = ast.NewCompiler().SetErrorLimit(0).WithSkipStages(ast.StageCheckTypes)
		p.compiler.Compile(modules)
		if !p.compiler.Failed() {
			return p, mutants, nil
		}
		broken := map[string]bool{}
		for _, err := range p.compiler.Errors {
			if err.Location == nil || !strings.HasPrefix(err.Location.File, "mutant ") {
				return nil, nil, err
			}
			broken[err.Location.File] = true
		}
		mutants = slices.DeleteFunc(mutants, func(m *mutant) bool { return broken[p.file(m)] })
	}
}

func (p *program) file(m *mutant) string { return fmt.Sprintf("mutant %d", p.mutants[m]) }

func (s *source) merge(mutants []*mutant) (*program, map[string]*ast.Module) {
	p := &program{mutants: map[*mutant]int{}, rules: map[*ast.Rule]int{}}
	modules := maps.Clone(s.modules)
	for i, m := range mutants {
		p.mutants[m] = i
		if _, ok := p.rules[m.rule]; !ok {
			p.rules[m.rule] = len(p.rules)
		}
		changed := m.mutated()
		if changed == nil {
			continue
		}
		module := *m.rule.Module
		module.Annotations, module.Comments, module.Rules = nil, nil, []*ast.Rule{changed}
		guard(changed, fmt.Sprintf("data.mutant.id == %d", i))
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
				guard(guarded.Rules[i], fmt.Sprintf("data.mutant.rule != %d", id))
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

// A test of the rules, or a review of which the same has to be said, with what it evaluates while nothing is changed: a mutant of a rule
// outside of that is not seen by it.
type test struct {
	name  string
	file  string
	from  string // unit tests, or the file of reviews
	query ast.Body
	input ast.Value // of a review
	right ast.Value // what is said without a mutant
	took  time.Duration
	// Rules are asked of the object as it was, too.
	update bool
	rules  map[spot]bool // entered
	lines  map[spot]bool // of a body, or the first of a rule that came to its end
	// Where mutants are: nothing else is remembered.
	wanted map[spot]bool
}

func newTest(name, file string, query ast.Ref, input ast.Value) *test {
	body := ast.NewBody(ast.Equality.Expr(ast.VarTerm("said"), ast.NewTerm(query)))
	return &test{name: name, file: file, from: "unit tests", query: body, input: input, rules: map[spot]bool{}, lines: map[spot]bool{}}
}

// {"file": where the object is from, "query": the rule that is asked, where it is not main.findings, "input": of the rules} a line.
func readReviews(path string) ([]*test, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	lines := slices.Collect(strings.Lines(string(text)))
	reviews, failed := make([]*test, len(lines)), make(chan error, len(lines))
	side(len(lines), func(i int) {
		value, err := ast.ValueFromReader(strings.NewReader(lines[i]))
		review, ok := value.(ast.Object)
		if err != nil || !ok || review.Get(ast.StringTerm("file")) == nil || review.Get(ast.StringTerm("input")) == nil {
			failed <- fmt.Errorf("%s: a line is no review: %w", path, err)
			return
		}
		name := string(review.Get(ast.StringTerm("file")).Value.(ast.String))
		query := ast.MustParseRef("data.main.findings")
		if asked := review.Get(ast.StringTerm("query")); asked != nil {
			query = ast.MustParseRef("data." + string(asked.Value.(ast.String)))
		}
		reviews[i] = newTest(name, name, query, review.Get(ast.StringTerm("input")).Value)
		reviews[i].from = filepath.Base(path)
		reviews[i].update = strings.Contains(lines[i], `"oldObject":{`)
	})
	close(failed)
	for err := range failed {
		return nil, err
	}
	return reviews, nil
}

// A line of a file.
type spot struct {
	file string
	row  int
}

func place(location *ast.Location) spot { return spot{location.File, location.Row} }

// The tests that could evaluate a rule with a mutant, by what the compiler knows.
func (p *program) concerned(tests []*ast.Rule) []*test {
	wanted := map[spot]bool{}
	for rule := range p.rules {
		wanted[place(rule.Location)] = true
	}
	reaches := map[*ast.Rule]bool{}
	var visit func(rule *ast.Rule) bool
	visit = func(rule *ast.Rule) bool {
		if known, ok := reaches[rule]; ok {
			return known
		}
		reaches[rule] = false // rules do not lead to themselves
		found := wanted[place(rule.Location)]
		for next := range p.compiler.Graph.Dependencies(rule) {
			found = visit(next.(*ast.Rule)) || found
		}
		reaches[rule] = found
		return found
	}
	names := map[string]bool{}
	for _, module := range p.compiler.Modules {
		for _, rule := range module.Rules {
			if visit(rule) {
				names[rule.Ref().String()] = true
			}
		}
	}
	var concerned []*test
	for _, rule := range tests {
		if name := rule.Ref().String(); names[name] {
			concerned = append(concerned, newTest(name, rule.Location.File, rule.Ref(), nil))
		}
	}
	return concerned
}

// Runs the tests without a mutant, and sorts them, the quick ones first; one that fails is an error.
func (p *program) baseline(tests []*test) error {
	failed := make(chan error, len(tests))
	store := inmem.NewFromObject(map[string]any{"mutant": map[string]any{"rule": -1, "id": -1}})
	wanted := map[spot]bool{}
	for m := range p.mutants {
		wanted[place(m.rule.Location)] = true
		wanted[spot{m.rule.Location.File, m.line}] = true
	}
	side(len(tests), func(i int) {
		t := tests[i]
		t.wanted = wanted
		began := time.Now()
		// Without indexes every alternative of a rule is entered, as it might be with a mutant.
		said, err := p.says(t, t.query, store, t)
		if err != nil || said == nil || (t.input == nil && !said.(ast.Boolean)) {
			failed <- fmt.Errorf("%s does not pass without a mutant (%v)", t.name, err)
		}
		t.right, t.took = said, time.Since(began)
	})
	close(failed)
	for err := range failed {
		return err
	}
	sort.SliceStable(tests, func(i, j int) bool { return tests[i].took < tests[j].took })
	return nil
}

// The test that a mutant does not pass, nothing where it survives. Those that stand beside the rule come first, then those that evaluate its
// line, the quick ones before the slow, then reviews. Of tests elsewhere no more than most run: what a package's own tests and so many
// others do not see, nobody should have to find by chance. Of the reviews that evaluate the line those are judged of which the rule says
// something else, as a rule that is no function shows by itself; where that cannot be told, so many of them.
func (p *program) killer(tests []*test, m *mutant, most int) *test {
	store := inmem.NewFromObject(map[string]any{"mutant": map[string]any{"rule": p.rules[m.rule], "id": p.mutants[m]}})
	rule, line := place(m.rule.Location), spot{m.rule.Location.File, m.line}
	distance := func(t *test) int {
		switch {
		case t.input != nil:
			return 3
		case filepath.Dir(t.file) == filepath.Dir(m.rule.Location.File):
			return 0
		case t.lines[line]:
			return 1
		}
		return 2
	}
	// What stands in the head is evaluated where the rule comes to its end.
	within := slices.ContainsFunc(tests, func(t *test) bool { return t.lines[line] })
	evaluates := func(t *test) bool { return t.lines[line] || (!within && t.lines[rule]) }
	seen := slices.DeleteFunc(slices.Clone(tests), func(t *test) bool { return !t.rules[rule] || (t.input != nil && !evaluates(t)) })
	slices.SortStableFunc(seen, func(a, b *test) int { return distance(a) - distance(b) })
	near := p.near(m.rule)
	judged := 0
	for i, t := range seen {
		if i >= most && distance(t) > 0 && t.input == nil {
			continue
		}
		if t.input != nil {
			if near != nil && !t.update && p.same(t, near, store) {
				continue
			}
			if judged++; judged > enough {
				break
			}
		}
		if said, err := p.says(t, t.query, store, nil); err != nil || said == nil || said.Compare(t.right) != 0 {
			return t
		}
	}
	return nil
}

// Of how many reviews everything is asked, at most, to kill a mutant.
const enough = 300

// Of a function that more rules call than this, what it gives is not asked.
const callers = 16

var unchanged = inmem.NewFromObject(map[string]any{"mutant": map[string]any{"rule": -1, "id": -1}})

// Asks for what a rule is, or, of a function, for what those rules are that call it, straight or by other functions.
func (p *program) near(rule *ast.Rule) ast.Body {
	refs := map[string]ast.Ref{}
	seen := map[*ast.Rule]bool{}
	var visit func(rule *ast.Rule)
	visit = func(rule *ast.Rule) {
		if seen[rule] || len(refs) > callers || strings.HasSuffix(rule.Location.File, "_test.rego") {
			return
		}
		seen[rule] = true
		if len(rule.Head.Args) == 0 {
			ref := rule.Ref().GroundPrefix()
			refs[ref.String()] = ref
			return
		}
		for caller := range p.compiler.Graph.Dependents(rule) {
			visit(caller.(*ast.Rule))
		}
	}
	for _, module := range p.compiler.Modules {
		for _, other := range module.Rules {
			if place(other.Location) == place(rule.Location) && other.Location.File == rule.Location.File {
				visit(other)
			}
		}
	}
	if len(refs) == 0 || len(refs) > callers {
		return nil
	}
	var parts []string
	for i, name := range sorted(refs) {
		parts = append(parts, fmt.Sprintf("[x%d | x%d = %s]", i, i, name))
	}
	body, err := p.compiler.QueryCompiler().Compile(ast.MustParseBody("said = [" + strings.Join(parts, ", ") + "]"))
	if err != nil {
		return nil
	}
	return body
}

// Whether a query says the same with a mutant.
func (p *program) same(t *test, query ast.Body, store storage.Store) bool {
	with, err := p.says(t, query, store, nil)
	if err != nil || with == nil {
		return false
	}
	without, err := p.says(t, query, unchanged, nil)
	return err == nil && without != nil && with.Compare(without) == 0
}

// What a query says, nothing where it is undefined.
func (p *program) says(t *test, asked ast.Body, store storage.Store, seen *test) (ast.Value, error) {
	txn := storage.NewTransactionOrDie(background, store)
	defer store.Abort(background, txn)
	cancel := topdown.NewCancel()
	timer := time.AfterFunc(patience, cancel.Cancel)
	defer timer.Stop()
	query := topdown.NewQuery(asked).WithCompiler(p.compiler).WithStore(store).WithTransaction(txn).WithCancel(cancel)
	if t.input != nil {
		query = query.WithInput(ast.NewTerm(t.input))
	}
	if seen != nil {
		query = query.WithIndexing(false).WithEarlyExit(false).WithQueryTracer(seen)
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
		switch {
		case node.Location == nil || !t.wanted[place(node.Location)]:
		case event.Op == topdown.EnterOp:
			t.rules[place(node.Location)] = true
		case event.Op == topdown.ExitOp:
			t.lines[place(node.Location)] = true
		}
	case *ast.Expr:
		if event.Op == topdown.EvalOp && node.Location != nil && t.wanted[place(node.Location)] {
			t.lines[place(node.Location)] = true
		}
	}
}
