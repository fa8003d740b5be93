package settings

import (
	"encoding/csv"
	"net/url"
	"strings"
	"time"

	"socialpub.internal/services/console/internal/frame"
	"socialpub.internal/shared/kernel/ident"
)

const (
	entriesPerPage = 50
	entriesPerRead = 500
)

// auditPage is the data of the audit log.
type auditPage struct {
	Entries []auditItem
	About   string // the chosen group of actions
	Groups  []auditGroup
	Next    string
	First   string
}

func (s *settings) auditLog(v *frame.Visit) error {
	var before ident.Audit
	var page auditPage
	if id, err := ident.Parse[ident.Audit](v.Query("before")); err == nil {
		before, page.First = id, v.Path("/settings/audit")
	}
	page.Groups = auditGroups()
	query := url.Values{}
	var kinds []string
	for _, g := range page.Groups {
		if g.Value == v.Query("about") {
			page.About, kinds = g.Value, g.kinds
			query.Set("about", g.Value)
		}
	}
	if page.First != "" && page.About != "" {
		page.First += "?" + query.Encode()
	}
	found, err := s.app.AuditLog(v.Request.Context(), v.Principal, before, entriesPerPage+1, kinds...)
	if err != nil {
		return err
	}
	if len(found) > entriesPerPage {
		found = found[:entriesPerPage]
		query.Set("before", found[entriesPerPage-1].ID.String())
		page.Next = v.Path("/settings/audit?" + query.Encode())
	}
	for _, e := range found {
		page.Entries = append(page.Entries, itemOfEntry(e))
	}
	return v.Page(frame.Page{Name: "settings/audit", Title: "Audit log", Tabs: Tabs("Audit log"), Data: page})
}

// auditCSV exports the whole log, newest first.
func (s *settings) auditCSV(v *frame.Visit) error {
	var before ident.Audit
	h := v.Out.Header()
	out := csv.NewWriter(v.Out)
	for started := false; ; started = true {
		found, err := s.app.AuditLog(v.Request.Context(), v.Principal, before, entriesPerRead)
		if err != nil {
			return err
		}
		if !started {
			h.Set("Content-Type", "text/csv; charset=utf-8")
			h.Set("Content-Disposition", `attachment; filename="audit-log.csv"`)
			_ = out.Write([]string{"time", "person", "action", "object", "detail"})
		}
		for _, e := range found {
			_ = out.Write([]string{
				e.At.UTC().Format(time.RFC3339), cell(e.Actor), cell(string(e.Action)), cell(e.Subject), cell(e.Detail),
			})
			before = e.ID
		}
		if len(found) < entriesPerRead {
			out.Flush() // an error concerns only the client's connection
			return nil
		}
	}
}

// cell returns a text that spreadsheets do not read as a formula.
func cell(text string) string {
	if strings.IndexAny(text, "=+-@\t\r") == 0 {
		return "'" + text
	}
	return text
}
