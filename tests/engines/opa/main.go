// Judges reviews with the OPA library: opa RULES
//
// A line of standard input is an input of the rules, the line that answers it {"findings": […]} or {"error": "…"}.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log"
	"os"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/loader"
	"github.com/open-policy-agent/opa/v1/rego"
)

// No review takes as long; what does is an error.
const deadline = 120 * time.Second

type answer struct {
	Findings any    `json:"findings,omitempty"`
	Error    string `json:"error,omitempty"`
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("opa: ")
	if len(os.Args) != 2 {
		log.Fatal("usage: opa RULES")
	}
	query, err := prepare(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	answers := json.NewEncoder(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return
		}
		if err != nil {
			log.Fatal(err)
		}
		if err := answers.Encode(judge(query, line)); err != nil {
			log.Fatal(err)
		}
		if err := out.Flush(); err != nil {
			log.Fatal(err)
		}
	}
}

func judge(query rego.PreparedEvalQuery, line []byte) answer {
	input, err := ast.ValueFromReader(bytes.NewReader(line))
	if err != nil {
		return answer{Error: err.Error()}
	}
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	results, err := query.Eval(ctx, rego.EvalParsedInput(input))
	switch {
	case err != nil:
		return answer{Error: err.Error()}
	case len(results) != 1:
		return answer{Error: "data.main.findings is undefined"}
	}
	return answer{Findings: results[0].Expressions[0].Value}
}

// prepare compiles the modules below a directory; tests and the data files that have a generated module are not among them.
func prepare(rules string) (rego.PreparedEvalQuery, error) {
	loaded, err := loader.NewFileLoader().Filtered([]string{rules}, func(path string, info os.FileInfo, _ int) bool {
		return !info.IsDir() && (!strings.HasSuffix(path, ".rego") || strings.HasSuffix(path, "_test.rego"))
	})
	if err != nil {
		return rego.PreparedEvalQuery{}, err
	}
	compiler := ast.NewCompiler()
	if compiler.Compile(loaded.ParsedModules()); compiler.Failed() {
		return rego.PreparedEvalQuery{}, compiler.Errors
	}
	return rego.New(rego.Query("data.main.findings"), rego.Compiler(compiler)).PrepareForEval(context.Background())
}
