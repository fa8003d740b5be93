package app_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
)

// salesDesk is a workspace in which people work on leads.
type salesDesk struct {
	*bundle
	*app.LeadDesk

	ada, kim, viewer app.Principal
}

func deskOf(t *testing.T) salesDesk {
	t.Helper()
	b := setup(t)
	created, err := app.NewLeadDesk(app.LeadDeskDeps{DB: b.db, Keyring: b.keyring, Clock: b.clock, Wake: b.wake})
	require.NoError(t, err)
	p := b.tenant(t.Context(), t)
	return salesDesk{b, created, b.worker(t, p, "Ada", member.Admin), b.worker(t, p, "Kim", member.Editor), b.worker(t, p, "Vic", member.Viewer)}
}

// worker returns a new member.
func (b *bundle) worker(t *testing.T, p app.Principal, name string, role member.Role) app.Principal {
	t.Helper()
	users := postgres.NewUsers(b.db)
	address := name + "." + ident.New[ident.User]().String()[24:] + "@example.com"
	u, err := user.New(address, name, "x", start)
	require.NoError(t, err)
	_, err = users.Insert(t.Context(), u)
	require.NoError(t, err)
	require.NoError(t, users.Join(t.Context(), u.ID, p.WorkspaceID, role, start))
	p.Key.Scopes = nil
	p.Person = app.Person{ID: u.ID, Name: name, Email: email.Address(address), Permissions: role.Permissions()}
	return p
}

func (d salesDesk) add(t *testing.T, in lead.New) lead.Lead {
	t.Helper()
	l, known, err := d.Create(t.Context(), d.ada, app.Capture{New: in, Anyway: true})
	require.NoError(t, err)
	require.Empty(t, known)
	return l
}

func (d salesDesk) column(t *testing.T, query string) []string {
	t.Helper()
	return postgrestest.Column(t, d.address, query)
}

// TestOneCaptureIsOneLead sends one form from many tabs at once.
func TestOneCaptureIsOneLead(t *testing.T) {
	t.Parallel()
	d := deskOf(t)
	in := app.Capture{New: lead.New{Name: "Mara", ContactEmail: "mara@example.com", CaptureKey: "form/1"}}
	var work sync.WaitGroup
	ids := make(chan ident.Lead, 12)
	for range cap(ids) {
		work.Go(func() {
			l, known, err := d.Create(t.Context(), d.ada, in)
			if err != nil || len(known) > 0 {
				t.Error(err, known)
			}
			ids <- l.ID
		})
	}
	work.Wait()
	close(ids)
	first := <-ids
	for id := range ids {
		require.Equal(t, first, id)
	}
	require.Len(t, d.column(t, `SELECT id::text FROM event WHERE type = 'lead.created'`), 1)
	require.Equal(t, []string{"CREATED"}, d.column(t, `SELECT kind FROM lead_entry`))
}

// TestSamePersonIsFound finds open leads of a person by each trait.
func TestSamePersonIsFound(t *testing.T) {
	t.Parallel()
	d := deskOf(t)
	known := d.add(t, lead.New{
		Name: "Mara", ContactEmail: "mara@example.com", ContactPhone: "+46 70 123 45", ProfileURL: "https://www.instagram.com/mara/",
	})
	for _, in := range []lead.New{
		{ContactEmail: "MARA@example.com"}, {ContactPhone: "0046-7012345"}, {ProfileURL: "http://instagram.com/Mara"},
	} {
		in.Name = "Again"
		l, found, err := d.Create(t.Context(), d.ada, app.Capture{New: in})
		require.NoError(t, err)
		require.True(t, l.ID.IsZero(), "nothing was created")
		require.Equal(t, []lead.Lead{known}, found)
	}
	_, err := d.Move(t.Context(), d.ada, known.ID, app.LeadMove{To: lead.StageLost, Reason: "Too dear"})
	require.NoError(t, err)
	_, found, err := d.Create(t.Context(), d.ada, app.Capture{New: lead.New{Name: "Again", ContactEmail: "mara@example.com"}})
	require.NoError(t, err)
	require.Empty(t, found, "the lead is closed")
	reasons, err := d.Reasons(t.Context(), d.ada)
	require.NoError(t, err)
	require.Equal(t, []string{"Too dear"}, reasons)
}

