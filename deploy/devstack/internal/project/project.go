// Package project locates the folders of the checkout in which devstack works.
package project

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrNoRoot means that neither the working folder nor devstack's own folder is inside a checkout.
var ErrNoRoot = errors.New("no checkout found: run devstack inside it, or give --root")

// dynamicConfig is a file that identifies a checkout.
const dynamicConfig = "deploy/temporal/dynamic.yaml"

// Folders holds absolute paths.
type Folders struct {
	// Root is the checkout, Run the data of the local stack, Bin the built programs.
	Root, Run, Bin string
}

// DynamicConfig returns the path of Temporal's dynamic configuration.
func (f Folders) DynamicConfig() string { return filepath.Join(f.Root, dynamicConfig) }

// InstallScript returns the path of the script that installs packages of the machine.
func (f Folders) InstallScript() string { return filepath.Join(f.Root, "tools", "install.sh") }

// Logs returns the folder of the stack's logs.
func (f Folders) Logs() string { return filepath.Join(f.Run, "logs") }

// Locate completes the folders. If root is empty, it searches upwards from each of starts. If run or bin is empty, it
// is .run or .bin in the root.
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
