package postgres_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
)

// reportMails returns the mails with reports that wait.
func (b *bundle) reportMails(t *testing.T) (mails []mail.Mail) {
	t.Helper()
	for _, text := range postgrestest.Column(t, b.address, `SELECT id::text FROM mail WHERE kind = 'MONTHLY_REPORT' ORDER BY created_at, id`) {
		id, err := ident.Parse[ident.Mail](text)
		require.NoError(t, err)
		m, err := b.mails(t).Load(t.Context(), id)
		require.NoError(t, err)
		mails = append(mails, m)
	}
	return mails
}

// sendReports runs several processes at once, twice.
func (b *bundle) sendReports(t *testing.T, now time.Time) {
	t.Helper()
	for range 2 {
		var all sync.WaitGroup
		errs, mails := make([]error, 4), b.mails(t)
		for i := range errs {
			all.Go(func() { _, errs[i] = mails.MailReports(t.Context(), now) })
		}
		all.Wait()
		require.NoError(t, errors.Join(errs...))
	}
}

// TestReportIsMailedOncePerMonth runs several processes at the moments around the due time in the zone of the workspace. Each
// address gets one mail each month, until its owner stops it.
func TestReportIsMailedOncePerMonth(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, store := t.Context(), postgres.NewReports(b.db)
	postgrestest.Exec(t, b.address, `UPDATE workspace SET timezone = 'America/Los_Angeles' WHERE id = $1`, b.ws.ID.String())
	setting := analytics.ReportSetting{On: true, Addresses: []email.Address{"Ada@example.com", "grace@example.com"}, ChangedBy: "Ada"}
	on := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	require.NoError(t, store.SetSetting(ctx, b.ws.ID, setting, on))

	due := time.Date(2026, 3, 4, 16, 0, 0, 0, time.UTC) // 8:00 in Los Angeles
	b.sendReports(t, due.Add(-time.Second))
	require.Empty(t, b.reportMails(t), "the month before was due before the report was turned on")
	n, err := b.mails(t).WithoutMails().MailReports(ctx, due)
	require.NoError(t, err)
	require.Zero(t, n, "without a mail server")
	b.sendReports(t, due)
	b.sendReports(t, due.Add(20*24*time.Hour))
	mails := b.reportMails(t)
	require.Len(t, mails, 2)
	for i, to := range []email.Address{"Ada@example.com", "grace@example.com"} {
		require.Contains(t, []email.Address{mails[0].Content.To, mails[1].Content.To}, to)
		require.Equal(t, "2026-02", mails[i].Content.Month)
		require.Equal(t, b.ws.ID, mails[i].WorkspaceID)
	}
	require.NotEqual(t, mails[0].Content.Secret, mails[1].Content.Secret)
	months, err := store.Sent(ctx, b.ws.ID, 5)
	require.NoError(t, err)
	require.Equal(t, []analytics.Month{{Year: 2026, Month: time.February}}, months)

	hash, err := credential.Report.Hash(mails[0].Content.Secret)
	require.NoError(t, err)
	link, err := store.Link(ctx, hash)
	require.NoError(t, err)
	require.False(t, link.Stopped)
	stopped := mails[0].Content.To
	require.Equal(t, stopped.Folded(), link.Address)
	for range 2 {
		require.NoError(t, store.SetStopped(ctx, link, true, due))
	}
	found, err := store.Setting(ctx, b.ws.ID)
	require.NoError(t, err)
	require.Equal(t, []email.Address{stopped}, found.Stopped)
	postgrestest.Exec(t, b.address, `DELETE FROM mail`)
	b.sendReports(t, time.Date(2026, 4, 5, 0, 0, 0, 0, time.UTC))
	require.Len(t, b.reportMails(t), 1)
	require.NotEqual(t, stopped, b.reportMails(t)[0].Content.To)
	require.NoError(t, store.SetStopped(ctx, link, false, due))
	postgrestest.Exec(t, b.address, `DELETE FROM mail`)
	b.sendReports(t, time.Date(2026, 5, 5, 0, 0, 0, 0, time.UTC))
	require.Len(t, b.reportMails(t), 2)

	postgrestest.Exec(t, b.address, `DELETE FROM mail`)
	setting.On, setting.Revision = false, found.Revision
	require.NoError(t, store.SetSetting(ctx, b.ws.ID, setting, due))
	b.sendReports(t, time.Date(2026, 6, 5, 0, 0, 0, 0, time.UTC))
	require.Empty(t, b.reportMails(t))
	_, err = store.Link(ctx, [32]byte{1})
	require.True(t, apperr.Is(err, apperr.NotFound))
}

