// Command configtable writes the table of docs/reference/configuration.md from the declarations of the built programs
// (their argument print-config):
//
//	go run tools/gen/configtable/main.go .bin/api .bin/worker .bin/files .bin/migrate .bin/admin .bin/sandbox
//
// With -write FILE the table replaces the text between the marks in the file.
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
	"slices"
	"strings"
)

const (
	beginMark = "<!-- configuration: begin -->\n"
	endMark   = "<!-- configuration: end -->\n"
)

// variable is an element of the output of print-config.
type variable struct {
	Name, Default, Description string
	Required, Secret           bool
}

// row is a variable with the programs that read it.
type row struct {
	variable
	programs []string
	defaults []string // one per program
}

func main() {
	log.SetFlags(0)
	file := flag.String("write", "", "`FILE` to write the table into, between its marks")
	flag.Parse()
	table, err := tableOf(flag.Args())
	if err == nil && *file != "" {
		err = replace(*file, table)
	} else if err == nil {
		_, err = os.Stdout.WriteString(table)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func tableOf(programs []string) (string, error) {
	if len(programs) == 0 {
		return "", errors.New("usage: configtable [-write FILE] PROGRAM…")
	}
	var rows []*row
	byName := make(map[string]*row)
	for _, path := range programs {
		found, err := ask(path)
		if err != nil {
			return "", err
		}
		for _, v := range found {
			r := byName[v.Name]
			if r == nil {
				r = &row{variable: v}
				byName[v.Name], rows = r, append(rows, r)
			}
			r.programs, r.defaults = append(r.programs, filepath.Base(path)), append(r.defaults, v.Default)
		}
	}
	return render(rows, len(programs)), nil
}

// render returns the table, with a line before the variables of each set of programs.
func render(rows []*row, programs int) string {
	var groups []string
	byGroup := make(map[string][]*row)
	for _, r := range rows {
		name := strings.Join(r.programs, ", ")
		if len(r.programs) == programs {
			name = "every program"
		}
		if byGroup[name] == nil {
			groups = append(groups, name)
		}
		byGroup[name] = append(byGroup[name], r)
	}
	var text strings.Builder
	text.WriteString("| Variable | Default | Meaning |\n|---|---|---|\n")
	for _, name := range groups {
		fmt.Fprintf(&text, "| **%s** | | |\n", name)
		for _, r := range byGroup[name] {
			fmt.Fprintf(&text, "| `%s` | %s | %s |\n", r.Name, r.fallback(), r.meaning())
		}
	}
	return text.String()
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

// fallback returns the default, or the default of each program where they differ.
func (r *row) fallback() string {
	switch distinct := slices.Compact(slices.Clone(r.defaults)); {
	case r.Required:
		return "**required**"
	case len(distinct) > 1:
		parts := make([]string, len(r.programs))
		for i, program := range r.programs {
			parts[i] = program + " `" + r.defaults[i] + "`"
		}
		return strings.Join(parts, ", ")
	case r.Default == "":
		return "none"
	default:
		return "`" + r.Default + "`"
	}
}

func (r *row) meaning() string {
	text := strings.ReplaceAll(r.Description, "|", `\|`)
	if r.Secret {
		text += " Secret."
	}
	return text
}

func replace(path, table string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, begun := strings.Cut(string(raw), beginMark)
	_, after, ended := strings.Cut(rest, endMark)
	if !begun || !ended {
		return fmt.Errorf("%s lacks the markers", path)
	}
	return os.WriteFile(path, []byte(before+beginMark+"\n"+table+"\n"+endMark+after), 0o644)
}
