package command

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fencepost.internal/services/cli/internal/failure"
	"fencepost.internal/services/cli/internal/session"
)

//go:embed skill.md
var skill []byte

const (
	serverName = "fencepost"
	shared     = 0o644 // for projects that people share
)

const agentLong = `install connects an AI agent to the tool server of the installation: it writes the agent's MCP configuration and a skill,
which explains this command line to the agent.

The agent signs in by itself, in a browser. With --with-key it uses the API key of the variable FENCEPOST_API_KEY instead; the
key is not written. The files of the project are for everybody who works on it; --scope user writes those of your account.`

// agentFlags say where to install.
type agentFlags struct {
	scope, tools   string
	withKey, print bool
}

// installed is a file that install writes.
type installed struct {
	path    string
	content []byte
}

// agentKinds returns the files of each agent (docs/agents.md).
func agentKinds() map[string]func(a *app, in agentFlags) ([]installed, error) {
	return map[string]func(a *app, in agentFlags) ([]installed, error){"claude": (*app).claude, "codex": (*app).codex}
}

func (a *app) agent() *cobra.Command {
	var in agentFlags
	install := &cobra.Command{
		Use: "install claude|codex", Short: "Connect an AI agent", Long: agentLong,
		Example:   "  $ fencepost agent install claude\n  $ fencepost agent install codex --scope user --print",
		ValidArgs: []string{"claude", "codex"}, Args: exactly("claude or codex"),
		RunE: func(cmd *cobra.Command, args []string) error {
			files, known := agentKinds()[args[0]]
			if !known {
				return failure.Misused("there is no agent %q", args[0]).With("choose claude or codex; docs/agents.md describes others")
			}
			if in.scope != "project" && in.scope != "user" {
				return failure.Misused("--scope is project or user, not %q", in.scope)
			}
			if in.tools == "" {
				to, err := a.access()
				if err != nil {
					return err
				}
				metadata, err := session.Discover(cmd.Context(), httpClient(), to.url)
				if err != nil {
					return err
				}
				if in.tools = metadata.Tools(); in.tools == "" {
					return failure.Misused("the API names no tool server").With("add --tools-url")
				}
			}
			list, err := files(a, in)
			if err != nil {
				return err
			}
			return a.install(list, in.print)
		},
	}
	install.Flags().StringVar(&in.scope, "scope", "project", "`FILES` to write: of the project in this folder, or of the user")
	install.Flags().StringVar(&in.tools, "tools-url", "", "`ADDRESS` of the tool server (default: as the API names it)")
	install.Flags().BoolVar(&in.withKey, "with-key", false, "use the key of FENCEPOST_API_KEY instead of a sign-in")
	install.Flags().BoolVar(&in.print, "print", false, "print the files and write nothing")
	return a.group(&cobra.Command{Use: "agent", Short: "Connect AI agents"}, install)
}

func (a *app) install(files []installed, onlyPrint bool) error {
	for _, file := range files {
		if onlyPrint {
			if _, err := fmt.Fprintf(a.Out, "# %s\n%s\n", file.path, bytes.TrimSpace(file.content)); err != nil {
				return err
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(file.path), 0o755); err != nil { //nolint:gosec // of a shared project
			return err
		}
		if err := replace(file); err != nil {
			return err
		}
		a.note("Wrote %s", file.path)
	}
	return nil
}

// replace writes a file as a whole, and keeps its mode.
func replace(file installed) error {
	mode := fs.FileMode(shared)
	if info, err := os.Stat(file.path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := session.Replace(file.path, file.content); err != nil {
		return err
	}
	return os.Chmod(file.path, mode)
}

// home returns a folder of the project or of the user.
func (a *app) home(in agentFlags) string {
	if in.scope == "user" {
		return a.Environ["HOME"]
	}
	return "."
}

// claude returns the files of Claude Code. Other members of the configuration are kept.
func (a *app) claude(in agentFlags) ([]installed, error) {
	path := filepath.Join(a.home(in), ".mcp.json")
	if in.scope == "user" {
		path = filepath.Join(a.home(in), ".claude.json")
	}
	members := make(map[string]json.RawMessage)
	servers := make(map[string]json.RawMessage)
	raw, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &members); err != nil {
			return nil, failure.Misused("%s is not JSON: %s", path, err).With("correct the file, or use --print")
		}
	}
	if present := members["mcpServers"]; present != nil {
		if err := json.Unmarshal(present, &servers); err != nil {
			return nil, failure.Misused("mcpServers in %s is not an object: %s", path, err)
		}
	}
	server := map[string]any{"type": "http", "url": in.tools}
	if in.withKey {
		server["headers"] = map[string]string{"Authorization": "Bearer ${" + variableKey + "}"}
	}
	if servers[serverName], err = json.Marshal(server); err != nil {
		return nil, err
	}
	if members["mcpServers"], err = json.Marshal(servers); err != nil {
		return nil, err
	}
	content, err := json.MarshalIndent(members, "", "  ")
	return []installed{
		{path: path, content: append(content, '\n')},
		{path: filepath.Join(a.home(in), ".claude", "skills", serverName, "SKILL.md"), content: skill},
	}, err
}

// codex returns the files of Codex. Its configuration is TOML: the server's table is added at the end, or replaced.
func (a *app) codex(in agentFlags) ([]installed, error) {
	folder := filepath.Join(a.home(in), ".codex")
	if own := a.Environ["CODEX_HOME"]; own != "" && in.scope == "user" {
		folder = own
	}
	path := filepath.Join(folder, "config.toml")
	raw, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	table := fmt.Sprintf("[mcp_servers.%s]\nurl = %q\n", serverName, in.tools)
	if in.withKey {
		table += fmt.Sprintf("bearer_token_env_var = %q\n", variableKey)
	}
	content := withoutTable(string(raw), "[mcp_servers."+serverName+"]")
	if content != "" {
		content = strings.TrimRight(content, "\n") + "\n\n"
	}
	return []installed{
		{path: path, content: []byte(content + table)},
		{path: filepath.Join(a.home(in), ".agents", "skills", serverName, "SKILL.md"), content: skill},
	}, nil
}

// withoutTable returns a TOML document without a table: the lines from its header to the next one.
func withoutTable(document, header string) string {
	lines := strings.SplitAfter(document, "\n")
	begin := slices.IndexFunc(lines, func(line string) bool { return strings.TrimSpace(line) == header })
	if begin < 0 {
		return document
	}
	end := begin + 1
	for end < len(lines) && !strings.HasPrefix(strings.TrimSpace(lines[end]), "[") {
		end++
	}
	return strings.Join(slices.Delete(lines, begin, end), "")
}
