package postgres_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// TestMembersHearOnceOfPeopleWhoWait has processes that notify at once, and checks who is notified of a conversation, and when again.
func TestMembersHearOnceOfPeopleWhoWait(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.crowd(t, "41")
	people := b.people(t, member.Owner, member.Editor, member.Contributor, member.Viewer)
	require.NoError(t, turnOff(t, b.db, people[member.Contributor].ID, mail.InboxWaiting))
	start := b.now
	heard := func(after time.Duration) (to []string) {
		var all sync.WaitGroup
		errs := make([]error, 3)
		for i := range errs {
			all.Go(func() { _, errs[i] = b.mails(t).MailWaiting(t.Context(), start.Add(after)) })
		}
		all.Wait()
		require.NoError(t, errors.Join(errs...))
		for key, m := range b.recipients(t) {
			require.NotContains(t, key, "canary")
			require.Positive(t, m.Content.Waiting)
			to = append(to, string(m.Content.To))
		}
		slices.Sort(to)
		return to
	}
	owner, editor := string(people[member.Owner].Email), string(people[member.Editor].Email)
	both := []string{editor, owner}
	slices.Sort(both)

	c.says(t, inbox.Identity{ID: "21"}, "canary") // a second after the start
	c.process(t)
	require.Empty(t, heard(15*time.Minute))
	require.Equal(t, both, heard(16*time.Minute))
	require.Equal(t, []string{"3"}, postgrestest.Column(t, b.address, `SELECT count(*) FROM notice WHERE kind = 'INBOX_WAITING'`), "also in the application")
	require.Empty(t, heard(3*time.Hour), "nothing else waits")

	// One more person; within 15 minutes of the last notice nothing is sent, then one mail for all.
	c.says(t, inbox.Identity{ID: "22"}, "canary")
	c.process(t)
	postgrestest.Exec(t, b.address, `UPDATE message SET sent_at = $1 WHERE text = 'canary' AND external_id = '41m/2'`, start.Add(2*time.Minute))
	postgrestest.Exec(t, b.address, `UPDATE conversation SET last_in_at = $1, last_at = $1 WHERE thread = '22'`, start.Add(2*time.Minute))
	require.Empty(t, heard(18*time.Minute))
	require.Equal(t, both, heard(31*time.Minute+2*time.Second))

	// Closed by a member, opened by the person.
	postgrestest.Exec(t, b.address, `UPDATE conversation SET state = 'CLOSED', last_out_at = $1`, start.Add(40*time.Minute))
	require.Empty(t, heard(time.Hour))
	later := start.Add(time.Hour)
	c.now = later
	c.says(t, inbox.Identity{ID: "21"}, "canary again")
	c.process(t)
	require.NoError(t, postgres.NewInboxes(b.db).SetSettings(t.Context(), b.ws.ID, postgres.InboxSettings{WaitMinutes: 5}))
	require.NoError(t, postgres.NewInboxes(b.db).SetQuietChannels(t.Context(), b.ws.ID, people[member.Owner].ID, []ident.Channel{c.ch.ID}))
	require.Equal(t, []string{editor}, heard(66*time.Minute), "the owner turned the channel off")

	// Assigned to the owner by another member.
	require.NoError(t, postgres.NewInboxes(b.db).SetQuietChannels(t.Context(), b.ws.ID, people[member.Owner].ID, nil))
	require.Equal(t, []string{owner}, heard(66*time.Minute))
	postgrestest.Exec(t, b.address, `UPDATE conversation SET assignee_id = $1 WHERE thread = '21'`, people[member.Owner].ID.String())
	postgrestest.Exec(t, b.address, `INSERT INTO conversation_entry (id, conversation_id, user_id, kind, at)
		SELECT gen_random_uuid(), id, $1, 'ASSIGNED', $2 FROM conversation WHERE thread = '21'`, people[member.Editor].ID.String(), start.Add(2*time.Hour))
	require.Equal(t, []string{owner}, heard(2*time.Hour+6*time.Minute))

	// A member of other channels is not notified.
	c.says(t, inbox.Identity{ID: "23"}, "canary")
	c.process(t)
	postgrestest.Exec(t, b.address, `UPDATE workspace_member SET channels = ARRAY[CAST($1 AS uuid)] WHERE user_id = $2`, b.ch.ID.String(), people[member.Editor].ID.String())
	require.NotContains(t, heard(5*time.Hour), editor)
}
