package inbox

import (
	"cmp"
	"errors"
	"net/http"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

func (p *pages) reply(v *frame.Visit) error { return p.say(v, inbox.Out) }

func (p *pages) note(v *frame.Visit) error { return p.say(v, inbox.Note) }

// say sends an answer, or adds a note. The page keeps the text if that was not possible.
func (p *pages) say(v *frame.Visit, direction inbox.Direction) error {
	id, err := frame.PathID(v, "conversation", ident.Parse[ident.Conversation])
	if err != nil {
		return err
	}
	message, err := ident.Parse[ident.Message](v.Form("message"))
	if err != nil {
		message = ident.New[ident.Message]()
	}
	seen, _ := time.Parse(time.RFC3339Nano, v.Form("seen")) // nothing was shown
	d := app.Draft{
		ID: message, Conversation: id, Direction: direction, Text: v.Request.PostFormValue("text"), Seen: seen, Anyway: v.Form("anyway") != "",
		Media: chosen(v),
	}
	err = p.inbox.Say(v.Request.Context(), v.Principal, d)
	again := refusal{form: form{ID: message, Text: d.Text}}
	faults, refused := frame.Faults(err)
	switch {
	case err == nil && direction == inbox.Note:
		return v.Done(here(v, id), "Note added.")
	case err == nil:
		v.Redirect(here(v, id)) // the page shows that it is being sent
		return nil
	case refused:
		again.status, again.form.Fault = http.StatusUnprocessableEntity, cmp.Or(faults["text"], faults["file"])
	case errors.Is(err, app.ErrReplied):
		again.status, again.since = http.StatusConflict, seen
	case apperr.CodeOf(err) == apperr.InvalidState:
		known, _ := errors.AsType[*apperr.Error](err)
		again.status, again.since, again.form.Fault = http.StatusConflict, v.Now(), known.Message
	default:
		return err
	}
	if again.form.Files, err = p.kept(v, d.Media); err != nil {
		return err
	}
	return p.showWith(v, again)
}

// here returns the address of the conversation within the list from which the form came.
func here(v *frame.Visit, id ident.Conversation) string {
	return v.Path(path+"/"+id.String()) + suffix(v)
}

// suffix returns the query of the list from which a form came.
func suffix(v *frame.Visit) string {
	values := v.Request.URL.Query()
	for _, name := range append([]string{"older"}, own...) {
		values.Del(name)
	}
	if len(values) == 0 {
		return ""
	}
	return "?" + values.Encode()
}

func (p *pages) again(v *frame.Visit) error {
	id, err := frame.PathID(v, "conversation", ident.Parse[ident.Conversation])
	if err != nil {
		return err
	}
	message, err := ident.Parse[ident.Message](v.Form("message"))
	if err == nil {
		err = p.inbox.Again(v.Request.Context(), v.Principal, id, message)
	} else {
		err = p.exists(v, id, "This message is not here any more. Go back and look at the conversation.")
	}
	if err != nil {
		return err
	}
	v.Redirect(here(v, id))
	return nil
}

// exists returns NOT_FOUND if the visitor has no such conversation, and otherwise what is wrong with the form.
func (p *pages) exists(v *frame.Visit, id ident.Conversation, fault string) error {
	if _, err := p.inbox.Conversation(v.Request.Context(), v.Principal, id); err != nil {
		return err
	}
	return apperr.New(apperr.InvalidState, "%s", fault)
}

func (p *pages) assign(v *frame.Visit) error {
	id, err := frame.PathID(v, "conversation", ident.Parse[ident.Conversation])
	if err != nil {
		return err
	}
	var to ident.User
	if given := v.Form("member"); given != "" {
		if to, err = ident.Parse[ident.User](given); err != nil {
			return p.exists(v, id, "Choose a member from the list.")
		}
	}
	if err := p.inbox.Assign(v.Request.Context(), v.Principal, id, to); err != nil {
		return plain(err)
	}
	if to.IsZero() {
		return v.Done(here(v, id), "The conversation is unassigned.")
	}
	return v.Done(here(v, id), "Assigned.")
}

// plain returns the first fault of a form that has one field as an error for people.
func plain(err error) error {
	faults, refused := frame.Faults(err)
	if !refused {
		return err
	}
	for _, fault := range faults {
		return apperr.New(apperr.InvalidState, "%s", fault)
	}
	return err
}

// morning is the hour of the times that the snooze menu offers.
const morning = 9

// snoozed returns the time of a choice of the snooze menu; zero: none was made.
func snoozed(choice, day, clock string, now time.Time) time.Time {
	at := func(days int) time.Time {
		return time.Date(now.Year(), now.Month(), now.Day()+days, morning, 0, 0, 0, now.Location())
	}
	switch choice {
	case "hours":
		return now.Add(3 * time.Hour).Truncate(time.Minute)
	case "tomorrow":
		return at(1)
	case "monday":
		return at((int(time.Monday-now.Weekday())+6)%7 + 1)
	default:
		chosen, err := time.ParseInLocation("2006-01-02 15:04", day+" "+clock, now.Location())
		if err != nil {
			return time.Time{}
		}
		return chosen
	}
}

func (p *pages) snooze(v *frame.Visit) error {
	id, err := frame.PathID(v, "conversation", ident.Parse[ident.Conversation])
	if err != nil {
		return err
	}
	until := snoozed(v.Form("until"), v.Form("day"), v.Form("clock"), v.Now())
	err = p.inbox.Snooze(v.Request.Context(), v.Principal, id, until.UTC())
	if faults, refused := frame.Faults(err); refused {
		return p.showWith(v, refusal{
			status: http.StatusUnprocessableEntity, form: form{ID: ident.New[ident.Message]()},
			snooze: snoozeForm{v.Form("day"), v.Form("clock"), faults["until"]},
		})
	}
	if err != nil {
		return err
	}
	return v.Done(v.Path(path)+suffix(v), "Snoozed until "+until.In(v.Zone()).Format("Mon 2 Jan, 15:04")+".")
}

func (p *pages) put(v *frame.Visit) error {
	id, err := frame.PathID(v, "conversation", ident.Parse[ident.Conversation])
	if err != nil {
		return err
	}
	to, back := inbox.State(v.Form("to")), v.Path(path)+suffix(v)
	var notice string
	switch to { //nolint:exhaustive // Snooze has a form of its own
	case inbox.Open:
		notice, back = "Reopened.", here(v, id)
	case inbox.Closed:
		notice = "Closed."
	case inbox.Spam:
		notice = "Marked as spam."
	default:
		return p.exists(v, id, "Choose Close, Reopen or Spam.")
	}
	if err := p.inbox.Put(v.Request.Context(), v.Principal, id, to); err != nil {
		return err
	}
	return v.Done(back, notice)
}

// claim shows others that the visitor is answering. The page's script calls it.
func (p *pages) claim(v *frame.Visit) error {
	id, err := frame.PathID(v, "conversation", ident.Parse[ident.Conversation])
	if err != nil {
		return err
	}
	if err := p.inbox.Claim(v.Request.Context(), v.Principal, id); err != nil {
		return err
	}
	v.Out.WriteHeader(http.StatusNoContent)
	return nil
}
