package cli_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/platform/connectors"
)

// TestEveryCommandHasExamples checks that every command with an action has an example.
func TestEveryCommandHasExamples(t *testing.T) {
	t.Parallel()
	b := &bundle{}
	for _, command := range []string{
		"", "workspace create", "workspace list", "key create", "key list", "key revoke", "channel create", "channel list",
		"channel connect", "channel disconnect", "insights collect", "user add", "user list", "user password", "user operator",
		"user remove", "user reset-second-factor",
		"oauth-client add", "oauth-client list", "oauth-client show", "oauth-client rotate-secret", "oauth-client remove",
		"link-page show",
		"link-page unpublish", "secrets list", "secrets rewrap", "workers list",
		"backup take", "backup verify", "backup restore", "workers current", "workers ramp", "workers release", "doctor", "seed", "config", "version",
	} {
		out := b.ok(t, append(strings.Fields(command), "--help")...)
		require.Contains(t, out, "Examples:\n  ", command)
		require.Contains(t, out, "--json", command)
		for line := range strings.Lines(out) {
			require.LessOrEqual(t, len([]rune(line)), 140, "%s: %s", command, line)
		}
	}
}

// TestChannelCreateHelpListsUnsupportedTypes compares the help with the types and the connectors of this
// build.
func TestChannelCreateHelpListsUnsupportedTypes(t *testing.T) {
	t.Parallel()
	linked, err := connectors.New(connectors.Environment{SandboxURL: "http://127.0.0.1:1"}, clock.System(), 0)
	require.NoError(t, err)
	out := (&bundle{}).ok(t, "channel", "create", "--help")
	named := func(introduction string) []string {
		_, list, found := strings.Cut(out, introduction+"; they can be created:\n  ")
		require.True(t, found, introduction)
		list, _, _ = strings.Cut(list, "\n")
		return strings.Split(list, ", ")
	}
	var never, notYet []string
	for _, typ := range channel.Types() {
		require.Contains(t, out, string(typ))
		_, publishes := linked.For(channel.Channel{Type: typ})
		switch {
		case !typ.Capabilities().Publish:
			never = append(never, string(typ))
		case !publishes:
			notYet = append(notYet, string(typ))
		}
	}
	require.Equal(t, never, named("The networks of these types do not support publishing"))
	const later = "This version does not publish to these types yet"
	if len(notYet) == 0 {
		require.NotContains(t, out, later)
		return
	}
	require.Equal(t, notYet, named(later))
}

func TestHelpOfGroupsListsTheirCommands(t *testing.T) {
	t.Parallel()
	b := &bundle{}
	out := b.ok(t)
	require.Equal(t, out, b.ok(t, "--help"))
	require.NotContains(t, out, "admin [flags]")
	require.NotContains(t, out, "print-config")
	for _, group := range []string{
		"workspace", "user", "key", "oauth-client", "channel", "insights", "link-page",
		"secrets",
	} {
		require.Contains(t, out, "\n  "+group)
		require.Contains(t, b.ok(t, group), "Available Commands:")
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	b := &bundle{}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		require.Contains(t, b.ok(t, "completion", shell), "admin")
	}
	require.Contains(t, b.ok(t, "__complete", "workspace", "create", "--plan", ""), "GROWTH\n")
	require.Contains(t, b.ok(t, "__complete", "channel", "create", "--type", ""), "TELEGRAM_CHANNEL\n")
	require.Contains(t, b.ok(t, "__complete", "oauth-client", "add", "--type", ""), "public\n")
	require.Contains(t, b.ok(t, "__complete", "key", "create", "--scopes", ""), "posts:publish\n")
}
