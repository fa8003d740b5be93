package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
)

// documented is a variable in docs/reference/configuration.md.
type documented struct{ secret, required bool }

// configuration returns the variables that the reference lists for each program.
func configuration(t *testing.T) map[string]map[string]documented {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, "docs", "reference", "configuration.md"))
	require.NoError(t, err)
	all := append(programs(), "migrate", "admin")
	found := make(map[string]map[string]documented)
	for _, program := range all {
		found[program] = make(map[string]documented)
	}
	heading := regexp.MustCompile(`^\*\*(.+)\*\*$`)
	row := regexp.MustCompile("^- `([A-Z0-9_]+)`(?: \\((.*?)\\))?: (.*)$")
	var readers []string
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSuffix(line, "\n")
		if group := heading.FindStringSubmatch(line); group != nil {
			readers = strings.Split(group[1], ", ")
			if group[1] == "every program" {
				readers = all
			}
		} else if cells := row.FindStringSubmatch(line); cells != nil {
			for _, program := range readers {
				if found[program] != nil {
					found[program][cells[1]] = documented{
						secret: strings.HasSuffix(cells[3], " Secret."), required: cells[2] == "**required**",
					}
				}
			}
		}
	}
	return found
}

// environment returns the environment of a pod's container by name.
func environment(pod *corev1.PodTemplateSpec) map[string]corev1.EnvVar {
	found := make(map[string]corev1.EnvVar)
	for _, variable := range pod.Spec.Containers[0].Env {
		found[variable.Name] = variable
	}
	return found
}

// value returns a value for a variable that is not a secret.
func value(name string) string {
	switch {
	case strings.HasSuffix(name, "_ADDR"):
		return ":18080"
	case strings.HasSuffix(name, "_URL"), strings.HasSuffix(name, "_ENDPOINT"):
		return "https://" + strings.ToLower(strings.ReplaceAll(name, "_", "-")) + ".example.com"
	case name == "TEMPORAL_ADDRESS":
		return "temporal.example.com:7233"
	case name == "MEDIA_FOLDER":
		return "/media"
	}
	return "set-" + name
}

// TestEveryVariableCanBeSet sets every variable of the reference, and checks that each program gets exactly its own.
func TestEveryVariableCanBeSet(t *testing.T) {
	t.Parallel()
	reference := configuration(t)
	var config, secrets strings.Builder
	set := make(map[string]bool)
	for _, variables := range reference {
		for name, v := range variables {
			switch {
			case set[name]:
			case v.secret:
				fmt.Fprintf(&secrets, "    %s: {}\n", name)
			default:
				fmt.Fprintf(&config, "  %s: %q\n", name, value(name))
			}
			set[name] = true
		}
	}
	given := values(t, "minimal.yaml", "config:\n"+config.String(),
		"secrets:\n  variables:\n    S3_ACCESS_KEY: null\n"+secrets.String(),
		"defaults: {config: {DRAIN_DELAY: set-DRAIN_DELAY}}\nworker: {config: {DRAIN_DELAY: set-DRAIN_DELAY}}")
	found := pods(t, render(t, given))
	for program, variables := range reference {
		require.NotEmpty(t, variables, program)
		got := environment(found[program])
		want := make(map[string]string)
		for name, v := range variables {
			if v.secret {
				want[name+"_FILE"] = "/run/secrets/fencepost/" + name
			} else {
				want[name] = value(name)
			}
		}
		require.Equal(t, names(want), names(got), program)
		for name, text := range want {
			require.Equal(t, text, got[name].Value, "%s of %s", name, program)
		}
	}
}

// TestProgramsGetOnlyVariablesThatTheyRead checks the examples, and that required variables are set.
func TestProgramsGetOnlyVariablesThatTheyRead(t *testing.T) {
	t.Parallel()
	reference := configuration(t)
	for _, file := range examples(t) {
		given := values(t, file)
		delete(given, "defaults") // variables of other software
		found := pods(t, render(t, given))
		for name, pod := range found {
			program := strings.Split(name, "-")[0]
			got := environment(pod)
			for variable := range got {
				plain := strings.TrimSuffix(variable, "_FILE")
				_, isPlain := reference[program][variable]
				require.True(t, isPlain || reference[program][plain].secret, "%s of %s", variable, name)
			}
			for variable, v := range reference[program] {
				if v.required {
					_, plain := got[variable]
					_, file := got[variable+"_FILE"]
					require.True(t, plain || file, "%s requires %s", name, variable)
				}
			}
		}
	}
}

func TestUnknownVariablesAreRefused(t *testing.T) {
	t.Parallel()
	for override, want := range map[string]string{
		"config: {BASE_URI: x}":                         "BASE_URI",
		"api: {config: {PAGES_ADDR: ':80'}}":            "PAGES_ADDR",
		"worker: {groups: {one: {config: {NONE: x}}}}":  "NONE",
		"config: {S3_SECRET_KEY: x}":                    "S3_SECRET_KEY",
		"secrets: {variables: {NO_SUCH: {}}}":           "NO_SUCH",
		"secrets: {files: {TEMPORAL_TLS_CA: {}}}":       "TEMPORAL_TLS_CA",
		"config: {BASE_URL: ''}":                        "BASE_URL",
		"config: {TEMPORAL_ADDRESS: null}":              "TEMPORAL_ADDRESS",
		"secrets: {variables: {DATABASE_URL: null}}":    "DATABASE_URL",
		"secrets: {existingSecret: ''}":                 "existingSecret",
		"config: {S3_ACCESS_KEY: plain}":                "S3_ACCESS_KEY is set both",
		"worker: {config: {MEDIA_FOLDER: ''}}":          "MEDIA_FOLDER",
		"api: {replica: 3}":                             "replica",
		"worker: {groups: {Big: {}}}":                   "Big",
		"api: {image: {tag: 'not a tag'}}":              "tag",
		"api: {probes: {readiness: {periodSecs: 1}}}":   "periodSecs",
		"worker: {groups: {one: {groups: {two: {}}}}}":  "groups",
		"networkPolicy: {database: {port: 'postgres'}}": "port",
	} {
		require.Contains(t, refusal(t, values(t, "minimal.yaml", override)), want, override)
		// A schema can be skipped, the checks of the templates cannot.
		if strings.Contains(override, "onfig: {") && !strings.Contains(override, "probes") {
			_, err := tryRender(t, values(t, "minimal.yaml", override), false)
			require.ErrorContains(t, err, want, override)
		}
	}
}

// TestLargeNumbersKeepTheirDigits covers YAML numbers, which templates receive as floating-point numbers.
func TestLargeNumbersKeepTheirDigits(t *testing.T) {
	t.Parallel()
	found := pods(t, render(t, values(t, "minimal.yaml", `
config: {X_UPLOAD_SEGMENT_BYTES: 4194304, TRUSTED_PROXIES: [10.0.0.0/8, "fd00::/8"]}
worker: {config: {RETRY_SCALE: 0.5, INSIGHTS_SCHEDULES: false, WORKER_PUBLISH_CONCURRENCY: 1000000}}`)))
	worker := environment(found["worker"])
	require.Equal(t, "4194304", worker["X_UPLOAD_SEGMENT_BYTES"].Value)
	require.Equal(t, "0.5", worker["RETRY_SCALE"].Value)
	require.Equal(t, "false", worker["INSIGHTS_SCHEDULES"].Value)
	require.Equal(t, "1000000", worker["WORKER_PUBLISH_CONCURRENCY"].Value)
	require.Equal(t, "10.0.0.0/8,fd00::/8", environment(found["api"])["TRUSTED_PROXIES"].Value)
}
