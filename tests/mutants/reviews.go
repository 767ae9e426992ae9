package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/open-policy-agent/opa/v1/compile"
)

// Who killed the mutants of which something else is said of a review: the name of a file of reviews. All reviews are judged with all of
// them by xtask mutants, which interprets a plan of the rules: OPA would take hours.
func (s *source) reviewed(mutants []*mutant, judging string, reviews []string) (map[*mutant]string, error) {
	killed := map[*mutant]string{}
	if len(reviews) == 0 || len(mutants) == 0 {
		return killed, nil
	}
	asked, err := queries(reviews)
	if err != nil {
		return nil, err
	}
	var plan []byte
	var built *program
	for {
		var modules map[string]*ast.Module
		built, modules = s.merge(mutants, byHost)
		plan, err = planned(modules, asked)
		// The planner infers types, as everyone does who loads the rules: what is of a wrong type is seen by that.
		var wrong ast.Errors
		if !errors.As(err, &wrong) {
			break
		}
		before := len(mutants)
		mutants = slices.DeleteFunc(slices.Clone(mutants), func(m *mutant) bool {
			seen := slices.ContainsFunc(wrong, func(e *ast.Error) bool { return e.Location != nil && e.Location.File == built.file(m) })
			if seen {
				killed[m] = "types"
			}
			return seen
		})
		if len(mutants) == before {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	directory, err := os.MkdirTemp("", "rego-mutants-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(directory)
	type numbers struct {
		Rule int `json:"rule"`
		ID   int `json:"id"`
	}
	var list []numbers
	by := map[int]*mutant{}
	for _, m := range mutants {
		list = append(list, numbers{built.rules[m.rule], built.mutants[m]})
		by[built.mutants[m]] = m
	}
	text, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{"plan.json": plan, "mutants.json": text}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(directory, name), text, 0o600); err != nil {
			return nil, err
		}
	}
	arguments := []string{"mutants", "--plan", filepath.Join(directory, "plan.json"), "--mutants", filepath.Join(directory, "mutants.json")}
	judge := exec.Command(judging, append(arguments, reviews...)...)
	judge.Stderr = os.Stderr
	said, err := judge.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", judging, err)
	}
	for line := range bytes.Lines(said) {
		var one struct {
			ID int
			By string
		}
		if err := json.Unmarshal(line, &one); err != nil {
			return nil, err
		}
		if killed[by[one.ID]] == "" {
			killed[by[one.ID]] = filepath.Base(one.By)
		}
	}
	return killed, nil
}

// The rules that reviews ask for, as entrypoints.
func queries(reviews []string) ([]string, error) {
	asked := map[string]bool{}
	for _, path := range reviews {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(text) {
			review := struct{ Query string }{"main.findings"}
			if err := json.Unmarshal(line, &review); err != nil {
				return nil, fmt.Errorf("%s: a line is no review: %w", path, err)
			}
			asked[strings.ReplaceAll(review.Query, ".", "/")] = true
		}
	}
	return sorted(asked), nil
}

func planned(modules map[string]*ast.Module, entrypoints []string) ([]byte, error) {
	b := &bundle.Bundle{Data: map[string]any{}}
	b.SetRegoVersion(ast.RegoV1)
	b.Manifest.Init()
	add := func(path string, module *ast.Module) {
		b.Modules = append(b.Modules, bundle.ModuleFile{URL: path, Path: path, Parsed: module})
	}
	for _, path := range sorted(modules) {
		if !strings.HasSuffix(path, "_test.rego") {
			add(path, modules[path])
		}
	}
	// In their place the host answers.
	host := "mutant.rego"
	add(host, ast.MustParseModule("package mutant\n\non(id) if id < 0\n\noff(rule) if rule >= 0"))
	compiler := compile.New().WithTarget(compile.TargetPlan).WithEntrypoints(entrypoints...).WithPruneUnused(true).WithBundle(b)
	if err := compiler.Build(background); err != nil {
		return nil, err
	}
	return compiler.Bundle().PlanModules[0].Raw, nil
}
