// Answers admission reviews with the OPA library: bench/opa RULES
//
// A prepared query of the same rules, in the way that costs OPA least: modules compiled once, the inventory parsed once, a
// review parsed straight into a term. One line of JSON on standard input asks for a measurement, one line answers it.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/version"
	"walguard.dev/tests/engines/lines"
	"walguard.dev/tests/engines/opa/rules"
)

// What is measured: reviews of one body, on so many threads at once.
type order struct {
	Body       string          `json:"body"`
	Inventory  json.RawMessage `json:"inventory"`
	Iterations int             `json:"iterations"`
	Threads    int             `json:"threads"`
}

type measurement struct {
	WallNanoseconds int64  `json:"wall_nanoseconds"`
	CPUNanoseconds  int64  `json:"cpu_nanoseconds"`
	Answer          string `json:"answer"`
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("bench/opa: ")
	if len(os.Args) != 2 {
		log.Fatal("usage: opa RULES")
	}
	query, err := rules.Prepare(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(map[string]string{"opa": version.Version, "go": runtime.Version()}); err != nil {
		log.Fatal(err)
	}
	if err := lines.Answer(func(line []byte) any { return answer(query, line) }); err != nil {
		log.Fatal(err)
	}
}

func answer(query rego.PreparedEvalQuery, line []byte) measurement {
	var o order
	if err := json.Unmarshal(line, &o); err != nil {
		log.Fatal(err)
	}
	measured, err := measure(query, o)
	if err != nil {
		log.Fatal(err)
	}
	return measured
}

func measure(query rego.PreparedEvalQuery, o order) (measurement, error) {
	inventory, err := ast.ValueFromReader(bytes.NewReader(o.Inventory))
	if err != nil {
		return measurement{}, err
	}
	body := []byte(o.Body)
	answers := make([][]byte, o.Threads)
	errs := make([]error, o.Threads)
	var wait sync.WaitGroup
	cpu, started := cpuNanoseconds(), time.Now()
	for thread := range o.Threads {
		wait.Go(func() {
			for range o.Iterations / o.Threads {
				if answers[thread], errs[thread] = review(query, body, inventory); errs[thread] != nil {
					return
				}
			}
		})
	}
	wait.Wait()
	wall, cpu := time.Since(started).Nanoseconds(), cpuNanoseconds()-cpu
	for _, err := range errs {
		if err != nil {
			return measurement{}, err
		}
	}
	return measurement{WallNanoseconds: wall, CPUNanoseconds: cpu, Answer: string(answers[0])}, nil
}

// review answers one call: bytes in, bytes out.
func review(query rego.PreparedEvalQuery, body []byte, inventory ast.Value) ([]byte, error) {
	// ast.Value has no raw parts: the whole body becomes a term once.
	call, err := ast.ValueFromReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	envelope, ok := call.(ast.Object)
	if !ok {
		return nil, fmt.Errorf("the body is no object")
	}
	request := envelope.Get(ast.StringTerm("request"))
	input := ast.NewObject(
		[2]*ast.Term{ast.StringTerm("review"), request},
		[2]*ast.Term{ast.StringTerm("inventory"), ast.NewTerm(inventory)},
	)
	results, err := query.Eval(context.Background(), rego.EvalParsedInput(input))
	if err != nil {
		return nil, err
	}
	if len(results) != 1 {
		return nil, fmt.Errorf("data.main.findings is undefined")
	}
	findings, _ := results[0].Expressions[0].Value.([]any)
	uid, err := ast.JSON(request.Value.(ast.Object).Get(ast.StringTerm("uid")).Value)
	if err != nil {
		return nil, err
	}
	response := map[string]any{"uid": uid, "allowed": true}
	var denials, warnings []string
	for _, found := range findings {
		finding := found.(map[string]any)
		line := fmt.Sprintf("%s: %s", finding["check"], finding["message"])
		switch finding["severity"] {
		case "error":
			denials = append(denials, line)
		case "warning":
			warnings = append(warnings, line)
		}
	}
	if len(warnings) > 0 {
		response["warnings"] = warnings
	}
	if len(denials) > 0 {
		response["allowed"] = false
		response["status"] = map[string]any{"code": 403, "message": strings.Join(denials, "\n")}
	}
	return json.Marshal(map[string]any{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response})
}

// cpuNanoseconds is what all threads of the process took, the garbage collector's included.
func cpuNanoseconds() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}