// TestFailedReportClaimsNoMonth makes the mails of a report fail: the month stays open.
func TestFailedReportClaimsNoMonth(t *testing.T) {
	t.Parallel()
	b := setup(t)
	store := postgres.NewReports(b.db)
	require.NoError(t, store.SetSetting(t.Context(), b.ws.ID, analytics.ReportSetting{
		On: true, Addresses: []email.Address{"ada@example.com", "grace@example.com"},
	}, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)))
	now := time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC)
	postgrestest.Exec(t, b.address, `ALTER TABLE mail ADD CONSTRAINT broken CHECK (kind <> 'MONTHLY_REPORT') NOT VALID`)
	_, err := b.mails(t).MailReports(t.Context(), now)
	require.Error(t, err)
	require.Empty(t, postgrestest.Column(t, b.address, `SELECT month::text FROM report_month UNION ALL SELECT address FROM report_link`))
	postgrestest.Exec(t, b.address, `ALTER TABLE mail DROP CONSTRAINT broken`)
	b.sendReports(t, now)
	require.Len(t, b.reportMails(t), 2)
}

// TestReportSettingIsChangedByOne checks that the second of two members who changed it learns of the first change.
func TestReportSettingIsChangedByOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, store := t.Context(), postgres.NewReports(b.db)
	none, err := store.Setting(ctx, b.ws.ID)
	require.NoError(t, err)
	require.Equal(t, analytics.ReportSetting{}, none)
	first := analytics.ReportSetting{On: true, Addresses: []email.Address{"ada@example.com"}, ChangedBy: "Ada"}
	require.NoError(t, store.SetSetting(ctx, b.ws.ID, first, b.now))
	require.ErrorIs(t, store.SetSetting(ctx, b.ws.ID, first, b.now), analytics.ErrReportChanged)
	found, err := store.Setting(ctx, b.ws.ID)
	require.NoError(t, err)
	first.Revision = 1
	require.Equal(t, first, found)
	require.NoError(t, store.SetSetting(ctx, b.ws.ID, first, b.now))
	found, err = store.Setting(ctx, b.ws.ID)
	require.NoError(t, err)
	require.Equal(t, 2, found.Revision)
	logo, err := store.Logo(ctx, b.ws.ID)
	require.NoError(t, err)
	require.Empty(t, logo.Key)
}