// TestEditsCompareRevisions lets two members edit one lead.
func TestEditsCompareRevisions(t *testing.T) {
	t.Parallel()
	d := deskOf(t)
	l := d.add(t, lead.New{Name: "Mara"})
	in := app.LeadEdit{New: lead.New{Name: "Mara L.", OwnerID: d.kim.Person.ID}, Revision: l.Revision}
	_, err := d.Edit(t.Context(), d.kim, l.ID, in)
	require.NoError(t, err)
	_, err = d.Edit(t.Context(), d.ada, l.ID, in)
	require.ErrorIs(t, err, lead.ErrChanged)
	in.Revision, in.OwnerID, in.Name, in.FollowUpAt = 2, d.viewer.Person.ID, "", start.Add(-time.Hour)
	_, err = d.Edit(t.Context(), d.ada, l.ID, in)
	require.Len(t, apperr.FieldsOf(err), 3, "%v", err)
	for _, who := range []app.Principal{d.viewer, d.worker(t, d.ada, "Con", member.Contributor)} {
		_, err = d.Edit(t.Context(), who, l.ID, in)
		require.Equal(t, apperr.InsufficientScope, apperr.CodeOf(err))
		require.Equal(t, apperr.InsufficientScope, apperr.CodeOf(d.Note(t.Context(), who, l.ID, "x")))
		require.Equal(t, apperr.InsufficientScope, apperr.CodeOf(d.Delete(t.Context(), who, l.ID)))
	}
	_, err = d.Lead(t.Context(), d.viewer, l.ID)
	require.Equal(t, apperr.InsufficientScope, apperr.CodeOf(err))
	require.NoError(t, d.Note(t.Context(), d.kim, l.ID, "Called."))
	entries, err := d.Timeline(t.Context(), d.ada, l)
	require.NoError(t, err)
	require.Len(t, entries, 3)
	require.Len(t, d.column(t, `SELECT type FROM event`), 1, "edits emit nothing")
	require.NoError(t, d.Delete(t.Context(), d.kim, l.ID))
	require.Equal(t, apperr.NotFound, apperr.CodeOf(d.Delete(t.Context(), d.kim, l.ID)))
}

// TestMoves moves a lead from where a page showed it, with a value when it is won.
func TestMoves(t *testing.T) {
	t.Parallel()
	d := deskOf(t)
	l := d.add(t, lead.New{Name: "Mara"})
	move := func(in app.LeadMove) (lead.Lead, error) { return d.Move(t.Context(), d.kim, l.ID, in) }
	_, err := move(app.LeadMove{To: lead.StageProposal, From: lead.StageNew})
	require.NoError(t, err)
	_, err = move(app.LeadMove{To: lead.StageQualified, From: lead.StageNew})
	require.ErrorIs(t, err, lead.ErrChanged)
	_, err = move(app.LeadMove{To: lead.StageProposal, From: lead.StageNew})
	require.NoError(t, err, "it is there already: a repeated request")
	_, err = move(app.LeadMove{To: lead.StageWon, Value: "12,5", Currency: "EUR"})
	require.Equal(t, apperr.ValidationFailed, apperr.CodeOf(err))
	won, err := move(app.LeadMove{To: lead.StageWon, Value: "1200.50", Currency: "EUR"})
	require.NoError(t, err)
	require.Equal(t, lead.Amount("1200.5"), won.Value)
	require.Equal(t, []string{"lead.created", "lead.stage_changed", "lead.stage_changed"}, d.column(t, `SELECT type FROM event ORDER BY id`))
	require.Equal(t, []string{"1200.5"},
		d.column(t, `SELECT convert_from(body, 'UTF8')::jsonb #>> '{data,lead,value}' FROM event ORDER BY id DESC LIMIT 1`))
}

// reminders is the store of reminders, at the time of the clock.
func (d salesDesk) remind(t *testing.T, in flow.FollowupInput) postgres.Reminder {
	t.Helper()
	out, err := postgres.NewReminders(d.db, d.keyring).Remind(t.Context(), in, d.clock.Now())
	require.NoError(t, err)
	return out
}

