// Command yaml reads manifests the way Kubernetes' own clients do, for crates/manifest/tests/yaml_go.rs to compare with.
//
// Each line of standard input is a JSON object {"mode": …, "data": base64}; each line of output is
// {"documents": [JSON…], "errors": [text…]}.
//
//	document: one document through sigs.k8s.io/yaml, as conftest and the API server do
//	stream:   a file through k8s.io/apimachinery's decoder, as kubectl does
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

type request struct {
	Mode string `json:"mode"`
	Data []byte `json:"data"`
}

type response struct {
	Documents []json.RawMessage `json:"documents"`
	Errors    []string          `json:"errors"`
}

func main() {
	input := json.NewDecoder(bufio.NewReaderSize(os.Stdin, 1<<20))
	output := bufio.NewWriterSize(os.Stdout, 1<<20)
	defer output.Flush()
	for {
		var req request
		if err := input.Decode(&req); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		line, err := json.Marshal(answer(req))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		output.Write(line)
		output.WriteByte('\n')
	}
}

func answer(req request) (res response) {
	defer func() {
		if cause := recover(); cause != nil {
			res.Errors = append(res.Errors, fmt.Sprint("panic: ", cause))
		}
	}()
	if req.Mode == "document" {
		document, err := yaml.YAMLToJSON(req.Data)
		if err != nil {
			res.Errors = append(res.Errors, err.Error())
		} else {
			res.Documents = append(res.Documents, document)
		}
		return res
	}
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(req.Data), 4096)
	// A decoder that cannot go on repeats its error.
	for len(res.Errors) < 100 {
		var document json.RawMessage
		err := decoder.Decode(&document)
		switch {
		case errors.Is(err, io.EOF):
			return res
		case err != nil:
			res.Errors = append(res.Errors, err.Error())
		case len(document) > 0:
			res.Documents = append(res.Documents, decoded(document))
		}
	}
	return res
}

// decoded is JSON as a client understands it: a lone surrogate is U+FFFD.
func decoded(document json.RawMessage) json.RawMessage {
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		panic(err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}
