package main

import (
	"fmt"
	"os"

	"go.yaml.in/yaml/v3"
)

// Mutants that mean the same as the rule. They are known by package, rule and change, so they stay known when lines move.
type equivalent map[string]bool

func fingerprint(in, mutation string) string { return in + "\n" + mutation }

func readEquivalent(path string) (equivalent, error) {
	known := equivalent{}
	if path == "" {
		return known, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var rows []struct{ In, Mutation, Why string }
	if err := yaml.Unmarshal(text, &rows); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i, row := range rows {
		if row.In == "" || row.Mutation == "" || row.Why == "" {
			return nil, fmt.Errorf("%s: row %d needs in, mutation and why", path, i+1)
		}
		known[fingerprint(row.In, row.Mutation)] = true
	}
	return known, nil
}

func (e equivalent) has(m *mutant) bool { return e[fingerprint(m.name(), m.text)] }

// The rows that are no mutant of the rules as they are.
func (e equivalent) stale(all []*mutant) []string {
	there := map[string]bool{}
	for _, m := range all {
		there[fingerprint(m.name(), m.text)] = true
	}
	var gone []string
	for _, key := range sorted(e) {
		if !there[key] {
			gone = append(gone, key)
		}
	}
	return gone
}
