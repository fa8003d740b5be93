package cli_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/ident"
)

func TestChannelSchedule(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	id := b.telegram(t, workspace)
	schedule := func(args ...string) []string {
		return append([]string{"channel", "schedule", "--workspace", workspace, id}, args...)
	}
	require.Contains(t, b.ok(t, schedule()...), "no slots; add some with --slots")

	set := b.one(t, schedule("--slots", " friday 17:30, MONDAY 09:00,", "--paused=true")...)
	require.Equal(t, record{
		"channelId": id, "timezone": "Europe/Berlin", "isQueuePaused": true,
		"slots": []any{record{"weekday": "MONDAY", "time": "09:00"}, record{"weekday": "FRIDAY", "time": "17:30"}},
	}, set)
	require.Equal(t, set, b.one(t, schedule()...), "a call that changes nothing shows the same")
	require.Contains(t, b.ok(t, schedule()...),
		"times in Europe/Berlin, queue paused:\n  MONDAY  09:00\n  FRIDAY  17:30\n")

	opened := b.one(t, schedule("--paused=false", "--slots", "")...)
	require.Equal(t, false, opened["isQueuePaused"])
	require.Empty(t, opened["slots"])
}

func TestChannelScheduleRefuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace := b.workspace(t)
	id := b.telegram(t, workspace)
	for slots, part := range map[string]string{
		"MONDAY":                     `--slots "MONDAY" is not a slot; write a day and a time`,
		"FUNDAY 09:00":               "must be MONDAY, TUESDAY",
		"MONDAY 25:00":               "must be a time of day from 00:00 to 23:59",
		"MONDAY 09:00, MONDAY 09:00": "repeats",
	} {
		refused(t, b.run(t, "channel", "schedule", "--workspace", workspace, id, "--slots", slots), part)
	}
	failed(t, b.run(t, "channel", "schedule", "--workspace", workspace, ident.New[ident.Channel]().String()),
		"has no channel")
	require.Empty(t, b.one(t, "channel", "schedule", "--workspace", workspace, id)["slots"],
		"what was refused changed nothing")
}
