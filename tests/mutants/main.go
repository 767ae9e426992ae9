// Mutants of the rules: mutants [-seed N] [-count N] [-tests N] [-judge XTASK -reviews FILE]… [-only TEXT] [-operators PATTERN] [-equivalent FILE] RULES
//
// Changes one expression of one rule at a time (a comparison turned round, a condition left out, a constant one larger, …) and runs
// tests of RULES that evaluate the rule: those of its package and the quickest of the others. Then XTASK judges the reviews of each FILE: those of
// webhook/tests/findings.rs and crates/engine/tests/changes, which compare every word of what is said of them. A mutant that changes nothing of all this survives: no test
// would see the mistake. What survives since it means the same stands in equivalent.yaml, with the reason. Fails where fewer than 95 % of
// the others are killed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"
)

// Below this share of killed mutants the run fails.
const bar = 95

func main() {
	log.SetFlags(0)
	log.SetPrefix("mutants: ")
	seed := flag.Uint64("seed", 1, "which sample is taken")
	count := flag.Int("count", 400, "how many mutants the sample has")
	most := flag.Int("tests", 40, "of the tests of other packages, how many a mutant has to pass")
	var reviews files
	flag.Var(&reviews, "reviews", "a file of inputs, a line of JSON each, that a mutant has to say the same of; may be given several times")
	judging := flag.String("judge", "", "xtask, which judges reviews")
	only := flag.String("only", "", "only files whose path contains this")
	operators := flag.String("operators", "", "only changes whose name matches this regular expression (gte → gt|max → min)")
	known := flag.String("equivalent", "", "the file of mutants that mean the same")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: mutants [-seed N] [-count N] [-tests N] [-judge XTASK -reviews FILE…] [-only TEXT] [-operators PATTERN] [-equivalent FILE] RULES")
	}
	if err := run(flag.Arg(0), *judging, reviews, *seed, *count, *most, *only, *operators, *known); err != nil {
		log.Fatal(err)
	}
}

type files []string

func (f *files) String() string         { return strings.Join(*f, ",") }
func (f *files) Set(value string) error { *f = append(*f, value); return nil }

