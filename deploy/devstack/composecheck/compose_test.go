package composecheck_test

import (
	"bufio"
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/template"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
)

const composeFile = "docker-compose.yml"

// oneShots returns the services that run to completion. All others keep running and have a health check.
func oneShots() []string { return []string{"admin", "migrate", "temporal-schema"} }

// load loads the file as `docker compose --profile '*' config` does, with a value for every secret.
func load(t *testing.T) *types.Project {
	t.Helper()
	return loadWith(t, nil)
}

// loadWith loads the file with further variables.
func loadWith(t *testing.T, variables map[string]string) *types.Project {
	t.Helper()
	folder, err := filepath.Abs(root)
	require.NoError(t, err)
	environment := types.Mapping{}
	for name, value := range example(t) {
		if value == "" {
			value = "made-up-" + strings.ToLower(strings.ReplaceAll(name, "_", "-"))
		}
		environment[name] = value
	}
	maps.Copy(environment, variables)
	project, err := loader.LoadWithContext(context.WithoutCancel(t.Context()), types.ConfigDetails{
		WorkingDir:  folder,
		ConfigFiles: []types.ConfigFile{{Filename: filepath.Join(folder, composeFile)}},
		Environment: environment,
	}, loader.WithProfiles([]string{"*"}))
	require.NoError(t, err)
	return project
}

// example reads deploy/docker/.env.example.
func example(t *testing.T) map[string]string {
	t.Helper()
	file, err := os.Open(filepath.Join(root, "deploy", "docker", ".env.example"))
	require.NoError(t, err)
	defer file.Close()
	variables := make(map[string]string)
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), "="); ok && !strings.HasPrefix(name, "#") {
			variables[name] = value
		}
	}
	return variables
}

func TestServices(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		"admin", "api", "api-2", "caddy", "console", "console-2", "files", "files-2", "inbound", "inbound-2", "mcp", "mcp-2", "migrate",
		"minio", "pages",
		"pages-2", "postgres", "sandbox", "temporal", "temporal-schema", "temporal-ui", "worker", "worker-2",
	}, slices.Sorted(maps.Keys(load(t).Services)))
}

func TestServicesSetDeclaredVariables(t *testing.T) {
	t.Parallel()
	project := load(t)
	for _, program := range programNames() {
		variables, service := declared(t, program), project.Services[program]
		for name, value := range service.Environment {
			require.Contains(t, variables, name, "%s does not declare %s", program, name)
			require.NotNil(t, value, "%s of %s", name, program)
		}
		for _, name := range required(variables) {
			require.Contains(t, service.Environment, name, "%s requires %s", program, name)
			require.NotEmpty(t, *service.Environment[name], "%s of %s", name, program)
		}
	}
}

// TestConsoleGetsSignInProvider checks that the variables of the sign-in provider in .env reach every console.
func TestConsoleGetsSignInProvider(t *testing.T) {
	t.Parallel()
	provider := map[string]string{
		"OIDC_ISSUER": "https://login.example.com", "OIDC_CLIENT_ID": "social", "OIDC_CLIENT_SECRET": "from the provider",
		"OIDC_NAME": "Example Login",
	}
	without, with := load(t), loadWith(t, provider)
	for _, name := range []string{"console", "console-2"} {
		for variable, want := range provider {
			require.Contains(t, with.Services[name].Environment, variable, name)
			require.Equal(t, want, *with.Services[name].Environment[variable], name)
			require.Equal(t, declared(t, "console")[variable].Default, *without.Services[name].Environment[variable], name)
		}
	}
}

func TestServicesHaveAddressesOfEachOther(t *testing.T) {
	t.Parallel()
	project := load(t)
	sandbox := "http://sandbox:" + port(declared(t, "sandbox")["SANDBOX_ADDR"].Default)
	// One name for browsers, which resolve it without DNS, and for the sandbox network, which fetches media.
	require.Contains(t, project.Services["files"].Networks["default"].Aliases, "files.localhost")
	files := "http://files.localhost:" + port(declared(t, "files")["FILES_ADDR"].Default)
	for _, program := range programNames() {
		environment := project.Services[program].Environment
		for name, want := range map[string]string{
			"DATABASE_URL":         "postgres://social:made-up-social-password@postgres:5432/social?sslmode=disable",
			"TEMPORAL_ADDRESS":     "temporal:7233",
			"NETWORKS_SANDBOX_URL": sandbox,
			"S3_ENDPOINT":          "http://minio:9000",
			"S3_PUBLIC_ENDPOINT":   files,
			"APP_URL":              "http://127.0.0.1:" + port(declared(t, "console")["CONSOLE_ADDR"].Default),
			"MCP_URL":              "http://127.0.0.1:8082/mcp",
			"INBOUND_URL":          "", // networks are asked
			"PAGES_URL":            "http://127.0.0.1:" + port(declared(t, "pages")["PAGES_ADDR"].Default),
		} {
			if value, set := environment[name]; set {
				require.Equal(t, want, *value, "%s of %s", name, program)
			}
		}
	}
}

