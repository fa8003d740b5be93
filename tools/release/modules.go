package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// own is the prefix of the project's modules.
	own = "fencepost.internal/"
	// standard is the name of Go's standard library in package URLs.
	standard = "std"
)

// module is a linked module, or the standard library.
type module struct {
	path, version string
	folder        string // its source, or that of the version with its licence
	licences      []string
	texts         []text
}

func (m *module) String() string { return m.path + "@" + m.version }

// program is a built program.
type program struct {
	name, hash string
	modules    []string // as path@version
}

// set is the content of several programs.
type set struct {
	goVersion string
	programs  []program
	modules   map[string]*module // by path@version
}

// read returns the modules that the toolchain recorded in programs.
func read(paths []string) (*set, error) {
	found := &set{modules: make(map[string]*module)}
	for _, path := range paths {
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		hash, err := hashOf(path)
		if err != nil {
			return nil, err
		}
		p := program{name: filepath.Base(path), hash: hash}
		goVersion := strings.TrimPrefix(info.GoVersion, "go")
		linked := []*module{{path: standard, version: goVersion}}
		for _, dependency := range info.Deps {
			if dependency.Replace != nil {
				dependency = dependency.Replace
			}
			if !strings.HasPrefix(dependency.Path, own) && !strings.HasPrefix(dependency.Path, ".") {
				linked = append(linked, &module{path: dependency.Path, version: dependency.Version})
			}
		}
		for _, m := range linked {
			found.modules[m.String()] = m
			p.modules = append(p.modules, m.String())
		}
		found.goVersion = goVersion
		found.programs = append(found.programs, p)
	}
	return found, found.locate()
}

func hashOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// locate finds the source of every module in the module cache, which it fills if necessary.
func (s *set) locate() error {
	arguments, source := []string{"mod", "download", "-json"}, make(map[string]*module)
	for id, m := range s.modules {
		if m.path == standard {
			out, err := exec.CommandContext(context.Background(), "go", "env", "GOROOT").Output()
			if err != nil {
				return err
			}
			m.folder = strings.TrimSpace(string(out))
			continue
		}
		if version := licensedLater[id]; version != "" {
			id = m.path + "@" + version
		}
		source[id] = m
		arguments = append(arguments, id)
	}
	if len(source) == 0 {
		return nil
	}
	command := exec.CommandContext(context.Background(), "go", arguments...)
	command.Dir, command.Env = os.TempDir(), append(os.Environ(), "GOWORK=off", "GOFLAGS=") // outside of any module
	out, err := command.Output()
	decoder := json.NewDecoder(bytes.NewReader(out))
	for {
		var downloaded struct{ Path, Version, Dir, Error string }
		if fault := decoder.Decode(&downloaded); errors.Is(fault, io.EOF) {
			break
		} else if fault != nil {
			return errors.Join(err, fault)
		}
		if downloaded.Error != "" {
			return errors.New(downloaded.Error)
		}
		if m := source[downloaded.Path+"@"+downloaded.Version]; m != nil {
			m.folder = downloaded.Dir
		}
	}
	return err
}

// sorted returns the modules in the order of their paths and versions.
func (s *set) sorted() []*module {
	modules := make([]*module, 0, len(s.modules))
	for _, id := range slices.Sorted(maps.Keys(s.modules)) {
		modules = append(modules, s.modules[id])
	}
	return modules
}
