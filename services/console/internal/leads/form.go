package leads

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// form is the form of a lead, as it is shown and as it was sent. Its fields are texts, so that nothing is lost when one is
// refused.
type form struct { //nolint:recvcheck // templates call Fault on the value
	Action       string
	Name         string
	Platform     string
	Handle       string
	ProfileURL   string
	Email        string
	Phone        string
	Interest     string
	Value        string
	Currency     string
	Temperature  string
	Owner        string
	Day, Clock   string // of the follow-up
	Capture      string // of a new lead: the same form creates one lead
	Source       string // of a new lead; empty: entered by hand
	Stage        string // of a new lead; empty: the first
	Conversation string // from which the lead comes; empty: none
	Revision     int64  // of a lead that exists

	Platforms    []option
	Temperatures []option
	Owners       []option
	Currencies   []string
	Faults       map[string]string
	Known        []card // open leads of the same person
}

// Fault returns the fault of a field; empty if there is none.
func (f form) Fault(field string) string { return f.Faults[field] }

// sent reads the form of a request.
func sent(v *frame.Visit) form {
	return form{
		Name: v.Form("name"), Platform: v.Form("platform"), Handle: v.Form("handle"), ProfileURL: v.Form("profile_url"),
		Email: v.Form("contact_email"), Phone: v.Form("contact_phone"), Interest: v.Form("interest"), Value: v.Form("value"),
		Currency: strings.ToUpper(v.Form("currency")), Temperature: v.Form("temperature"), Owner: v.Form("owner"), Day: v.Form("follow_day"),
		Clock: v.Form("follow_clock"), Capture: v.Form("capture"), Source: v.Form("source"), Conversation: v.Form("conversation"),
		Stage:  v.Form("stage"),
		Faults: make(map[string]string),
	}
}

// usualClock is the time of a follow-up on a day.
const usualClock = "09:00"

// input returns the lead of the form. Faults of its texts are in the form.
func (f *form) input(zone *time.Location) lead.New {
	in := lead.New{
		Name: f.Name, Platform: lead.Platform(f.Platform), Handle: f.Handle, ProfileURL: f.ProfileURL, ContactEmail: f.Email,
		ContactPhone: f.Phone, Interest: f.Interest, Value: f.Value, Currency: f.Currency, Temperature: lead.Temperature(f.Temperature),
		Source: lead.Source(f.Source), Stage: lead.Stage(f.Stage),
	}
	if f.Value == "" {
		in.Currency = "" // the field has the currency of the last lead
	}
	if in.Source != lead.SourceExtension {
		in.Source = lead.SourceManual
	}
	if f.Owner != "" {
		var err error
		if in.OwnerID, err = ident.Parse[ident.User](f.Owner); err != nil {
			f.Faults["owner"] = "Choose a member from the list."
		}
	}
	if f.Day != "" {
		clock := f.Clock
		if clock == "" {
			clock = usualClock
		}
		at, err := time.ParseInLocation("2006-01-02 15:04", f.Day+" "+clock, zone)
		if err != nil {
			f.Faults[lead.FieldFollowUp] = "Choose a day and a time."
		}
		in.FollowUpAt = at.UTC()
	}
	return in
}

// of returns the form of a lead.
func of(v *frame.Visit, l lead.Lead) form {
	f := form{
		Action: v.Path(path + "/" + l.ID.String()), Name: l.Name, Platform: string(l.Platform), Handle: l.Handle, ProfileURL: l.ProfileURL,
		Email: l.ContactEmail, Phone: l.ContactPhone, Interest: l.Interest, Value: string(l.Value), Currency: l.Currency,
		Temperature: string(l.Temperature), Revision: l.Revision,
	}
	if !l.OwnerID.IsZero() {
		f.Owner = l.OwnerID.String()
	}
	if !l.FollowUpAt.IsZero() {
		at := l.FollowUpAt.In(v.Zone())
		f.Day, f.Clock = at.Format(time.DateOnly), at.Format("15:04")
	}
	return f
}

// choices fills in what the form offers.
func (p *pages) choices(v *frame.Visit, f *form) error {
	for _, one := range lead.Platforms() {
		f.Platforms = append(f.Platforms, option{string(one), platformName(one)})
	}
	for _, one := range lead.Temperatures() {
		f.Temperatures = append(f.Temperatures, option{string(one), frame.Words(one)})
	}
	owners, err := p.desk.Owners(v.Request.Context(), v.Principal)
	for _, one := range owners {
		f.Owners = append(f.Owners, option{one.ID.String(), one.Name})
	}
	f.Currencies = []string{"EUR", "USD", "GBP", "CHF", "SEK", "NOK", "DKK", "PLN", "BRL", "MXN", "INR", "JPY", "CAD", "AUD"}
	return err
}

