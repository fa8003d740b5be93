package stack

import (
	"fmt"
	"path/filepath"
	"strings"
)

// threads is a channel type whose posts need nothing but text.
const threads = "THREADS"

// Banner returns the text that is printed when the stack is up: every address, a key, and sample commands.
func (f File) Banner(runFolder string) string {
	var text strings.Builder
	text.WriteString("\n  The stack is up. Stop it with Ctrl-C.\n\n")
	for _, line := range [][2]string{
		{"API", f.APIURL},
		{"application", fmt.Sprintf("%s (%s, password %s)", f.AppURL, f.User.Email, f.User.Password)},
		{"tool server", f.MCPURL},
		{"link pages", f.PagesURL},
		{"reports", f.InboundURL},
		{"sandbox feed", f.SandboxURL},
		{"mailbox", f.SandboxURL + "/mailbox"},
		{"media files", f.FilesURL},
		{"Temporal UI", f.TemporalUIURL},
		{"S3 (MinIO)", f.S3Endpoint},
		{"PostgreSQL", f.DatabaseURL},
		{"operate", filepath.Join(filepath.Dir(runFolder), ".bin", "devstack") + " admin help"},
		{"everything else", filepath.Join(runFolder, FileName)},
		{"logs", filepath.Join(runFolder, "logs")},
	} {
		fmt.Fprintf(&text, "  %-16s %s\n", line[0], line[1])
	}
	if len(f.Workspaces) > 0 {
		text.WriteString(f.examples(f.Workspaces[0]))
	}
	return text.String()
}

func (f File) examples(workspace Workspace) string {
	const form = `
  Try it (workspace %[1]s, plan %[2]s):

  KEY=%[3]s
  curl -sw '\n' -H "Authorization: Bearer $KEY" %[4]s/v1/channels
  curl -sw '\n' -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" %[4]s/v1/posts -d '{"channelIds": ["%[5]s"], "content": "Hello from a laptop", "schedule": "'$(date -u -d '+5 seconds' +%%FT%%TZ)'"}'
  curl -sw '\n' '%[6]s/_sandbox/posts?platform=threads'    # published? the feed is at %[6]s
  claude mcp add --transport http social %[7]s --header "Authorization: Bearer $KEY"    # for an AI agent; docs/agents.md has others

`
	return fmt.Sprintf(form, workspace.Name, workspace.Plan, workspace.APIKey, f.APIURL, firstOf(workspace, threads),
		f.SandboxURL, f.MCPURL)
}

// firstOf returns the id of the workspace's first channel of a type.
func firstOf(workspace Workspace, channelType string) string {
	for _, channel := range workspace.Channels {
		if channel.Type == channelType {
			return channel.ID
		}
	}
	return "<id of a " + channelType + " channel>"
}
