// Package rules prepares the rules for the OPA library.
package rules

import (
	"context"
	"os"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/loader"
	"github.com/open-policy-agent/opa/v1/rego"
)

// Prepare compiles the modules below a directory for the query of the findings; tests and the data files that have a generated
// module are not among them.
func Prepare(directory string) (rego.PreparedEvalQuery, error) {
	loaded, err := loader.NewFileLoader().Filtered([]string{directory}, func(path string, info os.FileInfo, _ int) bool {
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
