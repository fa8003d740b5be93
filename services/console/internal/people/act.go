package people

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/settings"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/person"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

func escaped(text string) string { return url.QueryEscape(text) }

// done confirms an action on a person.
func done(v *frame.Visit, of ident.Person, err error, notice string) error {
	if err != nil {
		return err
	}
	return v.Done(v.Path(path+"/"+of.String()), notice)
}

func (p *pages) describe(v *frame.Visit) error {
	of, err := p.person(v)
	if err != nil {
		return err
	}
	facts := person.Facts{
		Name: v.Form("name"), Phone: v.Form("phone"), Mail: v.Form("mail"), Note: v.Request.PostFormValue("note"),
	}
	err = p.people.Describe(v.Request.Context(), v.Principal, of.ID, facts)
	if faults, refused := frame.Faults(err); refused {
		return p.showWith(v, http.StatusUnprocessableEntity, showPage{Facts: facts, Faults: faults})
	}
	return done(v, of.ID, err, "Saved.")
}

// contact records whether the person wants messages.
func (p *pages) contact(v *frame.Visit) error {
	of, err := p.person(v)
	if err != nil {
		return err
	}
	out := v.Form("out") != ""
	notice := "Marked: no messages to this person."
	if !out {
		notice = "Messages to this person are possible again."
	}
	return done(v, of.ID, p.people.OptOut(v.Request.Context(), v.Principal, of.ID, out), notice)
}

func (p *pages) merge(v *frame.Visit) error {
	of, err := p.person(v)
	if err != nil {
		return err
	}
	other, err := ident.Parse[ident.Person](v.Form("other"))
	if err != nil {
		return apperr.New(apperr.InvalidState, "Choose a person from the list.")
	}
	return done(v, of.ID, p.people.Merge(v.Request.Context(), v.Principal, of.ID, other), "Merged. You can separate them for 30 days.")
}

func (p *pages) separate(v *frame.Visit) error {
	of, err := p.person(v)
	if err != nil {
		return err
	}
	merge, err := ident.Parse[ident.PersonMerge](v.Form("merge"))
	if err != nil {
		return apperr.New(apperr.InvalidState, "This merge is not here any more. Go back and look at the person.")
	}
	return done(v, of.ID, p.people.Undo(v.Request.Context(), v.Principal, of.ID, merge), "Separated.")
}

func (p *pages) erase(v *frame.Visit) error {
	of, err := p.person(v)
	if err != nil {
		return err
	}
	err = p.people.Erase(v.Request.Context(), v.Principal, of.ID, v.Form("confirm"))
	if faults, refused := frame.Faults(err); refused {
		return p.showWith(v, http.StatusUnprocessableEntity, showPage{Faults: faults, Erasing: true})
	}
	if err != nil {
		return err
	}
	return v.Done(v.Path(path), "Erased.")
}

const pathSettings = "/settings/inbox"

// settingsPage is the data of the settings of the inbox.
type settingsPage struct {
	Wait, Keep string
	Faults     map[string]string
	Channels   []choice
}

// choice is a channel of which the visitor gets notices.
type choice struct {
	channel.Channel

	On bool
}

func (p *pages) settings(v *frame.Visit) error {
	stored, err := p.people.InboxSettings(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	page := settingsPage{Wait: strconv.Itoa(stored.WaitMinutes)}
	if stored.KeepDays > 0 {
		page.Keep = strconv.Itoa(stored.KeepDays)
	}
	return p.settingsWith(v, http.StatusOK, page)
}

func (p *pages) settingsWith(v *frame.Visit, status int, page settingsPage) error {
	ctx := v.Request.Context()
	all, err := p.app.Channels(ctx, v.Principal)
	if err != nil {
		return err
	}
	quiet, err := p.people.QuietChannels(ctx, v.Principal)
	if err != nil {
		return err
	}
	off := make(map[ident.Channel]bool)
	for _, id := range quiet {
		off[id] = true
	}
	for _, c := range all {
		if inbox.Has(c.Type) {
			page.Channels = append(page.Channels, choice{c, !off[c.ID]})
		}
	}
	return v.Page(frame.Page{
		Name: "people/settings", Title: "Inbox settings", Status: status, Tabs: settings.Tabs("Inbox"), Data: page,
	})
}

func (p *pages) changeSettings(v *frame.Visit) error {
	page := settingsPage{Wait: v.Form("wait"), Keep: v.Form("keep")}
	wait, err := strconv.Atoi(page.Wait)
	if err != nil {
		wait = -1
	}
	keep := 0
	if page.Keep != "" {
		if keep, err = strconv.Atoi(page.Keep); err != nil || keep == 0 {
			keep = -1
		}
	}
	err = p.people.SetInbox(v.Request.Context(), v.Principal, postgres.InboxSettings{WaitMinutes: wait, KeepDays: keep})
	if faults, refused := frame.Faults(err); refused {
		page.Faults = faults
		return p.settingsWith(v, http.StatusUnprocessableEntity, page)
	}
	if err != nil {
		return err
	}
	return v.Done(v.Path(pathSettings), "Saved.")
}

// chooseChannels stores of which channels the visitor gets notices. The form has all channels, and those that are on.
func (p *pages) chooseChannels(v *frame.Visit) error {
	fields := v.Fields()
	on := " " + strings.Join(fields["on"], " ") + " "
	var quiet []ident.Channel
	for _, text := range fields["channel"] {
		if id, err := ident.Parse[ident.Channel](text); err == nil && !strings.Contains(on, " "+text+" ") {
			quiet = append(quiet, id)
		}
	}
	if err := p.people.SetQuietChannels(v.Request.Context(), v.Principal, quiet); err != nil {
		return err
	}
	return v.Done(v.Path(pathSettings), "Saved.")
}
