package leads

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// showPage is the data of the page of a lead.
type showPage struct {
	card

	Form     form
	Path     string
	Since    []line // what others changed since the visitor opened the page
	Timeline []line
	Talks    []talk
	Person   string // address of the person's page; empty: there is none
	Note     string // as it was sent
	NoteOf   string // its fault
	Stages   []option
	May      bool

	entries []postgres.NamedEntry // of Timeline
}

// line is an entry of the timeline.
type line struct {
	Who, Did string
	Text     string
	At       time.Time
	Note     bool
}

// talk is a conversation with the lead.
type talk struct{ Href, Channel, Preview string }

// revision returns the revision of the lead that a form shows.
func revision(v *frame.Visit) int64 {
	n, _ := strconv.ParseInt(v.Form("revision"), 10, 64) // zero: it is none of any lead
	return n
}

func (p *pages) show(v *frame.Visit) error {
	id, err := frame.PathID(v, "lead", ident.Parse[ident.Lead])
	if err != nil {
		return err
	}
	return p.showWith(v, id, http.StatusOK, nil)
}

// showWith responds with the page of a lead, with a form that was not stored.
func (p *pages) showWith(v *frame.Visit, id ident.Lead, status int, refused *form) error {
	data, err := p.read(v, id)
	if err != nil {
		return err
	}
	if refused != nil {
		data.keep(v, *refused)
	}
	return page(v, status, "show", data.Name, data)
}

func (p *pages) read(v *frame.Visit, id ident.Lead) (showPage, error) {
	ctx := v.Request.Context()
	var data showPage
	l, err := p.desk.Lead(ctx, v.Principal, id)
	if err != nil {
		return data, err
	}
	owners, err := p.desk.Owners(ctx, v.Principal)
	if err != nil {
		return data, err
	}
	data = showPage{
		card: cardOf(v, l, names(owners)), Form: of(v, l), Path: v.Path(path + "/" + id.String()), Stages: stages(),
		May: v.Principal.Allows(credential.LeadsManage),
	}
	if err := p.choices(v, &data.Form); err != nil {
		return data, err
	}
	entries, err := p.desk.Timeline(ctx, v.Principal, l)
	if err != nil {
		return data, err
	}
	for _, e := range entries {
		data.Timeline = append(data.Timeline, lineOf(v, e, names(owners)))
	}
	talks, err := p.desk.Talks(ctx, v.Principal, l)
	for _, t := range talks {
		data.Talks = append(data.Talks, talk{v.Path("/inbox/" + t.ID.String()), t.ChannelName, t.Preview})
	}
	if !l.PersonID.IsZero() && v.Principal.Allows(credential.InboxRead) {
		data.Person = v.Path("/people/" + l.PersonID.String())
	}
	data.entries = entries
	return data, err
}

// lineOf says what an entry is about.
func lineOf(v *frame.Visit, e postgres.NamedEntry, owners map[ident.User]string) line {
	l := line{Who: cmp.Or(e.UserName, "Fencepost"), At: e.At, Text: e.Text, Note: e.Kind == lead.EntryNote}
	if e.UserID == v.Principal.Person.ID && !e.UserID.IsZero() {
		l.Who = "You"
	}
	switch e.Kind {
	case lead.EntryCreated:
		l.Did = "added the lead"
	case lead.EntryReminded:
		l.Did = "sent a reminder of the follow-up"
	case lead.EntryLinked:
		l.Did = "linked a conversation"
	case lead.EntryScored:
		l.Did, l.Text = "raised the score from "+e.Text, ""
	case lead.EntryNote:
	case lead.EntryChanged:
		var parts []string
		for _, c := range e.Changes {
			parts = append(parts, changeText(v, c, owners))
		}
		l.Did = strings.Join(parts, ", ")
	default:
		l.Did = strings.ToLower(frame.Words(e.Kind))
	}
	return l
}

// fieldNames are the names of fields for people.
var fieldNames = map[string]string{
	"name": "the name", "handle": "the handle", "profile_url": "the profile", "platform": "the platform", "temperature": "the temperature",
	"interest": "the interest", "contact_email": "the email address", "contact_phone": "the phone number", "lost_reason": "the reason",
	lead.FieldValue: "the value", lead.FieldFollowUp: "the follow-up", lead.FieldOwner: "the owner", lead.FieldStage: "the stage",
}

