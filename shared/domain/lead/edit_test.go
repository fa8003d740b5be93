package lead_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// created returns a lead that is in work.
func created(t *testing.T) lead.Lead {
	t.Helper()
	in := full()
	in.Stage, in.LostReason = lead.StageContacted, ""
	change, err := lead.Create(in, now)
	require.NoError(t, err)
	return change.Lead
}

// TestEditsEmitNothing edits, assigns and plans in one change, which has one revision and no event.
func TestEditsEmitNothing(t *testing.T) {
	t.Parallel()
	l, owner, later := created(t), ident.New[ident.User](), now.Add(time.Hour)
	in := l.Described()
	in.Name, in.Value, in.Currency = " Mara L. ", "", ""
	change, err := l.Edit(in, later)
	require.NoError(t, err)
	change, err = change.Then(func(l lead.Lead) (lead.Change, error) { return l.Assign(owner, later) })
	require.NoError(t, err)
	change, err = change.Then(func(l lead.Lead) (lead.Change, error) { return l.Plan(later.Add(time.Hour), owner, later) })
	require.NoError(t, err)
	require.Nil(t, change.Event)
	require.EqualValues(t, 2, change.Lead.Revision)
	require.Equal(t, later, change.Lead.UpdatedAt)
	require.Equal(t, []lead.FieldChange{
		{Field: "name", From: "Mara Lindqvist", To: "Mara L."},
		{Field: lead.FieldValue, From: "1200.5 EUR"},
		{Field: lead.FieldFollowUp, From: "2026-03-04T09:00:00Z", To: "2026-03-01T11:00:00Z"},
		{Field: lead.FieldOwner, To: owner.String()},
	}, change.Fields())
	require.NoError(t, change.Lead.Since(2))
	require.ErrorIs(t, change.Lead.Since(1), lead.ErrChanged)

	moved, err := change.Then(func(l lead.Lead) (lead.Change, error) { return l.MoveTo(lead.StageWon, "", later) })
	require.NoError(t, err)
	require.EqualValues(t, 2, moved.Lead.Revision)
	require.Equal(t, event.LeadStageChanged, moved.Event.Type)
	require.Nil(t, data[event.LeadStageData](t, moved.Event).Lead.Value, "the event has the whole change")
	again, err := moved.Then(func(l lead.Lead) (lead.Change, error) { return l.Assign(owner, later) })
	require.NoError(t, err)
	require.Equal(t, moved, again)

	in.Name, in.ContactEmail = "", "mara"
	_, err = l.Edit(in, later)
	require.Len(t, apperr.FieldsOf(err), 2)
	same, err := l.Edit(l.Described(), later)
	require.NoError(t, err)
	require.False(t, same.Changed())
	_, err = same.Then(func(l lead.Lead) (lead.Change, error) { return l.MoveTo("MAYBE", "", later) })
	require.Error(t, err)
}

func TestPlan(t *testing.T) {
	t.Parallel()
	l, by := created(t), ident.New[ident.User]()
	for _, wrong := range []time.Time{now.Add(-time.Second), now.AddDate(lead.MaxAhead, 0, 1)} {
		_, err := l.Plan(wrong, by, now)
		require.Equal(t, apperr.ValidationFailed, apperr.CodeOf(err))
	}
	at := now.Add(time.Hour)
	planned, err := l.Plan(at, by, now)
	require.NoError(t, err)
	l = planned.Lead
	require.Equal(t, by, l.FollowUpBy)
	require.True(t, l.Due())
	require.False(t, l.Overdue(now))
	require.True(t, l.Overdue(at.Add(time.Second)))
	l.RemindedAt = at
	require.False(t, l.Due(), "once")
	same, err := l.Plan(at, by, at.Add(time.Hour))
	require.NoError(t, err)
	require.False(t, same.Changed(), "a time that is over stays")
	moved, err := l.Plan(at.Add(time.Hour), by, now)
	require.NoError(t, err)
	require.True(t, moved.Lead.Due(), "for the new time")
	won, err := moved.Lead.MoveTo(lead.StageWon, "", now)
	require.NoError(t, err)
	require.False(t, won.Lead.Due())
	require.False(t, won.Lead.Overdue(at.Add(9*time.Hour)))
	cleared, err := moved.Lead.Plan(time.Time{}, by, now)
	require.NoError(t, err)
	require.True(t, cleared.Lead.FollowUpBy.IsZero())
	require.False(t, cleared.Lead.Due())

	in := full()
	in.FollowUpAt, in.Stage, in.LostReason = now.Add(-time.Hour), lead.StageNew, ""
	past, err := lead.Create(in, now)
	require.NoError(t, err)
	require.False(t, past.Lead.Due(), "of a time that is over no member is reminded")
	require.True(t, past.Lead.Overdue(now))
}

func TestCapturesAreChecked(t *testing.T) {
	t.Parallel()
	in := full()
	in.Score, in.CaptureKey = 101, strings.Repeat("a", 101)
	require.Len(t, apperr.FieldsOf(in.Check()), 2)
	in.Score, in.CaptureKey = 60, "agent/1/2"
	change, err := lead.Create(in, now)
	require.NoError(t, err)
	require.Equal(t, 60, change.Lead.Score)
	require.Equal(t, "agent/1/2", change.Lead.CaptureKey)
}

