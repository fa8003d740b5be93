package stacktest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/devstack/internal/process"
	"fencepost.internal/devstack/internal/stack"
)

const (
	// repository is the checkout, relative to this package.
	repository = "../../.."
	// shellPatience bounds one run of the commands of README.md.
	shellTimeout = 5 * time.Minute
	// errorsVariable names the file with the shell's standard error, to which the receiver writes too.
	errorsVariable = "STACKTEST_ERRORS"
)

// buildServices builds the programs that the README's stack runs. Programs that are up to date are not built again.
func buildServices() error {
	command := exec.CommandContext(context.Background(), "make", "-s", "build")
	command.Dir = repository
	command.Env = append(os.Environ(), "GOWORK=")
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("build the services: %w\n%s", err, output)
	}
	return nil
}

// block is one block of commands of README.md.
type block struct {
	name   string // the last words in bold before it, or its section
	text   string
	reason string // why it is not executed; empty for an executed block
}

var (
	heading = regexp.MustCompile(`^## (.+)$`)
	bold    = regexp.MustCompile(`\*\*([^*]+)\*\*`)
	mark    = regexp.MustCompile(`^<!-- not executed: (.+) -->$`)
)

// The documents whose commands are executed.
const (
	readme = "README.md"
	curled = "docs/reference/quickstart-curl.md"
)

// blocks returns the blocks of commands of a document in their order.
func blocks(t *testing.T, document string) []block {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(repository, document))
	require.NoError(t, err)
	var found []block
	var name, reason string
	inside := ""
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case inside == "" && strings.HasPrefix(line, "```"):
			inside = line
			if isShell(line) {
				found = append(found, block{name: name, reason: reason})
			}
			reason = ""
		case line == "```":
			inside = ""
		case isShell(inside):
			found[len(found)-1].text += line + "\n"
		case heading.MatchString(line):
			name = heading.FindStringSubmatch(line)[1]
		case mark.MatchString(line):
			reason = mark.FindStringSubmatch(line)[1]
		default:
			for _, words := range bold.FindAllStringSubmatch(line, -1) {
				name = words[1]
			}
		}
	}
	require.NotEmpty(t, found)
	return found
}

func isShell(fence string) bool {
	return slices.Contains([]string{"```sh", "```bash", "```shell", "```console"}, fence)
}

func executedBlocks(t *testing.T, document string) []block {
	t.Helper()
	return slices.DeleteFunc(blocks(t, document), func(b block) bool { return b.reason != "" })
}

// boundary is the start of the line, on both outputs, that precedes a block.
const boundary = "@@ block "

// script returns the input of a reader, with a line before each block that prints its name on both outputs.
func script(blocks []block) string {
	var text strings.Builder
	for _, b := range blocks {
		fmt.Fprintf(&text, "printf '\\n%%s\\n' %[1]q; printf '\\n%%s\\n' %[1]q >&2\n%[2]s", boundary+b.name, b.text)
	}
	return text.String()
}

// checkout represents a fresh checkout with a running stack: its files are those of the repository, and it has its own
// .run.
type checkout struct {
	folder       string
	file         stack.File
	receiverPort string
	tools        string // the first folder of the shell's PATH
}

func newCheckout(t *testing.T) *checkout {
	t.Helper()
	s := &checkout{folder: temporary(t), tools: t.TempDir()}
	root, err := filepath.Abs(repository)
	require.NoError(t, err)
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	for _, entry := range entries {
		if !slices.Contains([]string{".run", ".env", ".git"}, entry.Name()) {
			require.NoError(t, os.Symlink(filepath.Join(root, entry.Name()), filepath.Join(s.folder, entry.Name())))
		}
	}
	picked, err := process.Pick(t.Context(), 1)
	require.NoError(t, err)
	s.receiverPort = strconv.Itoa(picked[0])
	s.observeCurl(t)
	running := &fakeStack{folder: filepath.Join(s.folder, ".run"), base: freeBase(t), limit: 2 * shellTimeout}
	running.args = []string{"--run-dir", running.folder, "--bin-dir", filepath.Join(root, ".bin"), "--root", root}
	command, file := running.run(t)
	s.file = file
	t.Cleanup(func() { // the end of the test's context has interrupted the stack
		_ = command.Wait()
		require.True(t, command.ProcessState.Success(), command.ProcessState)
	})
	return s
}