// changeText says what one change did.
func changeText(v *frame.Visit, c lead.FieldChange, owners map[ident.User]string) string {
	to := shown(v, c.Field, c.To, owners)
	switch {
	case c.Field == lead.FieldStage:
		return "moved it from " + shown(v, c.Field, c.From, owners) + " to " + to
	case c.To == "":
		return "removed " + fieldNames[c.Field]
	default:
		const longest = 80
		if text := []rune(to); len(text) > longest {
			to = string(text[:longest-1]) + "…"
		}
		return "set " + fieldNames[c.Field] + " to “" + to + "”"
	}
}

// shown returns the value of a field for people.
func shown(v *frame.Visit, field, text string, owners map[ident.User]string) string {
	switch field {
	case lead.FieldStage, "temperature":
		return frame.Words(text)
	case "platform":
		return platformName(lead.Platform(text))
	case lead.FieldOwner:
		id, _ := ident.Parse[ident.User](text)
		return cmp.Or(owners[id], "a former member")
	case lead.FieldValue:
		value, currency, _ := strings.Cut(text, " ")
		return money(lead.Amount(value), currency)
	case lead.FieldFollowUp:
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return text
		}
		return at.In(v.Zone()).Format("Mon 2 Jan 2006, 15:04")
	default:
		return text
	}
}

// keep puts a form that was not stored on the page. Fields that the visitor has not touched get what others set meanwhile.
func (d *showPage) keep(v *frame.Visit, sent form) {
	now := d.Form
	base := make(map[string]string) // the values that the visitor saw, of the fields that others changed
	for i, e := range d.entries {   // the newest first
		if e.Revision <= sent.Revision || len(e.Changes) == 0 {
			continue
		}
		d.Since = append(d.Since, d.Timeline[i])
		for _, c := range e.Changes {
			base[c.Field] = c.From
		}
	}
	take := func(field, mine string, set func()) {
		if was, changed := base[field]; changed && mine == was {
			set()
		}
	}
	take("name", sent.Name, func() { sent.Name = now.Name })
	take("handle", sent.Handle, func() { sent.Handle = now.Handle })
	take("profile_url", sent.ProfileURL, func() { sent.ProfileURL = now.ProfileURL })
	take("platform", sent.Platform, func() { sent.Platform = now.Platform })
	take("temperature", sent.Temperature, func() { sent.Temperature = now.Temperature })
	take("interest", sent.Interest, func() { sent.Interest = now.Interest })
	take("contact_email", sent.Email, func() { sent.Email = now.Email })
	take("contact_phone", sent.Phone, func() { sent.Phone = now.Phone })
	take(lead.FieldOwner, sent.Owner, func() { sent.Owner = now.Owner })
	take(lead.FieldValue, strings.TrimSpace(sent.Value+" "+sent.Currency), func() { sent.Value, sent.Currency = now.Value, now.Currency })
	follow := ""
	if at := sent.input(v.Zone()).FollowUpAt; !at.IsZero() {
		follow = at.Format(time.RFC3339)
	}
	take(lead.FieldFollowUp, follow, func() { sent.Day, sent.Clock = now.Day, now.Clock })
	sent.Action, sent.Revision = now.Action, now.Revision
	sent.Platforms, sent.Temperatures, sent.Owners, sent.Currencies = now.Platforms, now.Temperatures, now.Owners, now.Currencies
	d.Form = sent
}

func (p *pages) note(v *frame.Visit) error {
	id, err := frame.PathID(v, "lead", ident.Parse[ident.Lead])
	if err != nil {
		return err
	}
	text := v.Request.PostFormValue("note")
	err = p.desk.Note(v.Request.Context(), v.Principal, id, text)
	faults, refused := frame.Faults(err)
	if err != nil && !refused {
		return err
	}
	if refused {
		data, err := p.read(v, id)
		if err != nil {
			return err
		}
		data.Note, data.NoteOf = text, faults["note"]
		return page(v, http.StatusUnprocessableEntity, "show", data.Name, data)
	}
	return v.Done(v.Path(path+"/"+id.String()), "Note added.")
}

func (p *pages) remove(v *frame.Visit) error {
	id, err := frame.PathID(v, "lead", ident.Parse[ident.Lead])
	if err != nil {
		return err
	}
	if err := p.desk.Delete(v.Request.Context(), v.Principal, id); err != nil {
		return err
	}
	return v.Done(v.Path(path), "Lead deleted.")
}
