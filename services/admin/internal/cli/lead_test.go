package cli_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

func TestLeadAddMoveAndList(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	require.Equal(t, "There are no such leads. Add one with: admin lead add\n",
		b.ok(t, "lead", "list", "--workspace", workspace))

	person := ident.New[ident.Person]().String()
	added := b.one(t, "lead", "add", "--workspace", workspace, "--name", "Mara Lindqvist", "--handle", "mara.builds",
		"--platform", "instagram",
		"--profile-url", "https://www.instagram.com/mara.builds", "--source", "browser_extension", "--temperature", "warm",
		"--interest", "Prices of <tiles> & more", "--value", "1200.50", "--currency", "eur", "--follow-up-at",
		"2026-03-04T09:00:00+01:00",
		"--contact-email", "mara@example.com", "--contact-phone", "+46 70 123 45 67", "--person-id", person)
	id := text(t, added, "id")
	want := record{
		"id": id, "person_id": person, "name": "Mara Lindqvist", "handle": "mara.builds",
		"profile_url": "https://www.instagram.com/mara.builds",
		"platform":    "INSTAGRAM", "source": "BROWSER_EXTENSION", "temperature": "WARM",
		"interest": "Prices of <tiles> & more",
		"stage":    "NEW",
		"value":    1200.5, "currency": "EUR", "follow_up_at": "2026-03-04T08:00:00.000Z",
		"contact_email": "mara@example.com",
		"contact_phone": "+46 70 123 45 67", "lost_reason": nil, "created_at": "2026-03-01T09:00:00.000Z",
		"updated_at": "2026-03-01T09:00:00.000Z",
	}
	require.Equal(t, want, added)
	require.Equal(t, []record{want}, b.many(t, "lead", "list", "--workspace", workspace))

	b.clock.Advance(time.Minute)
	require.Equal(t, "Lead "+id+" (Mara Lindqvist) is LOST.\n",
		b.ok(t, "lead", "stage", "--workspace", workspace, id, "lost", "--lost-reason", "Too dear."))
	require.Equal(t, "Lead "+id+" (Mara Lindqvist) was already LOST.\n",
		b.ok(t, "lead", "stage", "--workspace", workspace, id, "LOST"))
	lost := b.many(t, "lead", "list", "--workspace", workspace, "--stage", "lost")
	require.Len(t, lost, 1)
	require.Equal(t, "Too dear.", lost[0]["lost_reason"])
	require.Empty(t, b.many(t, "lead", "list", "--workspace", workspace, "--stage", "NEW"))
	require.Contains(t, b.ok(t, "lead", "list", "--workspace", workspace), "Mara Lindqvist")

	moved := record{}
	for member, value := range want {
		moved[member] = value
	}
	moved["stage"], moved["lost_reason"], moved["updated_at"] = "LOST", "Too dear.", "2026-03-01T09:01:00.000Z"
	require.Equal(t, []emitted{
		{Type: "lead.created", WorkspaceID: workspace, CreatedAt: "2026-03-01T09:00:00.000Z", Data: record{"lead": want}},
		{
			Type: "lead.stage_changed", WorkspaceID: workspace, CreatedAt: "2026-03-01T09:01:00.000Z",
			Data: record{"lead": moved, "previous_stage": "NEW", "stage": "LOST"},
		},
	}, b.events(t))
}

func TestLeadRefuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace, other := b.workspace(t), b.workspace(t)
	refused(t, b.run(t, "lead", "add"), "--workspace is required", "--name is required")
	refused(t, b.run(t, "lead", "add", "--workspace", workspace, "--name", "M", "--profile-url", "x", "--follow-up-at",
		"tomorrow",
		"--person-id", "x", "--lost-reason", "x"), "4 problems", "--profile-url must be an http or https URL",
		"--follow-up-at", "--person-id",
		"--lost-reason is allowed only in the stage LOST")
	failed(t, b.run(t, "lead", "add", "--workspace", ident.New[ident.Workspace]().String(), "--name", "M"),
		"There is no workspace")
	id := text(t, b.one(t, "lead", "add", "--workspace", workspace, "--name", "Mara"), "id")
	refused(t, b.run(t, "lead", "stage", "--workspace", workspace, id), "want one LEAD_ID and one STAGE, got 1 arguments")
	refused(t, b.run(t, "lead", "stage", "--workspace", workspace, "x", "MAYBE"), "2 problems",
		`LEAD_ID "x" is not an id`,
		"\n  STAGE \"MAYBE\" is not a stage; choose NEW, CONTACTED, QUALIFIED, PROPOSAL, WON or LOST")
	refused(t, b.run(t, "lead", "stage", "--workspace", workspace, id, "WON", "--lost-reason", "x"),
		"--lost-reason is allowed only in the stage LOST")
	failed(t, b.run(t, "lead", "stage", "--workspace", other, id, "WON"), "Workspace "+other+" has no lead "+id)
	failed(t, b.run(t, "lead", "stage", "--workspace", ident.New[ident.Workspace]().String(), id, "WON"),
		"There is no workspace")
	refused(t, b.run(t, "lead", "list", "--workspace", workspace, "--stage", "MAYBE", "--limit", "0"), "--stage",
		"--limit must be from 1 to 1000")
	failed(t, b.run(t, "lead", "list", "--workspace", ident.New[ident.Workspace]().String()), "There is no workspace")
	require.Len(t, b.events(t), 1, "a rejected change emits no event")
}

// TestConcurrentReconnectsEmitOneEvent enters new credentials from several operators concurrently and requires one event of
// each type.
func TestConcurrentReconnectsEmitOneEvent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	id := b.telegram(t, workspace)
	postgrestest.Exec(t, b.url, `UPDATE channel SET token_status = 'NEEDS_RECONNECT'`)
	file := secretFile(t, "123456:fresh")
	var wait sync.WaitGroup
	codes := make([]int, 8)
	for i := range codes {
		wait.Go(func() {
			codes[i] = b.run(t, "channel", "connect", "--workspace", workspace, id, "--access-token-file", file).code
		})
	}
	wait.Wait()
	require.Equal(t, make([]int, len(codes)), codes)
	require.Len(t, b.events(t), 3, "connected once, connected again and its access restored once")
}
