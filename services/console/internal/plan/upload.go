package plan

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/sheet"
	domain "fencepost.internal/shared/domain/plan"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/plaintext"
)

// longestName is the number of characters of a file's name that are kept.
const longestName = 100

// upload stores a file as an import. Nothing is created.
func (f *feature) upload(v *frame.Visit) error {
	name, raw, err := fileOf(v)
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

// fileOf returns the name and the content of the form's file; empty if there is none.
func fileOf(v *frame.Visit) (name string, raw []byte, err error) {
	form := v.Request.MultipartForm
	if form == nil || len(form.File["file"]) == 0 {
		return "", nil, nil
	}
	chosen := form.File["file"][0]
	file, err := chosen.Open()
	if err != nil {
		return "", nil, fmt.Errorf("plan: %w", err)
	}
	defer func() { _ = file.Close() }()
	if raw, err = io.ReadAll(file); err != nil {
		return "", nil, fmt.Errorf("plan: %w", err)
	}
	given := []rune(strings.Map(visible, path.Base(strings.ReplaceAll(chosen.Filename, `\`, "/"))))
	return strings.TrimSpace(string(given[:min(len(given), longestName)])), raw, nil
}

// visible drops the characters that change how the words beside a name read.
func visible(r rune) rune {
	if !plaintext.OneLine(string(r)) {
		return -1
	}
	return r
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
