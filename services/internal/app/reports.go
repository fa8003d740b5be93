package app

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Report has what the report of a month shows.
type Report struct {
	Overview

	Workspace string
	City      string // time zone of the workspace
	Month     analytics.Month
	Logo      []byte // picture; nil: none
	At        time.Time
}

// Report returns the report of a month, of the channels that the client has. VALIDATION_FAILED for a month that has not begun.
func (a *Figures) Report(ctx context.Context, p Principal, month analytics.Month) (Report, error) {
	if err := p.Require(credential.AnalyticsRead); err != nil {
		return Report{}, err
	}
	s, err := a.scope(ctx, p, ident.Channel{})
	if err != nil {
		return Report{}, err
	}
	return a.report(ctx, s, month)
}

// WorkspaceReport returns the report of a month for the addresses that a workspace chose; NOT_FOUND if there is no such workspace.
func (a *Figures) WorkspaceReport(ctx context.Context, id ident.Workspace, month analytics.Month) (Report, error) {
	s, err := a.scope(ctx, Principal{WorkspaceID: id}, ident.Channel{})
	if err != nil {
		return Report{}, err
	}
	return a.report(ctx, s, month)
}

func (a *Figures) report(ctx context.Context, s scope, month analytics.Month) (Report, error) {
	now, r := a.now(), month.Range()
	today := analytics.DateOf(now.In(s.zone))
	if r.From.After(today) {
		return Report{}, apperr.Invalid([]apperr.Field{{Pointer: "month", Message: "Choose a month that has begun."}})
	}
	if r.To.After(today) {
		r.To = today
	}
	overview, err := a.overview(ctx, s, OverviewOf{before: new(month.Previous().Range())}, r)
	if err != nil {
		return Report{}, err
	}
	out := Report{Overview: overview, Workspace: s.workspace.Name, City: s.workspace.Timezone, Month: month, At: now.In(s.zone)}
	out.Logo, err = a.logo(ctx, s.workspace.ID)
	return out, err
}

// mostLogo bounds the bytes of a logo. Thumbnails are smaller.
const mostLogo = 4 << 20

func (a *Figures) logo(ctx context.Context, of ident.Workspace) ([]byte, error) {
	object, err := a.reports.Logo(ctx, of)
	if err != nil || object.Key == "" {
		return nil, err
	}
	file, err := a.files.Open(ctx, object.Key, objectstore.Range{})
	if err != nil {
		return nil, fmt.Errorf("app: read a logo: %w", err)
	}
	defer func() { _ = file.Close() }()
	return io.ReadAll(io.LimitReader(file, mostLogo))
}

// ReportSetting returns who gets the report of the workspace each month, and the months whose report was sent.
func (a *Figures) ReportSetting(ctx context.Context, p Principal) (analytics.ReportSetting, []analytics.Month, error) {
	if err := p.Require(credential.AnalyticsRead); err != nil {
		return analytics.ReportSetting{}, nil, err
	}
	setting, err := a.reports.Setting(ctx, p.WorkspaceID)
	if err != nil {
		return setting, nil, err
	}
	const months = 12
	sent, err := a.reports.Sent(ctx, p.WorkspaceID, months)
	return setting, sent, err
}

// SetReport changes who gets the report. Errors: VALIDATION_FAILED with every fault, analytics.ErrReportChanged if another member
// changed the setting meanwhile.
func (a *Figures) SetReport(ctx context.Context, p Principal, to analytics.ReportSetting) error {
	if err := p.Require(credential.WorkspaceManage); err != nil {
		return err
	}
	if err := p.requireEveryChannel(); err != nil { // it shows all of them
		return err
	}
	if err := to.Check(); err != nil {
		return err
	}
	to.ChangedBy = p.Person.Name
	detail := "off"
	if to.On {
		texts := make([]string, len(to.Addresses))
		for i, address := range to.Addresses {
			texts[i] = string(address)
		}
		detail = strings.Join(texts, ", ")
	}
	return a.recorded(ctx, p, audit.ReportChanged, "", detail, func(ctx context.Context) error {
		return a.reports.SetSetting(ctx, p.WorkspaceID, to, a.now())
	})
}

// ReportLink returns the link with a secret, by which the owner of an address stops reports; NOT_FOUND if there is none.
func (a *Figures) ReportLink(ctx context.Context, secret string) (postgres.ReportLink, error) {
	hash, err := credential.Report.Hash(secret)
	if err != nil {
		return postgres.ReportLink{}, apperr.New(apperr.NotFound, "There is no such link.")
	}
	return a.reports.Link(ctx, hash)
}

// StopReport stops the reports of a workspace to the address of a link, or sends them again; NOT_FOUND if there is no such link.
func (a *Figures) StopReport(ctx context.Context, secret string, stop bool) error {
	link, err := a.ReportLink(ctx, secret)
	if err != nil {
		return err
	}
	return a.reports.SetStopped(ctx, link, stop, a.now())
}
