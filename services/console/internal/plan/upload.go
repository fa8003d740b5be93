package plan

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/sheet"
	domain "fencepost.internal/shared/domain/plan"
	"fencepost.internal/shared/kernel/ident"
)

// upload stores a file as an import. Nothing is created.
func (f *feature) upload(v *frame.Visit) error {
	name, raw, err := v.File()
	if err != nil {
		return err
	}
	refused := func(why string) error {
		return f.startPage(v, http.StatusUnprocessableEntity, func(p *startPage) { p.Fault = why })
	}
	if name == "" && len(raw) == 0 {
		return refused("Choose a file.")
	}
	table, err := sheet.Read(name, raw)
	if fault, ok := errors.AsType[sheet.Fault](err); ok {
		return refused(string(fault))
	}
	if err != nil {
		return err
	}
	in := domain.Import{Name: cmp.Or(name, "Posts"), Format: table.Format}
	in.Settings.Columns, in.Settings.Header = sheet.GuessColumns(table.Rows[0].Cells)
	if in.Settings.Header && len(table.Rows) == 1 {
		return refused("The file has the names of columns, but no rows below. Choose another one.")
	}
	if !in.Settings.Header && len(table.Rows) > domain.MaxRows {
		return refused(fmt.Sprintf("The file has more than %d rows. Split it.", domain.MaxRows))
	}
	if in.Settings.Channels, err = f.choices(v); err != nil {
		return err
	}
	id, err := f.app.StartPlanImport(v.Request.Context(), v.Principal, in, table.Rows)
	if err != nil {
		return err
	}
	v.Redirect(v.Path(Path + "/" + id.String()))
	return nil
}

// choices returns the channels that the person chose for names in the last import, so that no name is asked for twice.
func (f *feature) choices(v *frame.Visit) (map[string]string, error) {
	earlier, err := f.app.PlanImports(v.Request.Context(), v.Principal)
	if err != nil || len(earlier) == 0 {
		return nil, err
	}
	kept := make(map[string]string)
	for name, id := range earlier[0].Settings.Channels {
		if name != "" && id != domain.LeftOut {
			kept[name] = id
		}
	}
	return kept, nil
}

// importOf parses the import of the address.
func importOf(v *frame.Visit) (ident.PlanImport, error) {
	return frame.PathID(v, "import", ident.Parse[ident.PlanImport])
}
