package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// program is a built program with the variables that it declares.
type program struct {
	Name      string
	Variables []variable
}

// variable is an element of the output of print-config.
type variable struct {
	Name, Default, Description, Example string
	Required, Secret                    bool
}

// readPrograms runs print-config of each program.
func readPrograms(paths []string) ([]program, error) {
	programs := make([]program, len(paths))
	for i, path := range paths {
		programs[i].Name = filepath.Base(path)
		out, err := exec.Command(path, "print-config").Output()
		if err == nil {
			err = json.Unmarshal(out, &programs[i].Variables)
		}
		if err != nil {
			return nil, fmt.Errorf("%s print-config: %w", path, err)
		}
	}
	return programs, nil
}

// setting is a variable with the programs that read it and their defaults.
type setting struct {
	variable
	Programs, Defaults []string
	Differ             bool // whether the defaults do
}

// group is the settings that the same programs read.
type group struct {
	Programs string
	Settings []*setting
}

// configuration writes the list of docs/reference/configuration.md.
func configuration(path string, paths []string) error {
	programs, err := readPrograms(paths)
	if err != nil {
		return err
	}
	var settings []*setting
	for _, p := range programs {
		for _, v := range p.Variables {
			s := find(&settings, func(s *setting) bool { return s.Name == v.Name })
			if s.Programs == nil {
				s.variable = v
			}
			s.Programs, s.Defaults = append(s.Programs, p.Name), append(s.Defaults, v.Default)
			s.Differ = s.Differ || v.Default != s.Default
		}
	}
	var groups []*group
	for _, s := range settings {
		names := strings.Join(s.Programs, ", ")
		if len(s.Programs) == len(programs) {
			names = "every program"
		}
		g := find(&groups, func(g *group) bool { return g.Programs == names })
		g.Programs, g.Settings = names, append(g.Settings, s)
	}
	return writeSection(path, "configuration", groups)
}
