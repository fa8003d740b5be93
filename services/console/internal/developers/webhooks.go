package developers

import (
	"net/http"
	"slices"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/plaintext"
)

// hook is an endpoint with its state in plain words.
type hook struct {
	webhook.Endpoint

	State, Tone, Advice string
}

func hookOf(e webhook.Endpoint) hook {
	switch {
	case e.IsActive && e.ConsecutiveFailures > 0:
		return hook{e, "Failing", "warn", "The last deliveries failed. After 10 in a row we disable the endpoint."}
	case e.IsActive:
		return hook{e, "Active", "good", ""}
	case e.DisabledReason == webhook.ReasonFailures:
		return hook{
			e, "Disabled", "bad",
			"10 deliveries in a row failed. Fix the receiver, enable the endpoint, then resend what failed.",
		}
	case e.DisabledReason == webhook.ReasonGone:
		return hook{e, "Disabled", "bad", "The receiver responded 410 Gone."}
	default:
		return hook{e, "Disabled", "", "Nothing is sent."}
	}
}

// option is an event type, or a channel, in a form.
type option struct {
	Value, Title, Detail string
	Checked              bool
}

// hookForm holds the fields of an endpoint.
type hookForm struct {
	URL, Description string
	All              bool // event types
	Choices          []option
	Channels         []option // without a checked one, the endpoint is not limited
	Faults           map[string]string
}

// form returns the form of an endpoint, with the workspace's channels.
func (d *developers) form(v *frame.Visit, of webhook.Endpoint) (hookForm, error) {
	form := hookForm{
		URL: of.URL, Description: of.Description, All: slices.Contains(of.Events, webhook.AllEvents),
	}
	for _, typ := range event.Types() {
		if typ != event.WebhookTest {
			form.Choices = append(form.Choices, option{Value: string(typ), Checked: slices.Contains(of.Events, string(typ))})
		}
	}
	channels, err := d.app.Channels(v.Request.Context(), v.Principal)
	for _, c := range channels {
		form.Channels = append(form.Channels, option{
			Value: c.ID.String(), Title: c.Name, Detail: c.Type.Network().Name(), Checked: slices.Contains(of.ChannelIDs, c.ID),
		})
	}
	return form, err
}

// hooksPage is the data of the page with the endpoints.
type hooksPage struct {
	Hooks []hook
	Form  hookForm
	Open  bool
}

func (d *developers) webhooks(v *frame.Visit) error {
	form, err := d.form(v, webhook.Endpoint{Events: []string{webhook.AllEvents}})
	if err != nil {
		return err
	}
	return d.hooksPage(v, http.StatusOK, form)
}

