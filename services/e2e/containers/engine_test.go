package containers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// project keeps the containers apart from those of an operator on the same machine.
const project = "fencepost-check"

// checkout is the root of the repository.
const checkout = "../../.."

// stack is the composed stack under test.
type stack struct {
	t        *testing.T
	root     string   // the repository
	engine   []string // runs a command beside the engine
	settings string   // the .env file
	key      string   // of the seeded workspace
	channels map[string]string
	client   *client
}

// newStack returns the stack with the settings that tools/containers.sh wrote.
func newStack(t *testing.T) *stack {
	t.Helper()
	settings := os.Getenv("CONTAINERS_ENV")
	require.NotEmpty(t, settings, "run: make check-containers")
	root, err := filepath.Abs(checkout)
	require.NoError(t, err)
	return &stack{
		t: t, root: root, engine: strings.Fields(os.Getenv("CONTAINERS_ENGINE")), settings: settings,
		channels: make(map[string]string), client: newClient(),
	}
}

// set changes a variable of the .env file.
func (s *stack) set(name, value string) {
	s.t.Helper()
	raw, err := os.ReadFile(s.settings)
	require.NoError(s.t, err)
	lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(string(raw)), "\n"), func(line string) bool {
		return strings.HasPrefix(line, name+"=")
	})
	lines = append(lines, name+"="+value, "")
	require.NoError(s.t, os.WriteFile(s.settings, []byte(strings.Join(lines, "\n")), 0o600))
}

// get returns a variable of the .env file.
func (s *stack) get(name string) string {
	s.t.Helper()
	raw, err := os.ReadFile(s.settings)
	require.NoError(s.t, err)
	for line := range strings.Lines(string(raw)) {
		if value, found := strings.CutPrefix(strings.TrimSpace(line), name+"="); found {
			return value
		}
	}
	return ""
}

// composeCommand returns the command line of Docker Compose with the unmodified docker-compose.yml.
func (s *stack) composeCommand() []string {
	return slices.Concat(s.engine, []string{"docker", "compose", "--progress", "quiet", "--env-file", s.settings, "--project-name", project})
}

// compose runs a command of Docker Compose and returns its output.
func (s *stack) compose(args ...string) string {
	s.t.Helper()
	return s.run(slices.Concat(s.composeCommand(), args)...)
}

// docker runs a command of Docker and returns its output.
func (s *stack) docker(args ...string) string {
	s.t.Helper()
	return s.run(slices.Concat(s.engine, []string{"docker"}, args)...)
}

func (s *stack) run(args ...string) string {
	s.t.Helper()
	output, err := s.try(args...)
	require.NoError(s.t, err, "%s", strings.Join(args, " "))
	return output
}

// try runs a command. Its error contains the output.
func (s *stack) try(args ...string) (string, error) {
	command := exec.CommandContext(context.WithoutCancel(s.t.Context()), args[0], args[1:]...)
	command.Dir = s.root
	var out, problem bytes.Buffer
	command.Stdout, command.Stderr = &out, &problem
	err := command.Run()
	if err != nil {
		return "", &commandError{err, out.String() + problem.String()}
	}
	return strings.TrimSpace(out.String()), nil
}

type commandError struct {
	cause  error
	output string
}

func (e *commandError) Error() string { return e.cause.Error() + "\n" + e.output }
func (e *commandError) Unwrap() error { return e.cause }

// up starts what is not up to date and waits until everything is healthy.
func (s *stack) up(args ...string) {
	s.t.Helper()
	s.compose(slices.Concat([]string{"up", "--detach", "--wait", "--wait-timeout", "600"}, args)...)
}

// containers returns the ids of the running containers of a service.
func (s *stack) containers(service string) []string {
	s.t.Helper()
	return strings.Fields(s.compose("ps", "--quiet", service))
}

// inspect returns what the engine knows about a container.
func (s *stack) inspect(id string) container {
	s.t.Helper()
	var found []container
	require.NoError(s.t, json.Unmarshal([]byte(s.docker("inspect", id)), &found))
	require.Len(s.t, found, 1)
	return found[0]
}

// container is the part of docker inspect that the checks read.
type container struct {
	Image        string
	RestartCount int
	State        struct{ Health struct{ Status string } }
	Config       struct {
		User   string
		Labels map[string]string
	}
	HostConfig struct {
		ReadonlyRootfs bool
		CapDrop        []string
		Memory         int64
		PidsLimit      int64
		LogConfig      struct{ Config map[string]string }
		SecurityOpt    []string
	}
}

// metrics returns the metrics of a program, whose port for machines is not published.
func (s *stack) metrics(host, port string) string {
	s.t.Helper()
	return s.compose("exec", "-T", "postgres", "bash", "-c",
		`exec 3<>"/dev/tcp/$0/$1" && printf 'GET /metrics HTTP/1.0\r\nHost: %s\r\n\r\n' "$0" >&3 && cat <&3`, host, port)
}

// logs prints the last lines of what is not healthy, for the report of a failure.
func (s *stack) logs() {
	output, err := s.try(slices.Concat(s.composeCommand(), []string{"ps", "--all"})...)
	s.t.Log(output, err)
	output, err = s.try(slices.Concat(s.composeCommand(), []string{"logs", "--tail", "5", "--no-color"})...)
	s.t.Log(output, err)
}