func TestPublishedPorts(t *testing.T) {
	t.Parallel()
	project := load(t)
	published := make(map[string][]string)
	for name, service := range project.Services {
		for _, p := range service.Ports {
			if name == "caddy" {
				continue
			}
			require.Equal(t, "127.0.0.1", p.HostIP, name)
			published[name] = append(published[name], p.Published)
			if slices.Contains(programNames(), name) {
				require.Contains(t, addresses(declared(t, name)), p.Published, name)
			}
		}
	}
	require.Equal(t, map[string][]string{
		"api": {"8080"}, "console": {"8081"}, "mcp": {"8082"}, "files": {"8084"}, "inbound": {"8086"}, "pages": {"8083"}, "sandbox": {"8090"},
		"temporal-ui": {"8233"},
	}, published, "what else listens is for the other containers alone")
}

func TestServicesHaveNoPrivileges(t *testing.T) {
	t.Parallel()
	services := load(t).Services
	for _, program := range programNames() {
		service := services[program]
		require.True(t, service.ReadOnly, program)
		require.Equal(t, []string{"ALL"}, service.CapDrop, program)
		require.Equal(t, "65532:65532", service.User, program)
		require.Equal(t, program, service.Build.Target)
		require.Equal(t, "deploy/docker/Dockerfile", service.Build.Dockerfile)
	}
	for name, service := range services {
		require.Contains(t, service.SecurityOpt, "no-new-privileges:true", name)
		require.False(t, service.Privileged, name)
		if name == "caddy" {
			require.Equal(t, []string{"NET_BIND_SERVICE"}, service.CapAdd, "the image's program has this capability")
		} else {
			require.Empty(t, service.CapAdd, name)
		}
		require.Equal(t, []string{"ALL"}, service.CapDrop, name)
	}
	for _, name := range []string{"postgres", "minio", "caddy"} {
		require.True(t, services[name].ReadOnly, name)
	}
	require.Equal(t, "999:999", services["postgres"].User)
}

// TestWorkerLimits checks the limits on processes and on written data.
func TestWorkerLimits(t *testing.T) {
	t.Parallel()
	worker := load(t).Services["worker"]
	require.Positive(t, worker.PidsLimit)
	require.Len(t, worker.Tmpfs, 1)
	require.Regexp(t, `^/tmp:.*\bsize=\d+m`, worker.Tmpfs[0])
	require.Equal(t, "/media", *worker.Environment["MEDIA_FOLDER"])
	require.Equal(t, "/media", worker.Volumes[0].Target)
}

func TestServicesHaveHealthChecks(t *testing.T) {
	t.Parallel()
	for name, service := range load(t).Services {
		switch {
		case slices.Contains(oneShots(), name):
			require.Nil(t, service.HealthCheck, name)
		case name == "temporal-ui":
			require.Nil(t, service.HealthCheck, "nothing waits for the UI")
		case slices.Contains(programNames(), strings.TrimSuffix(name, "-2")):
			require.Equal(t, types.HealthCheckTest{"CMD", "/" + strings.TrimSuffix(name, "-2"), "healthcheck"},
				service.HealthCheck.Test)
		default:
			require.NotNil(t, service.HealthCheck, name)
		}
	}
}

func TestDependencies(t *testing.T) {
	t.Parallel()
	project := load(t)
	for name, service := range project.Services {
		for dependency, waits := range service.DependsOn {
			want := types.ServiceConditionHealthy
			if slices.Contains(oneShots(), dependency) {
				want = types.ServiceConditionCompletedSuccessfully
			}
			require.Equal(t, want, waits.Condition, "%s waits for %s", name, dependency)
		}
	}
	for _, program := range []string{"api", "worker", "mcp", "console", "pages", "inbound", "admin"} {
		require.Contains(t, project.Services[program].DependsOn, "migrate", program)
	}
}

func TestMountedFilesExist(t *testing.T) {
	t.Parallel()
	project := load(t)
	var files []string
	for _, service := range project.Services {
		for _, volume := range service.Volumes {
			if volume.Type == types.VolumeTypeBind {
				require.True(t, volume.ReadOnly, volume.Source)
				require.FileExists(t, volume.Source)
				files = append(files, filepath.Base(volume.Source))
			} else {
				require.Contains(t, project.Volumes, volume.Source)
			}
		}
	}
	require.ElementsMatch(t, []string{"postgres-init.sh", "temporal-schema.sh", "dynamic.yaml", "Caddyfile"}, files)
}

func TestExampleSetsRequiredVariables(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join(root, composeFile))
	require.NoError(t, err)
	var must []string
	for _, line := range strings.Split(string(raw), "\n") {
		for name, v := range template.ExtractVariables(map[string]any{"line": line}, template.DefaultPattern) {
			if v.Required {
				must = append(must, name)
			}
		}
	}
	must = append(must, "COMPOSE_PROFILES")
	slices.Sort(must)
	require.Equal(t, slices.Compact(must), slices.Sorted(maps.Keys(example(t))))
}
