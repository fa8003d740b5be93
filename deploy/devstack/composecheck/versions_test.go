package composecheck_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	infra "fencepost.internal/devstack/internal/servers"
)

func TestImagesArePinned(t *testing.T) {
	t.Parallel()
	for name, service := range load(t).Services {
		if service.Build != nil {
			require.Empty(t, service.Image, name)
			continue
		}
		_, tag, tagged := strings.Cut(service.Image, ":")
		require.True(t, tagged, "%s: %s", name, service.Image)
		require.NotEqual(t, "latest", tag, name)
	}
}

func TestTemporalVersions(t *testing.T) {
	t.Parallel()
	services := load(t).Services
	server := moduleVersion(t, "go.temporal.io/server")
	require.Equal(t, "temporalio/server:"+server, services["temporal"].Image)
	require.Equal(t, "temporalio/admin-tools:"+server, services["temporal-schema"].Image)

	// Not every patch version of the UI has an image.
	minor := regexp.MustCompile(`^\d+\.\d+`).FindString(moduleVersion(t, "github.com/temporalio/ui-server/v2"))
	require.Regexp(t, "^temporalio/ui:"+regexp.QuoteMeta(minor)+`\.\d+$`, services["temporal-ui"].Image)
}

// TestCaddyVersions compares the image with the module from which deploy/containers builds its substitute.
func TestCaddyVersions(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join(root, "deploy", "containers", "go.mod"))
	require.NoError(t, err)
	_, version, found := strings.Cut(load(t).Services["caddy"].Image, ":")
	require.True(t, found)
	require.Regexp(t, `github\.com/caddyserver/caddy/v2 v`+regexp.QuoteMeta(version)+`( // indirect)?\n`, string(raw))
}

// TestDockerfileBuildsOffline covers lines that need more than the base images and the needed modules.
func TestDockerfileBuildsOffline(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join(root, "deploy", "docker", "Dockerfile"))
	require.NoError(t, err)
	require.NotRegexp(t, `(?i)^#\s*syntax\s*=`, string(raw), "the builder would pull a frontend")
	require.NotContains(t, string(raw), "go mod download", "it downloads modules that no program needs")
}

// TestImageLabels checks the default of VERSION, and that every image has the labels.
func TestImageLabels(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join(root, "deploy", "docker", "Dockerfile"))
	require.NoError(t, err)
	output, err := exec.CommandContext(t.Context(), filepath.Join(bin, "api"), "--version").Output()
	require.NoError(t, err)
	version, _, _ := strings.Cut(strings.TrimSpace(string(output)), "+")
	require.Contains(t, string(raw), "\nARG VERSION="+version+"\n")
	for _, program := range programNames() {
		_, instructions := chain(stages(t), program)
		labels := strings.Join(slices.DeleteFunc(instructions, func(line string) bool { return !strings.HasPrefix(line, "LABEL ") }), " ")
		for _, label := range []string{"version=$VERSION", "revision=$REVISION", "licenses=Apache-2.0", "title=" + program} {
			require.Contains(t, labels, "org.opencontainers.image."+label, program)
		}
	}
	for name, service := range load(t).Services {
		if service.Build != nil {
			require.Contains(t, service.Build.Args, "REVISION", name)
		}
	}
}

// moduleVersion returns the version of a module that devstack links, without the v.
func moduleVersion(t *testing.T, module string) string {
	t.Helper()
	raw, err := os.ReadFile("../go.mod")
	require.NoError(t, err)
	found := regexp.MustCompile(`(?m)^\t` + regexp.QuoteMeta(module) + ` v(\S+)`).FindSubmatch(raw)
	require.NotNil(t, found, module)
	return string(found[1])
}

func TestDockerfileBuildsPrograms(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join(root, "deploy", "docker", "Dockerfile"))
	require.NoError(t, err)
	dockerfile := string(raw)
	for _, program := range programNames() {
		require.Contains(t, dockerfile, " ./services/"+program, "built")
		target := regexp.MustCompile(`\nFROM (base|opener|operator) AS ` + program + `\n`).FindStringIndex(dockerfile)
		require.NotNil(t, target, "no target %s", program)
		stage, _, _ := strings.Cut(dockerfile[target[1]:], "\nFROM ")
		require.Contains(t, stage, "COPY --from=build /out/"+program+" /"+program+"\n")
		require.Contains(t, stage, `ENTRYPOINT ["/`+program+`"]`)

		var exposed []string
		if _, line, ok := strings.Cut(stage, "EXPOSE "); ok {
			line, _, _ = strings.Cut(line, "\n")
			exposed = strings.Fields(line)
		}
		ports := addresses(declared(t, program))
		require.ElementsMatch(t, ports, exposed, "EXPOSE of %s", program)
		require.Equal(t, len(ports) > 0, strings.Contains(stage, `CMD ["/`+program+`", "healthcheck"]`), program)
	}
	require.Equal(t, 3, strings.Count(dockerfile, "\nUSER 65532:65532\n"), "in the stages that programs are based on")
}

// TestWorkerImageHasMediaPrograms compares the Dockerfile with the list of packages in tools/install.sh.
func TestWorkerImageHasMediaPrograms(t *testing.T) {
	t.Parallel()
	dockerfile, err := os.ReadFile(filepath.Join(root, "deploy", "docker", "Dockerfile"))
	require.NoError(t, err)
	listed, err := exec.CommandContext(t.Context(), filepath.Join(root, "tools", "install.sh"), "--list",
		infra.Media).Output()
	require.NoError(t, err)
	names := strings.Fields(string(listed))
	require.NotEmpty(t, names)
	for _, name := range names {
		require.Regexp(t, ` `+regexp.QuoteMeta(name)+`[ \n]`, string(dockerfile), name)
	}
}

func TestDockerfileCopiesModules(t *testing.T) {
	t.Parallel()
	workspace, err := os.ReadFile(filepath.Join(root, "go.work"))
	require.NoError(t, err)
	dockerfile, err := os.ReadFile(filepath.Join(root, "deploy", "docker", "Dockerfile"))
	require.NoError(t, err)
	modules := regexp.MustCompile(`(?m)^\t\./(\w+)$`).FindAllStringSubmatch(string(workspace), -1)
	require.NotEmpty(t, modules)
	for _, module := range modules {
		require.Contains(t, string(dockerfile), "\nCOPY "+module[1]+" "+module[1]+"\n")
	}
}