// TestFollowupRemindsOnce checks bar 19 at the store: each case writes one mail or none.
func TestFollowupRemindsOnce(t *testing.T) {
	t.Parallel()
	at := start.Add(time.Hour)
	for name, c := range map[string]struct {
		change func(d salesDesk, l lead.Lead) error
		what   postgres.ReminderOutcome
		mails  int
		next   time.Time
	}{
		"as planned": {func(salesDesk, lead.Lead) error { return nil }, postgres.ReminderSent, 1, time.Time{}},
		"moved": {func(d salesDesk, l lead.Lead) error {
			return d.plan(t.Context(), l, at.Add(time.Hour))
		}, postgres.ReminderSuperseded, 0, at.Add(time.Hour)},
		"moved and moved back": {func(d salesDesk, l lead.Lead) error {
			if err := d.plan(t.Context(), l, at.Add(time.Hour)); err != nil {
				return err
			}
			l.Revision++
			return d.plan(t.Context(), l, at)
		}, postgres.ReminderSent, 1, time.Time{}},
		"cleared": {func(d salesDesk, l lead.Lead) error { return d.plan(t.Context(), l, time.Time{}) }, postgres.ReminderSuperseded, 0, time.Time{}},
		"won": {func(d salesDesk, l lead.Lead) error {
			_, err := d.Move(t.Context(), d.ada, l.ID, app.LeadMove{To: lead.StageWon})
			return err
		}, postgres.ReminderSuperseded, 0, time.Time{}},
		"lost": {func(d salesDesk, l lead.Lead) error {
			_, err := d.Move(t.Context(), d.ada, l.ID, app.LeadMove{To: lead.StageLost, Reason: "Too dear"})
			return err
		}, postgres.ReminderSuperseded, 0, time.Time{}},
		"deleted": {func(d salesDesk, l lead.Lead) error { return d.Delete(t.Context(), d.ada, l.ID) }, postgres.ReminderSuperseded, 0, time.Time{}},
		"the owner left": {func(d salesDesk, _ lead.Lead) error {
			postgrestest.Exec(t, d.address, `UPDATE workspace_member SET role = 'VIEWER' WHERE user_id = $1`, d.kim.Person.ID.String())
			return nil
		}, postgres.ReminderNoOwner, 0, time.Time{}},
		"mails are off": {func(d salesDesk, _ lead.Lead) error {
			postgrestest.Exec(t, d.address, `UPDATE app_user SET mails_off = ARRAY['FOLLOW_UP']`)
			return nil
		}, postgres.ReminderSent, 0, time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := deskOf(t)
			l := d.add(t, lead.New{Name: "Mara", OwnerID: d.kim.Person.ID, FollowUpAt: at})
			require.Equal(t, []string{"followup"}, d.column(t, `SELECT kind FROM outbox WHERE kind = 'followup'`))
			in := flow.FollowupInput{LeadID: l.ID, WorkspaceID: l.WorkspaceID, Revision: 1, At: at}
			require.NoError(t, c.change(d, l))
			d.clock.Advance(time.Hour)
			require.Equal(t, postgres.Reminder{What: c.what, Next: c.next}, d.remind(t, in))
			require.Equal(t, postgres.Reminder{What: postgres.ReminderSuperseded, Next: c.next}, d.remind(t, in), "repeated, as after a crash")
			require.Len(t, d.column(t, `SELECT id::text FROM mail WHERE kind = 'FOLLOW_UP'`), c.mails)
			sent := 0
			if c.what == postgres.ReminderSent {
				sent = 1
			}
			require.Len(t, d.column(t, `SELECT id::text FROM lead_entry WHERE kind = 'REMINDED'`), sent)
		})
	}
}

// plan moves the follow-up of a lead.
func (d salesDesk) plan(ctx context.Context, l lead.Lead, at time.Time) error {
	in := l.Described()
	in.FollowUpAt, in.OwnerID = at, l.OwnerID
	_, err := d.Edit(ctx, d.ada, l.ID, app.LeadEdit{New: in, Revision: l.Revision})
	return err
}