func TestNotes(t *testing.T) {
	t.Parallel()
	by := ident.New[ident.User]()
	note, err := lead.Note(" Called.\r\nNo reply. ", by, now)
	require.NoError(t, err)
	require.Equal(t, lead.Entry{Kind: lead.EntryNote, UserID: by, At: now, Text: "Called.\nNo reply."}, note)
	for _, wrong := range []string{" ", "a\x00", strings.Repeat("a", lead.MaxNote+1)} {
		_, err := lead.Note(wrong, by, now)
		require.Equal(t, apperr.ValidationFailed, apperr.CodeOf(err))
	}
}

func TestTraits(t *testing.T) {
	t.Parallel()
	l := lead.Lead{ContactEmail: "Mara@Example.com", ContactPhone: "0046 (70) 123-45", ProfileURL: "https://WWW.Instagram.com/Mara/"}
	require.Equal(t, lead.Traits{Email: "mara@example.com", Phone: "467012345", Profile: "instagram.com/mara"}, l.Traits())
	require.Equal(t, "instagram.com/mara", lead.ProfileKey("http://instagram.com/mara"))
	require.Equal(t, lead.Traits{}, lead.Lead{}.Traits())
}

func TestReach(t *testing.T) {
	t.Parallel()
	require.Equal(t, lead.Platform("TELEGRAM"), lead.PlatformOf("TELEGRAM_BUSINESS"))
	require.Empty(t, lead.PlatformOf("FAX"))
	for _, c := range []struct {
		platform       lead.Platform
		name           string
		profile, phone string
	}{
		{"TELEGRAM", "mara", "https://t.me/mara", ""},
		{"TELEGRAM", "", "", ""},
		{"BLUESKY", "mara.example.com", "https://bsky.app/profile/mara.example.com", ""},
		{"WHATSAPP", "", "", "+46701234567"},
		{"INSTAGRAM", "mara", "", ""},
	} {
		profile, phone := c.platform.Reach(c.name, []string{"US.12345678", "46701234567"})
		require.Equal(t, []string{c.profile, c.phone}, []string{profile, phone}, c.platform)
	}
}

func TestAmountsForPeople(t *testing.T) {
	t.Parallel()
	for amount, want := range map[lead.Amount]string{"0": "0", "999": "999", "1200": "1,200", "1234567.5": "1,234,567.50", "0.1234": "0.1234"} {
		require.Equal(t, want, amount.Grouped())
	}
	require.Equal(t, lead.Amount("3.3"), lead.Add("1.1", "2.2", "wrong"))
	require.Equal(t, lead.Amount("1999999999999"), lead.Add("999999999999", "1000000000000"))
	require.Equal(t, lead.Amount("0"), lead.Add())
	require.Equal(t, lead.Amount("12"), lead.Sum("12"))
}

// TestRowsAreReadBack exports leads and reads their rows as an import does.
func TestRowsAreReadBack(t *testing.T) {
	t.Parallel()
	l := created(t)
	fields, named := lead.ColumnsOf(lead.Columns())
	require.True(t, named)
	in, err := lead.FromRow(l.WorkspaceID, fields, l.Row("Ada"), time.UTC)
	require.NoError(t, err)
	again, err := lead.Create(in, now)
	require.NoError(t, err)
	want := l
	want.ID, want.PersonID, want.Source = again.Lead.ID, ident.Person{}, lead.SourceManual
	require.Equal(t, want, again.Lead)
	require.Len(t, lead.Lead{}.Row(""), len(lead.Columns()))
}

func TestForeignTables(t *testing.T) {
	t.Parallel()
	fields, named := lead.ColumnsOf([]string{"Full Name", "E-Mail", "Phone", "Color", "Follow up", "name", "Currency", "Amount"})
	require.True(t, named)
	require.Equal(t, []string{"name", "contact_email", "contact_phone", "", "follow_up_at", "", "currency", "value"}, fields)
	_, named = lead.ColumnsOf([]string{"color", "size"})
	require.False(t, named)

	zone := time.FixedZone("", 3600)
	for text, want := range map[string]string{
		"2026-12-24": "2026-12-24T08:00:00Z", "2026-12-24 15:30": "2026-12-24T14:30:00Z", "2026-12-24T15:30:00+02:00": "2026-12-24T13:30:00Z",
	} {
		in, err := lead.FromRow(ident.Workspace{}, fields, []string{"Mara", "", "", "red", text, "x", "eur", "12"}, zone)
		require.NoError(t, err)
		require.Equal(t, want, in.FollowUpAt.UTC().Format(time.RFC3339))
		require.Equal(t, "EUR", in.Currency)
	}
	_, err := lead.FromRow(ident.Workspace{}, fields, []string{"", "mara", "", "", "soon"}, zone)
	require.Len(t, apperr.FieldsOf(err), 3)
}
