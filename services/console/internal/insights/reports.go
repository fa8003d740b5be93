package insights

import (
	"bytes"
	"errors"
	"net/http"
	"strconv"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/report"
	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/credential"
)

// reportPage is the data of the page of monthly reports.
type reportPage struct {
	Setting   analytics.ReportSetting
	On        bool   // as it was sent
	Addresses string // as they were sent
	Fault     string // of the addresses
	Month     string
	MonthBad  string
	Last      string // the last day that can be chosen
	Sent      []analytics.Month
	Manages   bool
	Mails     bool // a mail server is configured
	Changed   bool // by another member
	Most      int
	Stopped   []string
}

func (p *pages) reports(v *frame.Visit) error {
	return p.reportPage(v, http.StatusOK, reportPage{Month: analytics.MonthOf(analytics.DateOf(v.Now())).Previous().String()}, true)
}

// reportPage responds with the page; stored: its form has what is stored.
func (p *pages) reportPage(v *frame.Visit, status int, data reportPage, stored bool) error {
	setting, sent, err := p.figures.ReportSetting(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	data.Setting, data.Sent, data.Mails, data.Most = setting, sent, p.app.SendsMails(), analytics.MaxReportAddresses
	data.Manages = v.Principal.Allows(credential.WorkspaceManage) && v.Principal.Channels == nil
	data.Last = analytics.MonthOf(analytics.DateOf(v.Now())).String()
	if stored {
		data.On, data.Addresses = setting.On, lines(setting)
	}
	for _, a := range setting.Stopped {
		data.Stopped = append(data.Stopped, string(a))
	}
	return page(v, status, "reports", "Monthly report", data)
}

func lines(s analytics.ReportSetting) string {
	var text bytes.Buffer
	for _, a := range s.Addresses {
		_, _ = text.WriteString(string(a) + "\n")
	}
	return text.String()
}

func (p *pages) setReport(v *frame.Visit) error {
	addresses, fault := analytics.ReadAddresses(v.Form("addresses"))
	revision, _ := strconv.Atoi(v.Form("revision")) // another one is refused
	to := analytics.ReportSetting{On: v.Form("on") != "", Addresses: addresses, Revision: revision}
	data := reportPage{
		On: to.On, Addresses: v.Form("addresses"), Fault: fault, Month: analytics.MonthOf(analytics.DateOf(v.Now())).Previous().String(),
	}
	if fault != "" {
		return p.reportPage(v, http.StatusUnprocessableEntity, data, false)
	}
	err := p.figures.SetReport(v.Request.Context(), v.Principal, to)
	if errors.Is(err, analytics.ErrReportChanged) {
		data.Changed = true
		return p.reportPage(v, http.StatusConflict, data, false)
	}
	if faults, refused := frame.Faults(err); refused {
		data.Fault = faults["addresses"]
		return p.reportPage(v, http.StatusUnprocessableEntity, data, false)
	}
	if err != nil {
		return err
	}
	return v.Done(v.Path(pathReport), "Saved.")
}

// download sends the report of a month.
func (p *pages) download(v *frame.Visit) error {
	text := v.Query("month")
	month, ok := analytics.ParseMonth(text)
	if text == "" {
		month, ok = analytics.MonthOf(analytics.DateOf(v.Now())).Previous(), true
	}
	if !ok {
		return p.reportPage(v, http.StatusUnprocessableEntity, reportPage{Month: text, MonthBad: "Choose a month."}, true)
	}
	found, err := p.figures.Report(v.Request.Context(), v.Principal, month)
	if faults, refused := frame.Faults(err); refused {
		return p.reportPage(v, http.StatusUnprocessableEntity, reportPage{Month: text, MonthBad: faults["month"]}, true)
	}
	if err != nil {
		return err
	}
	content, err := report.Write(found)
	if err != nil {
		return err
	}
	h := v.Out.Header()
	h.Set("Content-Type", "application/pdf")
	h.Set("Content-Disposition", `attachment; filename="report-`+month.String()+`.pdf"`)
	h.Set("Content-Length", strconv.Itoa(len(content)))
	_, _ = v.Out.Write(content) // an error concerns only the client's connection
	return nil
}

// linkPage is the data of the page of a link in a report.
type linkPage struct {
	Workspace string
	Address   string
	Stopped   bool
	Action    string
}

// link shows the page by which the owner of an address stops reports.
func (p *pages) link(v *frame.Visit) error {
	found, err := p.figures.ReportLink(v.Request.Context(), v.Request.PathValue("token"))
	if err != nil {
		return err
	}
	return v.Page(frame.Page{Name: "insights/stop", Title: "Monthly report", Bare: true, Data: linkPage{
		Workspace: found.Workspace, Address: found.Address, Stopped: found.Stopped, Action: v.Request.URL.Path,
	}})
}

// stop stops reports, or sends them again. Programs for mail also call it, without a visit of the page (RFC 8058).
func (p *pages) stop(v *frame.Visit) error {
	if err := p.figures.StopReport(v.Request.Context(), v.Request.PathValue("token"), v.Form("again") == ""); err != nil {
		return err
	}
	v.Redirect(v.Request.URL.Path)
	return nil
}