// TestFollowupsAreEnqueued checks what the sweep, the loss of Temporal and the horizon enqueue.
func TestFollowupsAreEnqueued(t *testing.T) {
	t.Parallel()
	d := deskOf(t)
	outbox, rows := postgres.NewOutbox(d.db), `SELECT payload->>'leadId' FROM outbox WHERE kind = 'followup'`
	exec := func(statement string, args ...any) { postgrestest.Exec(t, d.address, statement, args...) }
	l := d.add(t, lead.New{Name: "Mara", FollowUpAt: start.Add(90 * 24 * time.Hour)})
	require.Empty(t, d.column(t, rows), "it is beyond the horizon, and has no workflow")
	exec(`UPDATE lead SET follow_up_at = now() + interval '1 minute'`)
	_, err := outbox.EnqueueNear(t.Context(), 10)
	require.NoError(t, err)
	require.Equal(t, []string{l.ID.String()}, d.column(t, rows))

	exec(`DELETE FROM outbox`)
	_, err = outbox.EnqueueOverdue(t.Context(), time.Minute, 10)
	require.NoError(t, err)
	require.Empty(t, d.column(t, rows), "it is not overdue")
	_, err = outbox.EnqueueAll(t.Context())
	require.NoError(t, err)
	require.Len(t, d.column(t, rows), 1, "after the loss of Temporal")

	exec(`DELETE FROM outbox`)
	exec(`UPDATE lead SET follow_up_at = now() - interval '5 minutes'`)
	for range 2 {
		_, err = outbox.EnqueueOverdue(t.Context(), time.Minute, 10)
		require.NoError(t, err)
	}
	require.Len(t, d.column(t, rows), 1)
	exec(`DELETE FROM outbox`)
	exec(`UPDATE lead SET reminded_at = follow_up_at, heard_at = NULL`)
	_, err = outbox.EnqueueOverdue(t.Context(), time.Minute, 10)
	require.NoError(t, err)
	_, err = outbox.EnqueueAll(t.Context())
	require.NoError(t, err)
	require.Empty(t, d.column(t, rows))

	exec(`UPDATE lead SET reminded_at = NULL`)
	_, err = postgres.NewRecovery(d.db).Run(t.Context(), postgres.Gap{Since: time.Now().Add(-time.Hour)})
	require.NoError(t, err)
	require.Empty(t, d.column(t, rows), "of one that may have been mailed since the backup no member is reminded again")
}

// TestImportResumes ends an import in the middle and continues it.
func TestImportResumes(t *testing.T) {
	t.Parallel()
	d := deskOf(t)
	d.add(t, lead.New{Name: "Known", ContactEmail: "p7@example.com"})
	in := lead.Import{Name: "leads.csv", Columns: []string{"name", "contact_email"}}
	for i := range 250 {
		in.Rows = append(in.Rows, lead.ImportRow{Line: i + 2, Cells: []string{fmt.Sprint("P", i), fmt.Sprintf("p%d@example.com", i)}})
	}
	in.Rows[9].Cells[1] = "mara"
	in.Rows[11].Cells[1] = "p10@example.com" // twice in the file
	id, err := d.StartImport(t.Context(), d.ada, in)
	require.NoError(t, err)
	next := func() lead.Import {
		at, err := d.ImportNext(t.Context(), d.ada, id, false, time.UTC)
		require.NoError(t, err)
		return at
	}
	at := next()
	require.Equal(t, []int{100, 97, 2, 1}, []int{at.Done, at.Created, at.Known, at.Faulty})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = d.ImportNext(ended, d.ada, id, false, time.UTC)
	require.Error(t, err)
	next()
	for range 3 { // also after its end
		at = next()
	}
	require.Equal(t, []int{250, 247, 2, 1}, []int{at.Done, at.Created, at.Known, at.Faulty})
	require.Len(t, d.column(t, `SELECT id::text FROM event WHERE type = 'lead.created'`), 248)
	_, err = d.Import(t.Context(), d.kim, id)
	require.Equal(t, apperr.NotFound, apperr.CodeOf(err), "it is of the person alone")
	d.clock.Advance(lead.ImportLife + time.Hour)
	require.NoError(t, d.PruneImports(t.Context()))
	_, err = d.Import(t.Context(), d.ada, id)
	require.Equal(t, apperr.NotFound, apperr.CodeOf(err))
}
