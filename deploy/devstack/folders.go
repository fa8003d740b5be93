package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"fencepost.internal/devstack/internal/stack"
)

// ErrNoRoot means that neither the working folder nor devstack's own folder is inside a checkout.
var ErrNoRoot = errors.New("no checkout found: run devstack inside it, or give --root")

// Locate completes the folders. If Root is empty, it searches upwards from each of starts. If Run or Bin is empty, it is
// .run or .bin in the root.
func Locate(folders stack.Folders, starts ...string) (stack.Folders, error) {
	for _, start := range starts {
		for folder := start; folders.Root == "" && folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
			if _, err := os.Stat(filepath.Join(folder, stack.DynamicConfig)); err == nil {
				folders.Root = folder
			}
		}
	}
	if folders.Root == "" {
		return stack.Folders{}, ErrNoRoot
	}
	if _, err := os.Stat(filepath.Join(folders.Root, stack.DynamicConfig)); err != nil {
		return stack.Folders{}, fmt.Errorf("%s is not a checkout: %w", folders.Root, err)
	}
	if folders.Run == "" {
		folders.Run = filepath.Join(folders.Root, ".run")
	}
	if folders.Bin == "" {
		folders.Bin = filepath.Join(folders.Root, ".bin")
	}
	for _, path := range []*string{&folders.Root, &folders.Run, &folders.Bin} {
		*path, _ = filepath.Abs(*path) // fails only without a working folder
	}
	return folders, nil
}
