package composecheck_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
)

// copied returns the programs that the profile production runs twice.
func copied() []string {
	return []string{"api", "console", "files", "inbound", "mcp", "pages", "worker"}
}

func TestProfiles(t *testing.T) {
	t.Parallel()
	profiles := make(map[string][]string)
	for name, service := range load(t).Services {
		if len(service.Profiles) > 0 {
			profiles[service.Profiles[0]] = append(profiles[service.Profiles[0]], name)
		}
	}
	for _, names := range profiles {
		slices.Sort(names)
	}
	require.Equal(t, map[string][]string{
		"development": {"sandbox"}, "tools": {"admin"},
		"production": {"api-2", "caddy", "console-2", "files-2", "inbound-2", "mcp-2", "pages-2", "worker-2"},
	}, profiles)
	require.Equal(t, "development", example(t)["COMPOSE_PROFILES"])
}

// aliases returns the further names of a service.
func aliases(service types.ServiceConfig) []string {
	if network := service.Networks["default"]; network != nil {
		return network.Aliases
	}
	return nil
}

func TestReplicasDifferOnlyInPorts(t *testing.T) {
	t.Parallel()
	services := load(t).Services
	for _, name := range copied() {
		program, second := services[name], services[name+"-2"]
		require.Empty(t, second.Ports, name)
		require.NotContains(t, aliases(second), "files.localhost", "one container has a name")
		second.Name, second.Profiles, second.Ports, second.Networks = program.Name, program.Profiles, program.Ports, program.Networks
		require.Equal(t, program, second)
	}
}

func TestContainersHaveLimits(t *testing.T) {
	t.Parallel()
	for name, service := range load(t).Services {
		require.Positive(t, service.MemLimit, name)
		require.Equal(t, "json-file", service.Logging.Driver, name)
		require.NotEmpty(t, service.Logging.Options["max-size"], name)
		require.NotEmpty(t, service.Logging.Options["max-file"], name)
	}
}

// TestHealthChecksAllowSlowDisks checks that a container is not unhealthy while it starts for the first time.
func TestHealthChecksAllowSlowDisks(t *testing.T) {
	t.Parallel()
	for name, service := range load(t).Services {
		if service.HealthCheck == nil {
			continue
		}
		budget := 2 * time.Minute
		switch name {
		case "postgres", "minio", "temporal":
			budget = 10 * time.Minute
		case "caddy":
			budget = time.Minute
		}
		require.Equal(t, budget, time.Duration(*service.HealthCheck.StartPeriod), name)
		require.LessOrEqual(t, time.Duration(*service.HealthCheck.StartInterval), time.Second, "a success is seen at once: %s", name)
	}
}

func TestHostPortsAreConfigurable(t *testing.T) {
	t.Parallel()
	ports := map[string]string{
		"API_PORT": "1", "CONSOLE_PORT": "2", "MCP_PORT": "3", "PAGES_PORT": "4", "FILES_PORT": "5", "INBOUND_PORT": "10", "SANDBOX_PORT": "6",
		"TEMPORAL_UI_PORT": "7", "HTTP_PORT": "8", "HTTPS_PORT": "9",
	}
	services := loadWith(t, ports).Services
	published := make(map[string]string)
	for name, service := range services {
		for _, p := range service.Ports {
			if p.Protocol == "tcp" {
				published[name] += p.Published
			}
		}
	}
	require.Equal(t, map[string]string{
		"api": "1", "console": "2", "mcp": "3", "pages": "4", "files": "5", "inbound": "10", "sandbox": "6", "temporal-ui": "7", "caddy": "89",
	}, published)
	for name, want := range map[string]string{
		"BASE_URL": "http://127.0.0.1:1", "APP_URL": "http://127.0.0.1:2", "MCP_URL": "http://127.0.0.1:3/mcp",
		"PAGES_URL": "http://127.0.0.1:4", "S3_PUBLIC_ENDPOINT": "http://files.localhost:5",
	} {
		require.Equal(t, want, *services["api"].Environment[name])
	}
	// The sandbox network follows links to files inside, under the same address.
	require.Equal(t, ":5", *services["files"].Environment["FILES_ADDR"])
	require.Equal(t, uint32(5), services["files"].Ports[0].Target)

	scaled := loadWith(t, map[string]string{"API_PORT": ""}).Services["api"]
	require.Empty(t, scaled.Ports[0].Published, "the engine chooses a port for each container")
	require.Equal(t, "http://127.0.0.1:8080", *scaled.Environment["BASE_URL"])
}

// TestCaddyForwardsToPortsOfPrograms compares the Caddyfile with the declarations of the programs.
func TestCaddyForwardsToPortsOfPrograms(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join(root, "deploy", "docker", "Caddyfile"))
	require.NoError(t, err)
	forwards := regexp.MustCompile(`(?m)^\timport balanced (\S+) (\S+) (\S+)$`).FindAllStringSubmatch(string(raw), -1)
	var behind []string
	for _, f := range forwards {
		behind = append(behind, f[1])
		variables := declared(t, f[1])
		public := port(variables[strings.ToUpper(f[1])+"_ADDR"].Default)
		if f[1] == "files" {
			require.Equal(t, "{$FILES_PORT}", f[2])
		} else {
			require.Equal(t, public, f[2], f[1])
		}
		require.Equal(t, port(variables["OPS_ADDR"].Default), f[3], f[1])
	}
	slices.Sort(behind)
	behind = slices.Compact(behind) // link pages have further hosts
	require.ElementsMatch(t, slices.DeleteFunc(copied(), func(name string) bool { return name == "worker" }), behind)
	require.Equal(t, "8084", *load(t).Services["caddy"].Environment["FILES_PORT"])
}
