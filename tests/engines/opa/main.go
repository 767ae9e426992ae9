// Judges reviews with the OPA library: opa RULES
//
// A line of standard input is an input of the rules, the line that answers it {"findings": […]} or {"error": "…"}.
package main

import (
	"bytes"
	"context"
	"log"
	"os"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"walguard.dev/tests/engines/lines"
	"walguard.dev/tests/engines/opa/rules"
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
	query, err := rules.Prepare(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := lines.Answer(func(line []byte) any { return judge(query, line) }); err != nil {
		log.Fatal(err)
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
