package faults_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// TestF74FollowUpsOutliveWorkersAndTemporal kills workers while they remind, changes plans, and deletes Temporal's databases.
func TestF74FollowUpsOutliveWorkersAndTemporal(t *testing.T) {
	l := lab.Alone(t, lab.Fault{
		ID: "F74", Title: "Workers die before and after they remind of leads; follow-ups are moved, removed and ended; Temporal loses its store",
		Expect: "one mail about each follow-up that is still planned, and none about others",
	})
	l.Run(2)
	server := l.StartMailServer()
	l.NewPerson(reader)
	member, err := ident.Parse[ident.User](l.Query(t, `SELECT id FROM app_user WHERE email = $1`, reader)[0])
	require.NoError(t, err)
	leads := postgres.NewLeads(l.DB)
	plan := func(name string, at time.Time) ident.Lead {
		created, err := lead.Create(lead.New{WorkspaceID: l.Workspace, Name: name, OwnerID: member, FollowUpAt: at, FollowUpBy: member}, time.Now())
		require.NoError(t, err)
		require.NoError(t, leads.Insert(t.Context(), created))
		return created.Lead.ID
	}
	change := func(id ident.Lead, decide func(lead.Lead) (lead.Change, error)) {
		_, err := leads.Change(t.Context(), l.Workspace, id, decide)
		require.NoError(t, err)
	}
	var want []string
	expect := func(name string) string { want = append(want, "Follow up "+name); return name }

	points := []string{"reminding.before", "reminding.after"}
	l.Arm(slices.Concat(lab.Kills(points[0], 2), lab.Kills(points[1], 2))...)
	for n := range 6 {
		plan(expect(fmt.Sprintf("Killed %d", n)), time.Now().Add(time.Second))
	}
	for _, point := range points {
		l.WaitFiredTimes(point, 2, 2*reached)
	}
	l.Disarm()
	requireReminders(t, server, want)

	at := time.Now().Add(20 * time.Second)
	moved, removed, won := plan("Later", at), plan("Removed", at), plan("Won", at)
	plan(expect("As planned"), at)
	sooner := plan(expect("Sooner"), at.Add(time.Hour))
	replan := func(at time.Time) func(lead.Lead) (lead.Change, error) {
		return func(of lead.Lead) (lead.Change, error) { return of.Plan(at, member, time.Now()) }
	}
	change(moved, replan(at.Add(time.Hour)))
	change(removed, replan(time.Time{}))
	change(won, func(of lead.Lead) (lead.Change, error) { return of.MoveTo(lead.StageWon, "", time.Now()) })
	change(sooner, replan(at))
	harness.Infrastructure(t, "temporal/wipe")
	l.Injected("Temporal's databases recreated")
	l.Migrate()
	l.Healed()
	<-time.After(time.Until(at)) // none comes early
	requireReminders(t, server, want)
	require.Equal(t, []string{"0"}, l.Query(t, `SELECT count(*) FROM lead WHERE reminded_at IS NOT NULL AND name IN ('Later', 'Removed', 'Won')`))
	l.Check()
}

// requireReminders waits until a mail with each subject has arrived, and requires that there is no second one. A mail whose worker
// died while it was sent arrives again with the same Message-ID.
func requireReminders(t *testing.T, server *harness.MailServer, subjects []string) {
	t.Helper()
	slices.Sort(subjects)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		mails := make(map[string]string)
		for _, m := range server.Mails(t, reader) {
			mails[m.MessageID] = m.Subject
		}
		var got []string
		for _, subject := range mails {
			got = append(got, subject)
		}
		slices.Sort(got)
		require.Equal(c, subjects, got)
	}, recovery, 200*time.Millisecond)
}
