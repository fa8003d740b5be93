package composecheck_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/devstack/internal/process"
	"fencepost.internal/devstack/internal/stack"
)

func environment(program string) map[string]string {
	stack := stack.Stack{
		Ports: process.Default(), DatabaseURL: "postgres://social:pw@127.0.0.1:54320/social", RunFolder: "/run",
	}
	stack.Secrets.EncryptionKeys, stack.Secrets.S3AccessKey, stack.Secrets.S3SecretKey = "dev:key", "access", "secret"
	variables := make(map[string]string)
	for _, entry := range stack.Environment(program) {
		name, value, _ := strings.Cut(entry, "=")
		variables[name] = value
	}
	return variables
}

func TestRunSetsRequiredVariables(t *testing.T) {
	t.Parallel()
	for _, program := range programNames() {
		for _, name := range required(declared(t, program)) {
			require.NotEmpty(t, environment(program)[name], "%s requires %s", program, name)
		}
	}
}

func TestRunSetsDeclaredVariables(t *testing.T) {
	t.Parallel()
	known := make(map[string]bool)
	for _, program := range programNames() {
		for name := range declared(t, program) {
			known[name] = true
		}
	}
	for name := range environment("api") {
		require.True(t, known[name], "no program declares %s", name)
	}
}

func TestDefaultPorts(t *testing.T) {
	t.Parallel()
	for _, program := range programNames() {
		variables, set := declared(t, program), environment(program)
		for name, v := range variables {
			if strings.HasSuffix(name, "_ADDR") && v.Default != "" {
				require.Equal(t, port(v.Default), port(set[name]), "%s of %s", name, program)
			}
		}
		require.Equal(t, slices.Contains([]string{"api", "console", "mcp", "files", "inbound", "pages", "worker", "sandbox"}, program),
			set["OPS_ADDR"] != "", program)
	}
}
