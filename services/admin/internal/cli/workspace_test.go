package cli_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWorkspaceCreate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	created := b.one(t, "workspace", "create", "--name", "  Café “Zoë”  ", "--plan", "growth", "--timezone", "Europe/Berlin")
	id := text(t, created, "id")
	require.Equal(t, record{
		"id": id, "name": "Café “Zoë”", "plan": "GROWTH", "timezone": "Europe/Berlin",
		"reconnectHoldSeconds": float64(86400), "publishingStoppedAt": nil,
		"createdAt": "2026-03-01T09:00:00.000Z",
	}, created)
	require.Equal(t, []record{created}, b.many(t, "workspace", "list"))
}

func TestWorkspaceDefaultsAndTable(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Equal(t, "There are no workspaces. Create one with: admin workspace create\n", b.ok(t, "workspace", "list"))
	require.Equal(t, "[]\n", b.ok(t, "workspace", "list", "--json"))
	require.Regexp(t, `^Workspace [0-9a-f-]{36} created: Acme, plan FREE, time zone UTC\.\n$`,
		b.ok(t, "workspace", "create", "--name", "Acme"))
	b.ok(t, "workspace", "create", "--name", strings.Repeat("é", 200), "--plan", "AGENCY")
	lines := strings.Split(strings.TrimSpace(b.ok(t, "workspace", "list")), "\n")
	require.Len(t, lines, 3)
	require.Equal(t, []string{"ID", "NAME", "PLAN", "TIME", "ZONE", "CREATED"}, strings.Fields(lines[0]))
	require.Contains(t, lines[1], "Acme")
	require.Contains(t, lines[2], "AGENCY")
}

func TestWorkspaceReconnectHold(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := text(t, b.one(t, "workspace", "create", "--name", "Acme"), "id")
	require.Equal(t, "Posts of workspace "+id+" (Acme) wait for their channel for at most 12h0m0s.\n",
		b.ok(t, "workspace", "update", id, "--reconnect-hold", "12h"))
	require.InDelta(t, 43200, b.many(t, "workspace", "list")[0]["reconnectHoldSeconds"], 0)
	require.InDelta(t, 0, b.one(t, "workspace", "update", id, "--reconnect-hold", "0s")["reconnectHoldSeconds"], 0)
	refused(t, b.run(t, "workspace", "update", id, "--reconnect-hold", "169h"), "--reconnect-hold 169h0m0s is not")
	refused(t, b.run(t, "workspace", "update", id, "--reconnect-hold", "1500ms"), "whole seconds")
	failed(t, b.run(t, "workspace", "update", "01890000-0000-7000-8000-000000000000"), "There is no workspace")
}

func TestWorkspacePublishing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := text(t, b.one(t, "workspace", "create", "--name", "Acme"), "id")
	require.Equal(t, "Publishing of workspace "+id+" (Acme) goes on.\n", b.ok(t, "workspace", "publishing", id))
	const stopped = "2026-03-01T09:00:00.000Z"
	require.Equal(t, "All publishing of workspace "+id+" (Acme) is stopped since "+stopped+", by an operator. Late posts: 0.\n",
		b.ok(t, "workspace", "publishing", id, "--stopped=true"))
	require.Equal(t, stopped, b.one(t, "workspace", "publishing", id)["publishingStoppedAt"])
	require.Nil(t, b.one(t, "workspace", "publishing", id, "--stopped=false")["publishingStoppedAt"])
	refused(t, b.run(t, "workspace", "publishing", "x"), "is not")
	failed(t, b.run(t, "workspace", "publishing", "01890000-0000-7000-8000-000000000000", "--stopped=true"), "There is no workspace")
}

func TestWorkspaceCreateRefuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, test := range map[string]struct {
		args  []string
		parts []string
	}{
		"no name":    {nil, []string{"--name is required"}},
		"blank name": {[]string{"--name", " \t "}, []string{"--name is required"}},
		"long name": {
			[]string{"--name", strings.Repeat("é", 201)}, []string{"--name has 201 characters; at most 200 are allowed"},
		},
		"control":   {[]string{"--name", "a\x1b[2Jb"}, []string{"--name contains control characters"}},
		"not UTF-8": {[]string{"--name", "a\xff"}, []string{"--name is not UTF-8 text"}},
		"unknown plan": {
			[]string{"--name", "A", "--plan", "GOLD"},
			[]string{`--plan "GOLD" is not a plan; choose FREE, CREATOR, GROWTH or AGENCY`},
		},
		"unknown zone": {
			[]string{"--name", "A", "--timezone", "Mars/Base"},
			[]string{`--timezone "Mars/Base" is not an IANA time zone name`, "Europe/Berlin"},
		},
		"machine's zone": {[]string{"--name", "A", "--timezone", "Local"}, []string{`--timezone "Local" is not`}},
		"path as zone":   {[]string{"--name", "A", "--timezone", "../../etc/passwd"}, []string{"--timezone"}},
		"all at once": {
			[]string{"--name", "", "--plan", "GOLD", "--timezone", "Mars"},
			[]string{"3 problems", "\n  --plan ", "\n  --name ", "\n  --timezone "},
		},
		"argument": {[]string{"--name", "A", "extra"}, []string{`unknown command "extra"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, b.run(t, append([]string{"workspace", "create"}, test.args...)...), test.parts...)
		})
	}
}