func run(root, judging string, reviews files, seed uint64, count, most int, only, operators, known string) error {
	began := time.Now()
	equivalent, err := readEquivalent(known)
	if err != nil {
		return err
	}
	source, err := load(root)
	if err != nil {
		return err
	}
	all := source.mutants()
	stale := equivalent.stale(all)
	named, err := regexp.Compile("^(" + operators + ")")
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(m *mutant) bool {
		return !strings.Contains(m.rule.Location.File, only) || !named.MatchString(m.operator)
	})
	chosen := sample(all, count, rand.New(rand.NewPCG(seed, 0)))
	fmt.Printf("%d mutants of the rules, of them %d by seed %d\n", len(all), len(chosen), seed)

	phase := time.Now()
	program, chosen, err := source.compile(chosen)
	if err != nil {
		return err
	}
	fmt.Printf("%d of them compile (%s)\n", len(chosen), time.Since(phase).Round(time.Second))
	tests := program.concerned(source.tests)
	// The known ones are not run: they cannot be killed.
	alive := slices.DeleteFunc(slices.Clone(chosen), equivalent.has)
	killers := map[*mutant]string{}
	tested := func(where string, killer func(*mutant) (*test, error)) error {
		phase := time.Now()
		found, failed := make([]*test, len(alive)), make([]error, len(alive))
		side(len(alive), func(i int) { found[i], failed[i] = killer(alive[i]) })
		for i, m := range alive {
			if found[i] != nil {
				killers[m] = "tests " + where
			}
		}
		alive = slices.DeleteFunc(alive, func(m *mutant) bool { return killers[m] != "" })
		fmt.Printf("%d pass the tests %s (%s)\n", len(alive), where, time.Since(phase).Round(time.Second))
		return errors.Join(failed...)
	}
	fmt.Printf("%d tests\n", len(tests))
	if err := tested("beside the rule", func(m *mutant) (*test, error) { return program.beside(tests, m) }); err != nil {
		return err
	}
	phase = time.Now()
	reviewed, err := source.reviewed(alive, judging, reviews)
	if err != nil {
		return err
	}
	maps.Copy(killers, reviewed)
	alive = slices.DeleteFunc(alive, func(m *mutant) bool { return killers[m] != "" })
	fmt.Printf("%d pass the reviews (%s)\n", len(alive), time.Since(phase).Round(time.Second))
	if err := tested("elsewhere", func(m *mutant) (*test, error) { return program.elsewhere(tests, m, most) }); err != nil {
		return err
	}
	for _, m := range alive {
		fmt.Print(m.shown())
	}

	table, by := map[string]*figures{}, map[string]int{}
	killed, survived, same := 0, 0, 0
	for _, m := range chosen {
		row := table[m.area()]
		if row == nil {
			row = &figures{}
			table[m.area()] = row
		}
		switch {
		case equivalent.has(m):
			same++
			row.same++
		case killers[m] != "":
			killed++
			by[killers[m]]++
			row.killed++
		default:
			survived++
			row.survived++
		}
	}
	fmt.Printf("\n%-12s %8s %8s %10s\n", "area", "killed", "survived", "equivalent")
	areas := make([]string, 0, len(table))
	for area := range table {
		areas = append(areas, area)
	}
	sort.Strings(areas)
	for _, area := range areas {
		fmt.Printf("%-12s %8d %8d %10d\n", area, table[area].killed, table[area].survived, table[area].same)
	}
	fmt.Println()
	for _, from := range sorted(by) {
		fmt.Printf("%d are killed by %s\n", by[from], from)
	}
	share := 100 * float64(killed) / float64(max(1, killed+survived))
	fmt.Printf("\n%.1f %% of %d mutants killed, %d survived, %d mean the same (seed %d, %s)\n",
		share, killed+survived, survived, same, seed, time.Since(began).Round(time.Second))
	if len(stale) > 0 {
		return fmt.Errorf("%s names what is no mutant any more:\n%s", known, strings.Join(stale, "\n"))
	}
	if share < bar {
		return fmt.Errorf("fewer than %d %% are killed", bar)
	}
	return nil
}

func (m *mutant) shown() string {
	return fmt.Sprintf("\nsurvived %s:%d (%s)\n  in:       %s\n  mutation: %q\n", m.rule.Location.File, m.line, m.operator, m.name(), m.text)
}

type figures struct{ killed, survived, same int }

// Of each area as large a share as it has of all mutants, at least a few; within it, of each operator in turn, so that an
// operator with many places does not crowd out the others.
func sample(all []*mutant, count int, random *rand.Rand) []*mutant {
	areas := map[string]map[string][]*mutant{}
	sizes := map[string]int{}
	for _, m := range all {
		if areas[m.area()] == nil {
			areas[m.area()] = map[string][]*mutant{}
		}
		areas[m.area()][m.operator] = append(areas[m.area()][m.operator], m)
		sizes[m.area()]++
	}
	var chosen []*mutant
	for _, area := range sorted(areas) {
		wanted := max(5, (count*sizes[area]+len(all)/2)/len(all))
		operators := areas[area]
		names := sorted(operators)
		for _, name := range names {
			list := operators[name]
			random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		}
		for taken := 0; taken < min(wanted, sizes[area]); {
			for _, name := range names {
				if list := operators[name]; len(list) > 0 && taken < wanted {
					chosen = append(chosen, list[0])
					operators[name] = list[1:]
					taken++
				}
			}
		}
	}
	return chosen
}

func sorted[V any](of map[string]V) []string {
	keys := make([]string, 0, len(of))
	for key := range of {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

// checks, lib, model, …: the directory below the rules.
func (m *mutant) area() string {
	return strings.SplitN(filepath.ToSlash(m.inside), "/", 2)[0]
}

// Does the work of each number below n, on all processors.
func side(n int, work func(int)) {
	next, group := make(chan int), sync.WaitGroup{}
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := range next {
				work(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	group.Wait()
}

var background = context.Background()