// TestOverviewReadsWorkspaceAlone checks the sources, courses and results of an overview, their filters, and that they are of the
// workspace alone.
func TestOverviewReadsWorkspaceAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, store := t.Context(), b.insights()
	r := analytics.Range{From: day(t, "2026-03-01"), To: day(t, "2026-03-10")}
	other := b.another(t)
	for _, of := range []ident.Channel{b.ch.ID, other.ID} {
		require.NoError(t, store.SaveChannel(ctx, of, []analytics.ChannelDay{
			{Date: day(t, "2026-02-01"), ChannelFigures: analytics.ChannelFigures{Followers: count(8)}, CollectedAt: b.now},
			{Date: day(t, "2026-02-20"), ChannelFigures: analytics.ChannelFigures{Followers: count(9)}, CollectedAt: b.now},
			{Date: day(t, "2026-02-21"), ChannelFigures: analytics.ChannelFigures{Reach: count(5)}, CollectedAt: b.now},
			{Date: day(t, "2026-03-02"), ChannelFigures: analytics.ChannelFigures{Reach: count(7)}, CollectedAt: b.now},
			{Date: day(t, "2026-03-11"), ChannelFigures: analytics.ChannelFigures{Reach: count(70)}, CollectedAt: b.now},
		}, r.To))
	}
	sources, err := store.Sources(ctx, b.ws.ID, r)
	require.NoError(t, err)
	require.Contains(t, sources, b.ch.ID)
	require.Equal(t, count(9), sources[b.ch.ID].Followers)
	require.Len(t, sources[b.ch.ID].Days, 1)
	require.Equal(t, count(7), sources[b.ch.ID].Days[0].Reach)
	none, err := store.Sources(ctx, b.tenant(t).ID, r)
	require.NoError(t, err)
	require.Empty(t, none)

	p := b.published(t, b.ch.ID, day(t, "2026-03-01").Start(time.UTC))
	labeled := b.published(t, other.ID, day(t, "2026-02-01").Start(time.UTC))
	postgrestest.Exec(t, b.address, `UPDATE post SET labels = '{Spring}', label_keys = '{spring}' WHERE id = $1`, labeled.ID.String())
	for of, channel := range map[ident.Post]ident.Channel{p.ID: b.ch.ID, labeled.ID: other.ID} {
		for text, f := range map[string]analytics.PostFigures{
			"2026-02-10": {Likes: count(1), Impressions: count(10)}, "2026-02-11": {Likes: count(2)}, "2026-03-03": {Likes: count(5)}, "2026-03-12": {Likes: count(50)},
		} {
			require.NoError(t, store.SavePosts(ctx, channel, map[ident.Post]analytics.PostDay{of: {Date: day(t, text), PostFigures: f, CollectedAt: b.now}}))
		}
	}
	courses, err := store.Courses(ctx, b.ws.ID, postgres.PostsOf{}, r, time.UTC)
	require.NoError(t, err)
	require.Len(t, courses, 2)
	courses, err = store.Courses(ctx, b.ws.ID, postgres.PostsOf{Label: "SPRING"}, r, time.UTC)
	require.NoError(t, err)
	require.Len(t, courses, 1)
	require.Equal(t, labeled.ID, courses[0].ID)
	require.Equal(t, day(t, "2026-02-01"), courses[0].Published)
	require.Equal(t, analytics.PostFigures{Likes: count(2), Impressions: count(10)}, courses[0].Days[0].PostFigures, "the last of each before the range")
	require.Equal(t, count(3), courses[0].Gains(r).Days[0].Engagements)
	for name, of := range map[string]postgres.PostsOf{
		"post": {Post: p.ID}, "channel": {Channels: []ident.Channel{b.ch.ID}},
	} {
		courses, err := store.Courses(ctx, b.ws.ID, of, r, time.UTC)
		require.NoError(t, err, name)
		require.Len(t, courses, 1, name)
		require.Equal(t, p.ID, courses[0].ID, name)
		results, err := store.Results(ctx, b.ws.ID, of, r, time.UTC)
		require.NoError(t, err, name)
		require.Len(t, results, 1, name)
		require.Equal(t, count(50), results[0].Latest.Likes, "the last reading, also after the range")
		require.Equal(t, "out", results[0].Words)
	}
	for _, of := range []postgres.PostsOf{{Label: "spring"}, {Channels: []ident.Channel{}}} {
		results, err := store.Results(ctx, b.ws.ID, of, r, time.UTC)
		require.NoError(t, err)
		require.Empty(t, results, "published before, or of no channel")
	}
	results, err := store.Results(ctx, b.tenant(t).ID, postgres.PostsOf{}, r, time.UTC)
	require.NoError(t, err)
	require.Empty(t, results)
}