func (d *developers) hooksPage(v *frame.Visit, status int, form hookForm) error {
	found, err := d.app.Webhooks(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	page := hooksPage{Form: form, Open: len(found) == 0 || len(form.Faults) > 0}
	for _, e := range found {
		page.Hooks = append(page.Hooks, hookOf(e))
	}
	return v.Page(frame.Page{
		Name: "developers/webhooks", Title: "Webhooks", Status: status, Tabs: tabs("Webhooks"), Data: page,
	})
}

// typed reads and checks the fields of an endpoint.
func (d *developers) typed(v *frame.Visit) (hookForm, webhook.Endpoint, error) {
	of := webhook.Endpoint{URL: v.Form("url"), Description: v.Form("description"), Events: v.Fields()["event"]}
	if v.Form("all") != "" {
		of.Events = []string{webhook.AllEvents}
	}
	faults := map[string]string{}
	for _, text := range v.Fields()["channel"] {
		id, err := ident.Parse[ident.Channel](text)
		if err != nil {
			faults["channels"] = "Choose channels of the list."
		}
		of.ChannelIDs = append(of.ChannelIDs, id)
	}
	switch fault := d.app.CheckWebhookURL(of.URL); {
	case of.URL == "":
		faults["url"] = "Enter the receiver’s address."
	case len(of.URL) > webhook.MaxURL:
		faults["url"] = "The address is too long."
	case fault != "":
		faults["url"] = addressFault(fault)
	}
	if _, fault := plaintext.Line(of.Description, webhook.MaxDescription); fault != "" {
		faults["description"] = frame.Sentence(fault)
	}
	unknown := slices.ContainsFunc(of.Events, func(name string) bool {
		return name != webhook.AllEvents && !slices.Contains(event.Types(), event.Type(name))
	})
	if len(of.Events) == 0 || unknown {
		faults["events"] = "Choose at least one event."
	}
	form, err := d.form(v, of)
	form.Faults = faults
	return form, of, err
}

// addressFault returns the reason for which an address is refused as a whole sentence.
func addressFault(reason string) string {
	switch rest, about := strings.CutPrefix(reason, "it "); {
	case strings.Contains(reason, "https"):
		return "Start the address with https://."
	case about:
		return "The address " + rest + "."
	default:
		return frame.Sentence(reason)
	}
}

func (d *developers) createWebhook(v *frame.Visit) error {
	form, of, err := d.typed(v)
	if err != nil {
		return err
	}
	if len(form.Faults) > 0 {
		return d.hooksPage(v, http.StatusUnprocessableEntity, form)
	}
	created, secret, err := d.app.CreateWebhook(v.Request.Context(), v.Principal,
		app.CreateWebhook{URL: of.URL, Description: of.Description, Events: of.Events, ChannelIDs: of.ChannelIDs})
	if err != nil {
		return err
	}
	return d.hookPage(v, http.StatusCreated, created.ID, func(page *hookPage) { page.Secret = secret })
}

// hookPage is the data of an endpoint's page.
type hookPage struct {
	hook

	Form       hookForm
	Secret     string // that was created by this request
	Deliveries []webhook.Delivery
	States     []webhook.State
	Filter     webhook.State
	Next       string
}

func (d *developers) webhook(v *frame.Visit) error {
	id, err := hookID(v)
	if err != nil {
		return err
	}
	return d.hookPage(v, http.StatusOK, id, nil)
}

func hookID(v *frame.Visit) (ident.Webhook, error) {
	return frame.PathID(v, "webhook", ident.Parse[ident.Webhook])
}

func (d *developers) hookPage(v *frame.Visit, status int, id ident.Webhook, change func(*hookPage)) error {
	found, err := d.app.Webhook(v.Request.Context(), v.Principal, id)
	if err != nil {
		return err
	}
	form, err := d.form(v, found)
	if err != nil {
		return err
	}
	page := hookPage{hook: hookOf(found), Form: form, States: webhook.States()}
	if err := d.addDeliveries(v, &page); err != nil {
		return err
	}
	if change != nil {
		change(&page)
	}
	return v.Page(frame.Page{
		Name: "developers/webhook", Title: "Webhook", Status: status, Tabs: tabs("Webhooks"), Data: page,
	})
}

func (d *developers) changeWebhook(v *frame.Visit) error {
	id, err := hookID(v)
	if err != nil {
		return err
	}
	form, of, err := d.typed(v)
	if err != nil {
		return err
	}
	if len(form.Faults) > 0 {
		return d.hookPage(v, http.StatusUnprocessableEntity, id, func(page *hookPage) { page.Form = form })
	}
	_, err = d.app.UpdateWebhook(v.Request.Context(), v.Principal, id,
		webhook.Change{URL: &of.URL, Description: &of.Description, Events: of.Events, ChannelIDs: &of.ChannelIDs})
	if err != nil {
		return err
	}
	return v.Done(v.Path("/developers/webhooks/"+id.String()), "Saved.")
}

func (d *developers) rotateSecret(v *frame.Visit) error {
	id, err := hookID(v)
	if err != nil {
		return err
	}
	in := app.RotateSecret{Overlap: webhook.DefaultOverlap, Force: v.Form("force") != ""}
	_, secret, err := d.app.RotateSecret(v.Request.Context(), v.Principal, id, in)
	if apperr.Is(err, apperr.InvalidState) {
		v.Message(http.StatusConflict, "Rotated already", "The secret before the last rotation still signs. Wait until it ends.",
			frame.Link{Text: "Back to the endpoint", Path: v.Path("/developers/webhooks/" + id.String())})
		return nil
	}
	if err != nil {
		return err
	}
	return d.hookPage(v, http.StatusOK, id, func(page *hookPage) { page.Secret = secret })
}

// on handles an action on an endpoint that leads back to its page.
func (d *developers) on(v *frame.Visit, notice string, do func(ident.Webhook) error) error {
	id, err := hookID(v)
	if err == nil {
		err = do(id)
	}
	if err != nil {
		return err
	}
	return v.Done(v.Path("/developers/webhooks/"+id.String()), notice)
}

func (d *developers) testWebhook(v *frame.Visit) error {
	return d.on(v, "Test sent. Reload the page to see its delivery.", func(id ident.Webhook) error {
		_, err := d.app.TestWebhook(v.Request.Context(), v.Principal, id)
		return err
	})
}

func (d *developers) switchWebhook(v *frame.Visit) error {
	active, notice := v.Form("active") == "yes", "Endpoint disabled."
	if active {
		notice = "Endpoint enabled."
	}
	return d.on(v, notice, func(id ident.Webhook) error {
		_, err := d.app.UpdateWebhook(v.Request.Context(), v.Principal, id, webhook.Change{IsActive: &active})
		return err
	})
}

func (d *developers) deleteWebhook(v *frame.Visit) error {
	id, err := hookID(v)
	if err == nil {
		err = d.app.DeleteWebhook(v.Request.Context(), v.Principal, id)
	}
	if err != nil {
		return err
	}
	return v.Done(v.Path("/developers/webhooks"), "Endpoint deleted.")
}
