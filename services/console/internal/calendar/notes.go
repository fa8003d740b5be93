package calendar

import (
	"net/http"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/places"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// annotate adds notes, holidays and gaps to days.
func (c *calendar) annotate(v *frame.Visit, q query, days []day) error {
	notes, err := c.app.Notes(v.Request.Context(), v.Principal, q.First, q.End)
	if err != nil {
		return err
	}
	found := places.HolidaysBetween(v.Workspace.Holidays, q.First, q.End)
	for i := range days {
		d := &days[i]
		for len(notes) > 0 && notes[0].Day.Format(time.DateOnly) <= d.ISO() {
			d.Notes, notes = append(d.Notes, notes[0]), notes[1:]
		}
		for len(found) > 0 && found[0].Day <= d.ISO() {
			d.Holidays, found = append(d.Holidays, found[0]), found[1:]
		}
		if q.wholePlan() {
			d.Gap = d.gap(v.Now())
		}
	}
	return nil
}

// addNote writes a note on a day.
func (c *calendar) addNote(v *frame.Visit) error {
	day, err := time.Parse(time.DateOnly, v.Form("day"))
	if err != nil {
		return apperr.New(apperr.NotFound, "This day does not exist.")
	}
	_, err = c.app.AddNote(v.Request.Context(), v.Principal, day, v.Form("text"))
	if faults, ok := frame.Faults(err); ok {
		v.Request.URL.RawQuery = "view=day&day=" + day.Format(time.DateOnly)
		return c.pageWith(v, http.StatusUnprocessableEntity, func(p *page) {
			p.Fault, p.Text = faults["text"], v.Form("text")
		})
	}
	if err != nil {
		return err
	}
	return v.Done(dayPath(v, v.Form("day")), "Note added.")
}

func (c *calendar) deleteNote(v *frame.Visit) error {
	id, err := frame.PathID(v, "note", ident.Parse[ident.Note])
	if err == nil {
		err = c.app.DeleteNote(v.Request.Context(), v.Principal, id)
	}
	if err != nil {
		return err
	}
	return v.Done(dayPath(v, v.Form("day")), "Note deleted.")
}

// dayPath returns the address of a day; of the calendar if there is no such day.
func dayPath(v *frame.Visit, day string) string {
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return v.Path("/calendar")
	}
	return v.Path("/calendar?view=day&day=" + day)
}

// countryChoice is a country in the form of holidays.
type countryChoice struct {
	places.Country

	Chosen bool
}

func (c *calendar) holidays(v *frame.Visit) error { return c.holidaysPage(v, http.StatusOK, "") }

func (c *calendar) holidaysPage(v *frame.Visit, status int, fault string) error {
	data := struct {
		Countries []countryChoice
		Fault     string
	}{Fault: fault}
	for _, one := range places.Countries() {
		chosen := false
		for _, code := range v.Workspace.Holidays {
			chosen = chosen || code == one.Code
		}
		data.Countries = append(data.Countries, countryChoice{one, chosen})
	}
	return v.Page(frame.Page{Name: "calendar/holidays", Title: "Holidays", Status: status, Data: data})
}

func (c *calendar) chooseHolidays(v *frame.Visit) error {
	err := c.app.ChooseHolidays(v.Request.Context(), v.Principal, v.Fields()["country"])
	if faults, ok := frame.Faults(err); ok {
		return c.holidaysPage(v, http.StatusUnprocessableEntity, faults["country"])
	}
	if err != nil {
		return err
	}
	return v.Done(v.Path("/calendar"), "Holidays saved.")
}
