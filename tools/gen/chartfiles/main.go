// Command chartfiles writes the generated files of a Helm chart, from the declarations of the built programs (their
// argument print-config), tools/chart/values.schema.json and the chart's values.yaml:
//
//	go run tools/gen/chartfiles/*.go -chart deploy/helm .bin/api .bin/worker
//
// The files are files/variables.json (the variables of each program, which the templates read), values.schema.json, and
// the table of values in README.md.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// variable is an element of the output of print-config.
type variable struct {
	Name, Default, Description, Example string
	Required, Secret                    bool
}

// declaration is a variable in files/variables.json. Helm parses the file often, so that it contains only the defaults
// that the templates use: ports, and addresses on this machine, which a cluster must replace.
type declaration struct {
	Default  string `json:"default,omitempty"`
	Required bool   `json:"required,omitempty"`
	Secret   bool   `json:"secret,omitempty"`
}

var usedDefault = regexp.MustCompile(`^:\d+$|localhost|127\.0\.0\.1`)

func main() {
	log.SetFlags(0)
	chart := flag.String("chart", "deploy/helm", "`FOLDER` of the chart")
	base := flag.String("schema", "tools/chart/values.schema.json", "`FILE` with the schema without the variables")
	flag.Parse()
	if err := generate(*chart, *base, flag.Args()); err != nil {
		log.Fatal(err)
	}
}

func generate(chart, base string, paths []string) error {
	if len(paths) == 0 {
		return errors.New("usage: chartfiles [-chart FOLDER] [-schema FILE] PROGRAM…")
	}
	programs := make(map[string][]variable, len(paths))
	for _, path := range paths {
		found, err := ask(path)
		if err != nil {
			return err
		}
		programs[filepath.Base(path)] = found
	}
	declared := make(map[string]map[string]declaration, len(programs))
	for program, variables := range programs {
		declared[program] = make(map[string]declaration, len(variables))
		for _, v := range variables {
			d := declaration{Required: v.Required, Secret: v.Secret}
			if usedDefault.MatchString(v.Default) || strings.HasSuffix(v.Name, "_PORT") {
				d.Default = v.Default
			}
			declared[program][v.Name] = d
		}
	}
	if err := write(filepath.Join(chart, "files", "variables.json"), declared); err != nil {
		return err
	}
	completed, err := schemaOf(base, programs)
	if err != nil {
		return err
	}
	if err := write(filepath.Join(chart, "values.schema.json"), completed); err != nil {
		return err
	}
	return document(filepath.Join(chart, "values.yaml"), filepath.Join(chart, "README.md"))
}

func ask(path string) ([]variable, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	out, err := exec.Command(path, "print-config").Output()
	if err != nil {
		return nil, fmt.Errorf("%s print-config: %w", path, err)
	}
	var found []variable
	if err := json.Unmarshal(out, &found); err != nil {
		return nil, fmt.Errorf("%s print-config: %w", path, err)
	}
	return found, nil
}

func write(path string, value any) error {
	raw, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, append(raw, '\n'), 0o644)
}
