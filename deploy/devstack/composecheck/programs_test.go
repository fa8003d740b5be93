// Package composecheck compares docker-compose.yml, the Dockerfile and the development stack with the declarations of
// the services' programs, so that they stay consistent with the code.
package composecheck_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	root = "../../.."
	// bin is the output folder of "make build". Programs that are up to date are not built again.
	bin = root + "/.bin"
)

// programNames returns the programs that have an image: the folders under services/ that the Dockerfile builds.
func programNames() []string {
	return []string{"admin", "api", "console", "files", "inbound", "mcp", "migrate", "pages", "sandbox", "worker"}
}

func TestMain(m *testing.M) {
	if err := build(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// build builds the programs in the workspace, as the Makefile does.
func build() error {
	arguments := []string{"build", "-trimpath", "-o", ".bin/"}
	for _, name := range programNames() {
		arguments = append(arguments, "./services/"+name)
	}
	command := exec.CommandContext(context.Background(), "go", arguments...)
	command.Dir = root
	command.Env = append(os.Environ(), "GOWORK=", "CGO_ENABLED=0")
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("build the services: %w\n%s", err, output)
	}
	return nil
}

// variable is a program's declaration of an environment variable.
type variable struct {
	Name     string
	Default  string
	Required bool
	Secret   bool
}

// declared returns the variables that a program declares.
func declared(t *testing.T, program string) map[string]variable {
	t.Helper()
	raw, err := exec.CommandContext(t.Context(), filepath.Join(bin, program), "print-config").Output()
	require.NoError(t, err, program)
	var variables []variable
	require.NoError(t, json.Unmarshal(raw, &variables), program)
	require.NotEmpty(t, variables, program)
	byName := make(map[string]variable, len(variables))
	for _, v := range variables {
		byName[v.Name] = v
	}
	return byName
}

// required returns the names of the variables without which a program does not start, sorted.
func required(variables map[string]variable) []string {
	var names []string
	for name, v := range variables {
		if v.Required {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// port returns the number at the end of an address such as ":8080".
func port(address string) string { return address[strings.LastIndexByte(address, ':')+1:] }

// addresses returns the default ports of a program: those of the variables whose name ends in _ADDR.
func addresses(variables map[string]variable) []string {
	var ports []string
	for name, v := range variables {
		if strings.HasSuffix(name, "_ADDR") && v.Default != "" {
			ports = append(ports, port(v.Default))
		}
	}
	slices.Sort(ports)
	return ports
}
