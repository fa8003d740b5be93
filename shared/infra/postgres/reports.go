package postgres

import (
	"context"
	"slices"
	"time"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
)

// Reports stores who gets the monthly reports of workspaces.
type Reports struct{ db *DB }

// NewReports returns the store.
func NewReports(db *DB) *Reports { return &Reports{db: db} }

// Setting returns who gets the report of a workspace; off if no one has chosen yet.
func (s *Reports) Setting(ctx context.Context, of ident.Workspace) (analytics.ReportSetting, error) {
	var rows []struct {
		IsOn      bool
		Addresses textArray
		Revision  int
		ChangedBy string
	}
	err := s.db.conn(ctx).Table("report_setting").Select("is_on, addresses, revision, changed_by").Where("workspace_id = ?", of).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return analytics.ReportSetting{}, classify(err)
	}
	row := rows[0]
	found := analytics.ReportSetting{
		On: row.IsOn, Addresses: fromArray[email.Address](row.Addresses), Revision: row.Revision, ChangedBy: row.ChangedBy,
	}
	stops, err := s.stops(ctx, of)
	for _, a := range found.Addresses {
		if slices.Contains(stops, a.Folded()) {
			found.Stopped = append(found.Stopped, a)
		}
	}
	return found, err
}

func (s *Reports) stops(ctx context.Context, of ident.Workspace) (stops []string, err error) {
	err = s.db.conn(ctx).Table("report_stop").Where("workspace_id = ?", of).Pluck("address", &stops).Error
	return stops, classify(err)
}

// SetSetting stores who gets the report. It returns analytics.ErrReportChanged if the setting has another revision
// than that of the change.
func (s *Reports) SetSetting(ctx context.Context, of ident.Workspace, to analytics.ReportSetting, now time.Time) error {
	params := map[string]any{
		"workspace": of, "on": to.On, "addresses": toArray(to.Addresses), "revision": to.Revision, "by": to.ChangedBy, "now": now,
	}
	stored := s.db.conn(ctx).Exec(`INSERT INTO report_setting AS old (workspace_id, is_on, on_since, addresses, revision, changed_by)
		SELECT CAST(@workspace AS uuid), CAST(@on AS boolean), CAST(@now AS timestamptz), CAST(@addresses AS text[]), 1, CAST(@by AS text)
		WHERE @revision = 0 OR EXISTS (SELECT FROM report_setting WHERE workspace_id = @workspace)
		ON CONFLICT (workspace_id) DO UPDATE SET is_on = excluded.is_on, addresses = excluded.addresses, changed_by = excluded.changed_by,
			revision = old.revision + 1, on_since = CASE WHEN old.is_on THEN old.on_since ELSE excluded.on_since END
		WHERE old.revision = @revision`, params)
	if stored.Error == nil && stored.RowsAffected == 0 {
		return analytics.ErrReportChanged
	}
	return classify(stored.Error)
}

// ReportLink is a link by which the owner of an address stops reports.
type ReportLink struct {
	WorkspaceID ident.Workspace
	Workspace   string // name
	Address     string
	Stopped     bool
}

// Link returns the link with a hash; NOT_FOUND if there is none.
func (s *Reports) Link(ctx context.Context, hash [32]byte) (found ReportLink, err error) {
	err = s.db.conn(ctx).Table("report_link l").Joins("JOIN workspace w ON w.id = l.workspace_id").
		Select(`l.workspace_id, w.name AS workspace, l.address,
			EXISTS (SELECT FROM report_stop s WHERE s.workspace_id = l.workspace_id AND s.address = l.address) AS stopped`).
		Where("l.hash = ?", hash[:]).Take(&found).Error
	return found, rowError(err, "link")
}

// SetStopped records whether the owner of the link's address wants no more reports.
func (s *Reports) SetStopped(ctx context.Context, l ReportLink, stopped bool, now time.Time) error {
	if !stopped {
		return classify(s.db.conn(ctx).Table("report_stop").Where("workspace_id = ? AND address = ?", l.WorkspaceID, l.Address).Delete(nil).Error)
	}
	return classify(s.db.conn(ctx).Table("report_stop").Clauses(onConflict("ON CONFLICT DO NOTHING")).Create(map[string]any{
		"workspace_id": l.WorkspaceID, "address": l.Address, "stopped_at": now,
	}).Error)
}

// Sent returns the months whose report was sent, the last first.
func (s *Reports) Sent(ctx context.Context, of ident.Workspace, limit int) ([]analytics.Month, error) {
	var rows []struct{ Text string }
	err := s.db.conn(ctx).Table("report_month").Select("to_char(month, 'YYYY-MM') AS text").Where("workspace_id = ? AND mails > 0", of).
		Order("month DESC").Limit(limit).Scan(&rows).Error
	months := make([]analytics.Month, len(rows))
	for i, row := range rows {
		months[i], _ = analytics.ParseMonth(row.Text)
	}
	return months, classify(err)
}

// Logo returns the picture of a workspace's logo; zero if it has none.
func (s *Reports) Logo(ctx context.Context, of ident.Workspace) (media.Object, error) {
	var rows []struct{ Key, Type string }
	err := s.db.conn(ctx).Table("media_reference r").Joins("JOIN media l ON l.id = r.media_id").
		Joins("JOIN workspace w ON r.owner_id = COALESCE(w.live_id, w.id)").
		Select("l.thumbnail_key AS key, l.thumbnail_type AS type").
		Where("r.owner_type = ? AND w.id = ? AND l.thumbnail_key IS NOT NULL", string(media.OwnerWorkspaceLogo), of).Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return media.Object{}, classify(err)
	}
	return media.Object{Key: rows[0].Key, ContentType: rows[0].Type}, nil
}