// newPage is the data of the page of a new lead.
type newPage struct {
	Form form
	Back string
}

// blank shows the form of a new lead, filled in with what a conversation says.
func (p *pages) blank(v *frame.Visit) error {
	f := form{Owner: v.Principal.Person.ID.String(), Capture: newCapture()}
	if stage := lead.Stage(v.Query("stage")); stage.Known() && stage != lead.StageLost {
		f.Stage = string(stage)
	}
	if v.Query("from") == "extension" { // the page's script fills in what was captured
		f.Source = string(lead.SourceExtension)
	}
	if given := v.Query("conversation"); given != "" {
		id, err := ident.Parse[ident.Conversation](given)
		if err != nil {
			return apperr.New(apperr.NotFound, "This page does not exist.")
		}
		in, err := p.desk.Draft(v.Request.Context(), v.Principal, id)
		if err != nil {
			return err
		}
		f.Name, f.Handle, f.Platform, f.ProfileURL = in.Name, in.Handle, string(in.Platform), in.ProfileURL
		f.Phone, f.Interest, f.Conversation = in.ContactPhone, in.Interest, id.String()
	}
	return p.newForm(v, http.StatusOK, f)
}

// newCapture names a form: sent again, also from another tab, it creates no second lead.
func newCapture() string { return "form/" + ident.New[ident.Lead]().String() }

func (p *pages) newForm(v *frame.Visit, status int, f form) error {
	f.Action = v.Path(path)
	if err := p.choices(v, &f); err != nil {
		return err
	}
	back := v.Path(path)
	if f.Conversation != "" {
		back = v.Path("/inbox/" + f.Conversation)
	}
	return page(v, status, "new", "New lead", newPage{f, back})
}

// create stores the lead of the form, once.
func (p *pages) create(v *frame.Visit) error {
	f := sent(v)
	in := app.Capture{New: f.input(v.Zone()), Anyway: v.Form("anyway") != ""}
	if in.CaptureKey = f.Capture; f.Capture == "" {
		f.Capture = newCapture()
		in.CaptureKey = f.Capture
	}
	if f.Conversation != "" {
		id, err := ident.Parse[ident.Conversation](f.Conversation)
		if err != nil {
			return apperr.New(apperr.NotFound, "This page does not exist.")
		}
		in.Conversation = id
	}
	if len(f.Faults) > 0 {
		f.add(in.Check())
		return p.newForm(v, http.StatusUnprocessableEntity, f)
	}
	created, known, err := p.desk.Create(v.Request.Context(), v.Principal, in)
	switch {
	case f.add(err):
		return p.newForm(v, http.StatusUnprocessableEntity, f)
	case err != nil:
		return err
	case len(known) > 0:
		owners, err := p.desk.Owners(v.Request.Context(), v.Principal)
		for _, l := range known {
			f.Known = append(f.Known, cardOf(v, l, names(owners)))
		}
		if err != nil {
			return err
		}
		return p.newForm(v, http.StatusConflict, f)
	}
	return v.Done(v.Path(path+"/"+created.ID.String()), "Lead added.")
}

// add adds the faults of an error to those of the form, and reports whether it has any.
func (f *form) add(err error) bool {
	faults, refused := frame.Faults(err)
	for name, text := range faults {
		if f.Faults[name] == "" {
			f.Faults[name] = text
		}
	}
	return refused
}

// edit stores the form of a lead. If another member changed the lead meanwhile, the page shows what, and keeps what the
// visitor entered.
func (p *pages) edit(v *frame.Visit) error {
	id, err := frame.PathID(v, "lead", ident.Parse[ident.Lead])
	if err != nil {
		return err
	}
	f := sent(v)
	f.Revision = revision(v)
	in := app.LeadEdit{New: f.input(v.Zone()), Revision: f.Revision}
	if len(f.Faults) > 0 {
		f.add(in.Check())
		return p.showWith(v, id, http.StatusUnprocessableEntity, &f)
	}
	_, err = p.desk.Edit(v.Request.Context(), v.Principal, id, in)
	switch {
	case f.add(err):
		return p.showWith(v, id, http.StatusUnprocessableEntity, &f)
	case errors.Is(err, lead.ErrChanged):
		return p.showWith(v, id, http.StatusConflict, &f)
	case err != nil:
		return err
	}
	return v.Done(v.Path(path+"/"+id.String()), "Saved.")
}
