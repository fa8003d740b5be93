// Package project finds the folders of the checkout that devstack works in.
package project

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrNoRoot means that neither the working folder nor devstack's own place lies inside a checkout.
var ErrNoRoot = errors.New("no checkout found: run devstack inside it, or give --root")

// dynamicConfig is part of every checkout and tells one from any other folder.
const dynamicConfig = "deploy/temporal/dynamic.yaml"

// Folders are absolute paths.
type Folders struct {
	// Root is the checkout, Run the data of the local stack, Bin the built programs.
	Root, Run, Bin string
}

// DynamicConfig is Temporal's dynamic configuration.
func (f Folders) DynamicConfig() string { return filepath.Join(f.Root, dynamicConfig) }

// InstallScript installs packages of the machine.
func (f Folders) InstallScript() string { return filepath.Join(f.Root, "tools", "install.sh") }

// Logs is where the stack keeps its logs.
func (f Folders) Logs() string { return filepath.Join(f.Run, "logs") }

// Locate completes the folders: an empty root is looked for upwards from each of starts; an empty run or bin folder is
// .run or .bin in the root.
func Locate(root, run, bin string, starts ...string) (Folders, error) {
	if root == "" {
		var err error
		if root, err = findRoot(starts); err != nil {
			return Folders{}, err
		}
	}
	if run == "" {
		run = filepath.Join(root, ".run")
	}
	if bin == "" {
		bin = filepath.Join(root, ".bin")
	}
	folders := Folders{Root: root, Run: run, Bin: bin}
	for _, path := range []*string{&folders.Root, &folders.Run, &folders.Bin} {
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return Folders{}, fmt.Errorf("resolve %s: %w", *path, err)
		}
		*path = absolute
	}
	if _, err := os.Stat(folders.DynamicConfig()); err != nil {
		return Folders{}, fmt.Errorf("%s is not a checkout: %w", folders.Root, err)
	}
	return folders, nil
}

func findRoot(starts []string) (string, error) {
	for _, start := range starts {
		for folder := start; folder != ""; folder = filepath.Dir(folder) {
			if _, err := os.Stat(filepath.Join(folder, dynamicConfig)); err == nil {
				return folder, nil
			}
			if folder == filepath.Dir(folder) {
				break
			}
		}
	}
	return "", ErrNoRoot
}
