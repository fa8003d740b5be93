package plan

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	domain "fencepost.internal/shared/domain/plan"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock"
)

// importPath returns the path of the import in the address.
func importPath(v *frame.Visit) string { return Path + "/" + v.Request.PathValue("import") }

// configure stores how the columns of an import are read.
func (f *feature) configure(v *frame.Visit) error {
	id, err := importOf(v)
	if err != nil {
		return err
	}
	err = f.app.ConfigurePlanImport(v.Request.Context(), v.Principal, id, func(s *domain.Settings) {
		if v.Fields().Has("columns") { // the form of the columns, not a button beside
			used := make(map[domain.Column]bool)
			for i := range s.Columns {
				c := domain.Column(v.Form("column-" + number(i)))
				if !c.Known() || used[c] {
					c = ""
				}
				s.Columns[i], used[c] = c, true
			}
			s.Header, s.Schedules, s.Drafts = v.Form("header") != "", v.Form("state") == "schedule", v.Form("state") == "drafts"
		}
		if v.Form("drafts") != "" {
			s.Drafts, s.Schedules = true, false
		}
		if order := domain.Order(v.Form("order")); order.Known() {
			s.Order = order
		}
	})
	if err != nil {
		return err
	}
	v.Redirect(v.Path(Path + "/" + id.String()))
	return nil
}

// chooseChannels stores the channels of names that are not known.
func (f *feature) chooseChannels(v *frame.Visit) error {
	id, err := importOf(v)
	if err != nil {
		return err
	}
	channels, err := f.app.Channels(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	err = f.app.ConfigurePlanImport(v.Request.Context(), v.Principal, id, func(s *domain.Settings) {
		if s.Channels == nil || v.Form("again") != "" {
			s.Channels = make(map[string]string)
		}
		names, chosen := v.Fields()["name"], v.Fields()["channel"]
		for i, name := range names[:min(len(names), len(chosen), domain.MaxRows)] {
			known := slices.ContainsFunc(channels, func(c channelOf) bool { return c.ID.String() == chosen[i] })
			if known || chosen[i] == domain.LeftOut {
				s.Channels[folded(name)] = chosen[i]
			}
		}
	})
	if err != nil {
		return err
	}
	v.Redirect(v.Path(Path + "/" + id.String()))
	return nil
}

// fetch starts to fetch the files of the web that rows need.
func (f *feature) fetch(v *frame.Visit) error {
	id, err := importOf(v)
	if err != nil {
		return err
	}
	r, err := f.read(v, id)
	if err != nil {
		return err
	}
	err = f.app.FetchPlanFiles(v.Request.Context(), v.Principal, id, r.Addresses, v.Form("again") != "")
	if why := frame.Refusal(err, apperr.QuotaExceeded); why != "" {
		return v.Done(v.Back(importPath(v)), why)
	}
	if err != nil {
		return err
	}
	v.Redirect(v.Back(importPath(v)))
	return nil
}

// editRow stores the cells of a row.
func (f *feature) editRow(v *frame.Visit) error {
	id, err := importOf(v)
	if err != nil {
		return err
	}
	_, rows, err := f.app.PlanImport(v.Request.Context(), v.Principal, id)
	if err != nil {
		return err
	}
	line, _ := strconv.Atoi(v.Form("line"))
	at := slices.IndexFunc(rows, func(r domain.Row) bool { return r.Line == line })
	if at < 0 {
		return apperr.New(apperr.NotFound, "This page does not exist.")
	}
	cells := rows[at].Cells
	for i := range cells {
		if name := "cell-" + number(i); v.Fields().Has(name) {
			cells[i] = v.Form(name)
		}
	}
	if err := f.app.EditPlanRow(v.Request.Context(), v.Principal, id, line, cells); err != nil {
		return err
	}
	v.Redirect(v.Back(importPath(v)) + "#line-" + number(line))
	return nil
}

func (f *feature) discard(v *frame.Visit) error {
	id, err := importOf(v)
	if err != nil {
		return err
	}
	if err := f.app.DiscardPlanImport(v.Request.Context(), v.Principal, id); err != nil {
		return err
	}
	return v.Done(v.Path(Path), "Import discarded.")
}

// Posts are created in parts, so that each response arrives in time; what was created is not created again.
const (
	part      = 20
	creations = 25 * time.Second
)

// create creates the posts of the rows that are ready.
func (f *feature) create(v *frame.Visit) error {
	id, err := importOf(v)
	if err != nil {
		return err
	}
	r, err := f.read(v, id)
	if err != nil {
		return err
	}
	var items []app.PlannedPosts
	for _, one := range r.Rows {
		if one.State == ready {
			items = append(items, one.Posts)
		}
	}
	if len(items) == 0 {
		return v.Done(v.Back(importPath(v)), "Nothing to import.")
	}
	until := clock.System().Now().Add(creations)
	created, refused, left := 0, 0, 0
	for chunk := range slices.Chunk(items, part) {
		if clock.System().Now().After(until) {
			left += len(chunk)
			continue
		}
		n, wrong, err := f.createSome(v.Request.Context(), v.Principal, chunk)
		created, refused = created+n, refused+wrong
		if err != nil {
			return err
		}
	}
	return v.Done(v.Path(Path+"/"+id.String()), outcome(created, refused, left))
}

// createSome creates the posts of rows, and returns their number and that of the refused rows, which the page explains when
// it is shown again.
func (f *feature) createSome(ctx context.Context, p app.Principal, items []app.PlannedPosts) (created, refused int, err error) {
	results, err := f.app.ImportPosts(ctx, p, items)
	if err != nil {
		return 0, 0, err
	}
	for _, one := range results {
		known, ok := errors.AsType[*apperr.Error](one.Err)
		switch {
		case one.Err == nil:
			created += len(one.Posts)
		case !ok, known.Code == apperr.Unavailable, known.Code == apperr.Internal, known.Code == apperr.InsufficientScope:
			return created, refused, one.Err
		case known.Code == apperr.ExternalIDInUse: // the same file was imported at the same time
		default:
			refused++
		}
	}
	return created, refused, nil
}

// outcome says what happened.
func outcome(created, refused, left int) string {
	text := frame.Plural(created, "post") + " imported."
	if refused > 0 {
		text += " " + frame.Plural(refused, "row") + " refused: see To fix."
	}
	if left > 0 {
		text += " " + frame.Plural(left, "row") + " to go: import again to continue."
	}
	return text
}
