// Package lines is how the Go programs that judge for the comparisons talk: a line in, a line out.
package lines

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
)

// Answer writes the JSON of what judge makes of each line of standard input as a line of standard output, until the input ends.
func Answer(judge func(line []byte) any) error {
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	answers := json.NewEncoder(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := answers.Encode(judge(line)); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
}
