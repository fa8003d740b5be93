package leads

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/sheet"
	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/kernel/ident"
)

const (
	// exportPage is the number of leads that an export reads at once, and exportLife the longest time in which they are sent.
	exportPage = 500
	exportLife = time.Minute
)

// export sends the leads of the address as a file, the newest first.
func (p *pages) export(v *frame.Visit) error {
	ctx := v.Request.Context()
	owners, err := p.desk.Owners(ctx, v.Principal)
	if err != nil {
		return err
	}
	f := queryOf(v).filter(v)
	f.Sort, f.Limit = "", exportPage
	found, err := p.desk.Leads(ctx, v.Principal, f)
	if err != nil {
		return err
	}
	h := v.Out.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8; header=present")
	h.Set("Content-Disposition", `attachment; filename="leads-`+v.Now().Format(time.DateOnly)+`.csv"`)
	if _, err := io.WriteString(v.Out, "\ufeff"); err != nil { // a mark by which spreadsheets know UTF-8
		return nil //nolint:nilerr // the visitor has left
	}
	out, byID := csv.NewWriter(v.Out), names(owners)
	out.UseCRLF = true
	err = out.Write(lead.Columns())
	for err == nil {
		_ = frame.MayWriteFor(v.Out, exportLife) // an error means that the connection has no deadlines, as in tests
		for _, l := range found {
			err = errors.Join(err, out.Write(guarded(l.Row(byID[l.OwnerID]))))
		}
		out.Flush()
		if err = errors.Join(err, out.Error()); err != nil || len(found) < exportPage {
			break
		}
		f.Before = found[len(found)-1].ID
		found, err = p.desk.Leads(ctx, v.Principal, f)
	}
	if err != nil {
		// The status is sent: only a broken connection shows the browser that rows are missing.
		panic(http.ErrAbortHandler) //nolint:forbidigo // how a handler cuts a connection
	}
	return nil
}

// guarded returns cells that spreadsheets show as texts.
func guarded(cells []string) []string {
	for i, cell := range cells {
		cells[i] = sheet.Guarded(cell)
	}
	return cells
}

// filePage is the data of the page of an import.
type filePage struct {
	Import  *lead.Import // nil: no file is chosen
	Fault   string
	Action  string
	Columns []string // that an import reads, as they are named
	Rows    []fileRow
	Ready   int
	Known   int
	Faulty  int
	Read    []string // the columns of the file that are read
	Ignored []string // and those that are not
	Max     int
}

// Left returns the number of rows that are not imported yet.
func (p filePage) Left() int { return len(p.Import.Rows) - p.Import.Done }

// Begun reports whether the import has begun.
func (p filePage) Begun() bool { return p.Import.Done > 0 }

// fileRow is a row with a fault, or of a person who is known.
type fileRow struct {
	Line   int
	Name   string
	Faults []string
	Known  string // the name of the lead that exists
	Href   string
}

// mostRows is the number of rows with a fault that the page shows, and mostChecked that of the rows that are compared with the
// leads that exist. All are, when they are imported.
const (
	mostRows    = 200
	mostChecked = 500
)

func (p *pages) file(v *frame.Visit) error { return p.filePage(v, http.StatusOK, "") }

func (p *pages) filePage(v *frame.Visit, status int, fault string) error {
	return page(v, status, "import", "Import leads", filePage{
		Fault: fault, Action: v.Path(path + "/import"), Columns: lead.Columns(), Max: lead.MaxRows,
	})
}

// upload stores a file as an import. Nothing is created.
func (p *pages) upload(v *frame.Visit) error {
	name, raw, err := v.File()
	if err != nil {
		return err
	}
	if len(raw) == 0 {
		return p.filePage(v, http.StatusUnprocessableEntity, "Choose a file.")
	}
	table, err := sheet.ReadUpTo(name, raw, lead.MaxRows)
	if fault, ok := errors.AsType[sheet.Fault](err); ok {
		return p.filePage(v, http.StatusUnprocessableEntity, string(fault))
	}
	if err != nil {
		return err
	}
	in := lead.Import{Name: cmp.Or(name, "Leads")}
	fields, named := lead.ColumnsOf(table.Rows[0].Cells)
	if !named {
		return p.filePage(v, http.StatusUnprocessableEntity, "The first row must name the columns, one of them “name”.")
	}
	if len(table.Rows) == 1 {
		return p.filePage(v, http.StatusUnprocessableEntity, "The file has the names of columns, but no rows below.")
	}
	in.Columns = fields
	for _, row := range table.Rows[1:] {
		for i, cell := range row.Cells {
			row.Cells[i] = sheet.Unguarded(cell)
		}
		in.Rows = append(in.Rows, lead.ImportRow{Line: row.Line, Cells: row.Cells})
	}
	id, err := p.desk.StartImport(v.Request.Context(), v.Principal, in)
	if err != nil {
		return err
	}
	v.Redirect(v.Path("/leadimports/" + id.String()))
	return nil
}

// preview shows what an import would create, or how far it is.
func (p *pages) preview(v *frame.Visit) error {
	id, err := frame.PathID(v, "leadimport", ident.Parse[ident.LeadImport])
	if err != nil {
		return err
	}
	found, err := p.desk.Import(v.Request.Context(), v.Principal, id)
	if err != nil {
		return err
	}
	data := filePage{Import: &found, Action: v.Path("/leadimports/" + id.String()), Max: lead.MaxRows}
	for _, field := range found.Columns {
		if field != "" {
			data.Read = append(data.Read, field)
		}
	}
	if found.Done == 0 {
		if err := p.examine(v, found, &data); err != nil {
			return err
		}
	}
	return page(v, http.StatusOK, "import", "Import leads", data)
}

// examine finds the faults of the rows, and persons who are known.
func (p *pages) examine(v *frame.Visit, in lead.Import, data *filePage) error {
	for i, row := range in.Rows {
		one, err := lead.FromRow(v.Workspace.ID, in.Columns, row.Cells, v.Zone())
		shown := fileRow{Line: row.Line, Name: one.Name}
		if faults, refused := frame.Faults(err); refused {
			data.Faulty++
			for _, field := range in.Columns {
				if text := faults[field]; text != "" {
					shown.Faults = append(shown.Faults, field+": "+text)
				}
			}
			if len(data.Rows) < mostRows {
				data.Rows = append(data.Rows, shown)
			}
			continue
		}
		data.Ready++
		if i >= mostChecked {
			continue
		}
		known, err := p.desk.SameAs(v.Request.Context(), v.Principal, one)
		if err != nil {
			return err
		}
		if len(known) == 0 {
			continue
		}
		data.Known++
		if shown.Known, shown.Href = known[0].Name, v.Path(path+"/"+known[0].ID.String()); len(data.Rows) < mostRows {
			data.Rows = append(data.Rows, shown)
		}
	}
	return nil
}

// batches is the number of batches of an import that one request runs, so that its events go out at the pace of others.
const batches = 5

// run continues an import. The page goes on until it is done.
func (p *pages) run(v *frame.Visit) error {
	id, err := frame.PathID(v, "leadimport", ident.Parse[ident.LeadImport])
	if err != nil {
		return err
	}
	var at lead.Import
	for range batches {
		if at, err = p.desk.ImportNext(v.Request.Context(), v.Principal, id, v.Form("anyway") != "", v.Zone()); err != nil {
			return err
		}
		if at.Done == len(at.Rows) {
			return v.Done(v.Path("/leadimports/"+id.String()), fmt.Sprintf("%d leads added.", at.Created))
		}
	}
	v.Redirect(v.Path("/leadimports/" + id.String()))
	return nil
}
