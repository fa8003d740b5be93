package settings

import (
	"io"
	"net/url"
	"regexp"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/kernel/ident"
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
	for started := false; ; started = true {
		found, err := s.app.AuditLog(v.Request.Context(), v.Principal, before, entriesPerRead)
		if err != nil {
			return err
		}
		if !started {
			h.Set("Content-Type", "text/csv; charset=utf-8")
			h.Set("Content-Disposition", `attachment; filename="audit-log.csv"`)
			writeRow(v.Out, "time", "person", "action", "object", "detail")
		}
		for _, e := range found {
			writeRow(v.Out, e.At.UTC().Format(time.RFC3339), e.Actor, string(e.Action), e.Subject, e.Detail)
			before = e.ID
		}
		if len(found) < entriesPerRead {
			return nil
		}
	}
}

// formula finds the beginnings of what a spreadsheet would read as a formula: in a cell, or after a character at which a
// program with other settings splits it. The signs have full-width forms.
var formula = regexp.MustCompile(`(^|[;,|\t\r\n])(\s*)([=+\-@＝＋－＠])`)

// writeRow writes a row in which every cell is quoted, and no cell is a formula. An error concerns only the client's
// connection.
func writeRow(out io.Writer, cells ...string) {
	for i, text := range cells {
		text = formula.ReplaceAllString(text, "$1$2'$3")
		cells[i] = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	_, _ = io.WriteString(out, strings.Join(cells, ",")+"\r\n")
}
