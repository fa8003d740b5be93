package app

import (
	"context"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/internal/places"
	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/plan"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/plaintext"
)

// calendarUseCases are those of what a calendar shows beside posts.
type calendarUseCases struct {
	*Records

	notes      *postgres.DayNotes
	workspaces *postgres.Workspaces
}

// Notes returns the notes on days from one on, before another one, by day.
func (a *calendarUseCases) Notes(ctx context.Context, p Principal, from, to time.Time) ([]plan.Note, error) {
	return a.notes.List(ctx, p.WorkspaceID, from, to)
}

// AddNote writes a note on a day. Error: VALIDATION_FAILED for a text that is empty or too long.
func (a *calendarUseCases) AddNote(ctx context.Context, p Principal, day time.Time, text string) (plan.Note, error) {
	if err := p.Require(credential.PostsWrite); err != nil {
		return plan.Note{}, err
	}
	text, fault := plaintext.Lines(text, plan.MaxText)
	switch {
	case fault != "":
		fault = "The note " + fault
	case text == "":
		fault = "Write something."
	}
	if fault != "" {
		return plan.Note{}, apperr.Invalid([]apperr.Field{{Pointer: "/text", Message: fault}})
	}
	n := plan.Note{
		ID: ident.New[ident.Note](), WorkspaceID: p.WorkspaceID, Text: text, Author: p.Person.Name, CreatedAt: a.now(),
		Day: time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, time.UTC),
	}
	return n, a.notes.Insert(ctx, n)
}

// DeleteNote deletes a note; NOT_FOUND when the workspace has no such note.
func (a *calendarUseCases) DeleteNote(ctx context.Context, p Principal, id ident.Note) error {
	if err := p.Require(credential.PostsWrite); err != nil {
		return err
	}
	return a.notes.Delete(ctx, p.WorkspaceID, id)
}

// ChooseHolidays sets the countries whose holidays the calendar shows. Error: VALIDATION_FAILED for an unknown code.
func (a *calendarUseCases) ChooseHolidays(ctx context.Context, p Principal, codes []string) error {
	if err := p.Require(credential.WorkspaceManage); err != nil {
		return err
	}
	codes = slices.Compact(slices.Sorted(slices.Values(codes)))
	if slices.ContainsFunc(codes, func(code string) bool { return !places.KnownCountry(code) }) {
		return apperr.Invalid([]apperr.Field{{Pointer: "/country", Message: "Choose countries of the list."}})
	}
	w, err := a.workspaces.Get(ctx, p.WorkspaceID)
	if err != nil || slices.Equal(w.Holidays, codes) {
		return err
	}
	detail := "Holidays: " + strings.Join(codes, ", ")
	return a.recorded(ctx, p, audit.WorkspaceChanged, w.Name, detail, func(ctx context.Context) error {
		return a.workspaces.ChooseHolidays(ctx, p.WorkspaceID, codes)
	})
}