// observeCurl wraps curl to report the method, the address and the status of each response.
func (s *checkout) observeCurl(t *testing.T) {
	t.Helper()
	curl, err := exec.LookPath("curl")
	require.NoError(t, err, "the commands of README.md need curl")
	text := "#!/bin/sh\nexec " + curl + ` -w '%{stderr}@@ status %{method} %{url_effective} %{http_code}\n' "$@"` + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(s.tools, "curl"), []byte(text), 0o700)) //nolint:gosec // G306: the shell executes it
}

// shellResult is the result of a shell.
type shellResult struct {
	code     int
	out, err string
}

// shell runs the text in a fresh shell, and kills the processes that it leaves running.
func (s *checkout) shell(t *testing.T, text string) shellResult {
	t.Helper()
	folder := t.TempDir()
	file, out, errs := filepath.Join(folder, "script"), filepath.Join(folder, "out"), filepath.Join(folder, "err")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), shellTimeout)
	defer cancel()
	command := exec.CommandContext(ctx, "bash", "--noprofile", "--norc", file)
	command.Dir = s.folder
	command.Env = slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "GOWORK=") || strings.HasPrefix(entry, "GOFLAGS=") ||
			strings.HasPrefix(entry, "PATH=")
	})
	command.Env = append(command.Env, "PATH="+s.tools+":"+os.Getenv("PATH"), "RECEIVER_PORT="+s.receiverPort,
		errorsVariable+"="+errs, "XDG_CONFIG_HOME="+folder, "XDG_STATE_HOME="+folder)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// Files instead of pipes: a process that is left running would keep a pipe open.
	stdout, err := os.Create(out)
	require.NoError(t, err)
	stderr, err := os.Create(errs)
	require.NoError(t, err)
	command.Stdout, command.Stderr = stdout, stderr
	require.NoError(t, command.Start())
	code := exitCode(t, command.Wait())
	_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) // there may be no process left
	require.NoError(t, errors.Join(stdout.Close(), stderr.Close()))
	return shellResult{code: code, out: content(t, out), err: content(t, errs)}
}

func content(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(raw)
}

// part returns the output of one block.
func part(output, name string) string {
	_, text, _ := strings.Cut(output, "\n"+boundary+name+"\n")
	text, _, _ = strings.Cut(text, "\n"+boundary)
	return text
}

// printed returns the output of a block without empty lines.
func (r shellResult) printed(name string) string {
	lines := slices.DeleteFunc(strings.Split(part(r.out, name), "\n"), func(line string) bool { return line == "" })
	return strings.Join(lines, "\n")
}

var (
	statusLine = regexp.MustCompile(`@@ status (\S+) https?://[^/]+(/\S*) (\d+)`)
	uuid       = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	objectPath = regexp.MustCompile(`^/media/.*`)
)

// statuses returns the requests of a block with their statuses, without ids and queries, and without repetitions.
func (r shellResult) statuses(name string) []string {
	var found []string
	for _, match := range statusLine.FindAllStringSubmatch(part(r.err, name), -1) {
		path, _, _ := strings.Cut(match[2], "?")
		path = objectPath.ReplaceAllString(uuid.ReplaceAllString(path, "ID"), "/media/…")
		found = append(found, match[1]+" "+path+" "+match[3])
	}
	return slices.Compact(found)
}

func decode[T any](t *testing.T, text string) T {
	t.Helper()
	var value T
	require.NoError(t, json.Unmarshal([]byte(text), &value), text)
	return value
}

// fetch returns the body of a successful response.
func fetch(t *testing.T, request *http.Request) string {
	t.Helper()
	response, err := (&http.Client{Timeout: timeout}).Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode, string(body))
	return string(body)
}
