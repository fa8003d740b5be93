package developers

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

const perPage = 25

// addDeliveries adds a page of the delivery log.
func (d *developers) addDeliveries(v *frame.Visit, page *hookPage) error {
	filter := postgres.DeliveryFilter{State: webhook.State(strings.ToUpper(v.Query("status"))), Limit: perPage + 1}
	known := false
	for _, s := range webhook.States() {
		known = known || s == filter.State
	}
	if !known {
		filter.State = ""
	}
	if before, err := ident.Parse[ident.Delivery](v.Query("before")); err == nil {
		filter.Before = before
	}
	found, err := d.app.Deliveries(v.Request.Context(), v.Principal, page.ID, filter)
	if err != nil {
		return err
	}
	page.Filter = filter.State
	if len(found) > perPage {
		found = found[:perPage]
		query := url.Values{"before": {found[perPage-1].ID.String()}}
		if filter.State != "" {
			query.Set("status", strings.ToLower(string(filter.State)))
		}
		page.Next = v.Path("/developers/webhooks/"+page.ID.String()) + "?" + query.Encode()
	}
	page.Deliveries = found
	return nil
}

// Replay returns a command that repeats an attempt with its headers, so that a receiver can be debugged; empty if its
// headers or its body are not stored. Each part is quoted for a shell.
func (p deliveryPage) Replay(a webhook.Attempt) string {
	if a.RequestHeaders == "" || p.Sent == "" {
		return ""
	}
	command := "curl -i " + quoted(p.Target)
	for line := range strings.SplitSeq(a.RequestHeaders, "\n") {
		command += " -H " + quoted(line)
	}
	return command + " --data-binary " + quoted(p.Sent)
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// DeliveryTone returns the color of a delivery's state.
func (hookPage) DeliveryTone(s webhook.State) string { return deliveryTone(s) }

func deliveryTone(s webhook.State) string {
	switch s {
	case webhook.Succeeded:
		return "good"
	case webhook.Exhausted:
		return "bad"
	case webhook.Pending:
		return "info"
	case webhook.Cancelled, webhook.Skipped:
	}
	return ""
}

// deliveryPage is the data of a delivery's page.
type deliveryPage struct {
	app.DeliveryLog

	Tone   string
	Body   string // of the event, indented
	Sent   string // the body as it is sent
	Target string // address of the endpoint now
}

func (d *developers) delivery(v *frame.Visit) error {
	hook, id, err := deliveryID(v)
	if err != nil {
		return err
	}
	found, err := d.app.Delivery(v.Request.Context(), v.Principal, hook, id)
	if err != nil {
		return err
	}
	endpoint, err := d.app.Webhook(v.Request.Context(), v.Principal, hook)
	if err != nil {
		return err
	}
	page := deliveryPage{DeliveryLog: found, Tone: deliveryTone(found.State), Target: endpoint.URL}
	sent, err := d.app.Event(v.Request.Context(), v.Principal, found.EventID)
	switch {
	case err == nil:
		page.Body, page.Sent = indented(sent.Body), string(sent.Body)
	case !apperr.Is(err, apperr.NotFound): // the log of events is shorter than that of deliveries
		return err
	}
	return v.Page(frame.Page{Name: "developers/delivery", Title: "Delivery", Tabs: tabs("Webhooks"), Data: page})
}

func deliveryID(v *frame.Visit) (ident.Webhook, ident.Delivery, error) {
	hook, err := hookID(v)
	if err != nil {
		return hook, ident.Delivery{}, err
	}
	id, err := frame.PathID(v, "delivery", ident.Parse[ident.Delivery])
	return hook, id, err
}

func indented(body []byte) string {
	var out bytes.Buffer
	if err := json.Indent(&out, body, "", "  "); err != nil {
		return string(body)
	}
	return out.String()
}

func (d *developers) redeliver(v *frame.Visit) error {
	hook, id, err := deliveryID(v)
	if err != nil {
		return err
	}
	if _, err := d.app.Redeliver(v.Request.Context(), v.Principal, hook, id); err != nil {
		return err
	}
	return v.Done(v.Path("/developers/webhooks/"+hook.String()+"/deliveries/"+id.String()),
		"Sent again. Reload the page to see the attempt.")
}

// spans are the ranges that the form for replays offers.
var spans = map[string]time.Duration{"hour": time.Hour, "day": 24 * time.Hour, "week": 7 * 24 * time.Hour, "month": 30 * 24 * time.Hour}

func (d *developers) replay(v *frame.Visit) error {
	return d.on(v, "Resending.", func(id ident.Webhook) error {
		if _, err := d.app.Webhook(v.Request.Context(), v.Principal, id); err != nil {
			return err
		}
		span, ok := spans[v.Form("since")]
		if !ok {
			return apperr.New(apperr.ValidationFailed, "Choose a period.")
		}
		_, err := d.app.StartReplay(v.Request.Context(), v.Principal, id, app.StartReplay{
			Since: d.clock.Now().UTC().Add(-span), OnlyFailed: v.Form("only") != "all",
		})
		return err
	})
}
