package postgres

import (
	"context"
	"slices"
	"time"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
)

// reportLinkLife is the time for which the link of a report stops further ones.
const reportLinkLife = 2 * 365 * 24 * time.Hour

// subscribed is a workspace with a monthly report.
type subscribed struct {
	WorkspaceID ident.Workspace
	Name        string
	Timezone    string
	OnSince     time.Time
	Last        *dayColumn // month of the last report
}

// MailReports sends the reports of the last month whose time has come in the zone of their workspace, once for each month. It
// returns the number of mails.
func (s *Mails) MailReports(ctx context.Context, now time.Time) (sent int, err error) {
	if s.noMails {
		return 0, nil
	}
	var workspaces []subscribed
	err = s.db.conn(ctx).Table("report_setting r").Joins("JOIN workspace w ON w.id = r.workspace_id").
		Select(`r.workspace_id, w.name, w.timezone, r.on_since,
			(SELECT max(m.month) FROM report_month m WHERE m.workspace_id = r.workspace_id) AS last`).
		Where("r.is_on AND NOT w.is_test AND w.delete_at IS NULL").Order("r.workspace_id").Scan(&workspaces).Error
	if err != nil {
		return 0, classify(err)
	}
	for _, w := range workspaces {
		month, due := analytics.LastReport(now, analytics.Zone(w.Timezone))
		if due.Before(w.OnSince) || w.Last != nil && !analytics.Date(*w.Last).Before(month.Range().From) {
			continue
		}
		n, err := s.mailReport(ctx, w, month, now)
		if err != nil {
			return sent, err
		}
		sent += n
	}
	return sent, nil
}

// mailReport stores the mails of a report together with the row that claims the month.
func (s *Mails) mailReport(ctx context.Context, w subscribed, month analytics.Month, now time.Time) (sent int, err error) {
	err = s.db.WithinTx(ctx, func(ctx context.Context) error {
		claimed := s.db.conn(ctx).Exec(`INSERT INTO report_month (workspace_id, month, sent_at, mails) VALUES (?, ?, ?, 0) ON CONFLICT DO NOTHING`,
			w.WorkspaceID, dayColumn(month.Range().From), now)
		if claimed.Error != nil || claimed.RowsAffected == 0 { // another process sends
			return classify(claimed.Error)
		}
		err := s.db.conn(ctx).Table("report_link").Where("workspace_id = ? AND created_at < ?", w.WorkspaceID, now.Add(-reportLinkLife)).Delete(nil).Error
		if err != nil {
			return classify(err)
		}
		to, err := s.reportAddresses(ctx, w.WorkspaceID)
		for _, address := range to {
			if err := s.mailReportTo(ctx, w, month, address, now); err != nil {
				return err
			}
			sent++
		}
		if err != nil {
			return err
		}
		return classify(s.db.conn(ctx).Table("report_month").Where("workspace_id = ? AND month = ?", w.WorkspaceID, dayColumn(month.Range().From)).
			Update("mails", sent).Error)
	})
	return sent, err
}

// reportAddresses returns the addresses that get the report, as they are while the month is claimed.
func (s *Mails) reportAddresses(ctx context.Context, of ident.Workspace) ([]email.Address, error) {
	setting, err := NewReports(s.db).Setting(ctx, of)
	if err != nil || !setting.On {
		return nil, err
	}
	return slices.DeleteFunc(setting.Addresses, func(a email.Address) bool { return slices.Contains(setting.Stopped, a) }), nil
}

func (s *Mails) mailReportTo(ctx context.Context, w subscribed, month analytics.Month, to email.Address, now time.Time) error {
	secret := credential.Report.New()
	hash, err := credential.Report.Hash(secret)
	if err != nil {
		return err
	}
	err = s.db.conn(ctx).Table("report_link").Create(map[string]any{
		"hash": hash[:], "workspace_id": w.WorkspaceID, "address": to.Folded(), "created_at": now,
	}).Error
	if err != nil {
		return classify(err)
	}
	content := mail.Content{To: to, Secret: secret, Workspace: w.Name, Month: month.String()}
	return s.Enqueue(ctx, mail.New(mail.MonthlyReport, w.WorkspaceID, content, now, time.Time{}))
}
