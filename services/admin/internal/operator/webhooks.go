package operator

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Names of a webhook's inputs in faults.
const (
	MemberURL    = "url"
	MemberEvents = "events"
)

// NewWebhook holds the input for a webhook endpoint.
type NewWebhook struct {
	Workspace   string
	URL         string // address at which the worker reaches it; the worker checks it again at each delivery
	Events      string // event types, comma separated, or *
	Description string // also identifies this program's own endpoints
}

// Faults returns all faults of the input.
func (n NewWebhook) Faults() []apperr.Field {
	var f faults
	f.workspace(n.Workspace)
	f.address(n.URL)
	f.events(n.Events)
	return f.fields
}

// CreateWebhook registers an endpoint and returns it with its secret. It deletes endpoints with the same address and
// description, which a killed earlier run left behind. It returns QUOTA_EXCEEDED if the workspace has reached its
// limit.
func (o *Operator) CreateWebhook(ctx context.Context, in NewWebhook) (webhook.Endpoint, string, error) {
	var f faults
	workspaceID, events := f.workspace(in.Workspace), f.events(in.Events)
	f.address(in.URL)
	if err := f.err(); err != nil {
		return webhook.Endpoint{}, "", err
	}
	if _, err := o.workspace(ctx, workspaceID); err != nil {
		return webhook.Endpoint{}, "", err
	}
	var created webhook.Endpoint
	var secret string
	err := o.db.WithinTx(ctx, func(ctx context.Context) (err error) {
		if err := o.deleteLeftovers(ctx, workspaceID, in); err != nil {
			return err
		}
		created, secret, err = o.records.CreateWebhook(ctx, client(workspaceID), app.CreateWebhook{
			URL: in.URL, Description: in.Description, Events: events,
		})
		return err
	})
	return created, secret, err
}

func (o *Operator) deleteLeftovers(ctx context.Context, id ident.Workspace, in NewWebhook) error {
	found, err := o.records.Webhooks(ctx, client(id))
	if err != nil {
		return err
	}
	for _, e := range found {
		if e.URL != in.URL || e.Description != in.Description {
			continue
		}
		if err := o.DeleteWebhook(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// DeleteWebhook deletes an endpoint. An endpoint that does not exist is not an error.
func (o *Operator) DeleteWebhook(ctx context.Context, e webhook.Endpoint) error {
	if err := o.records.DeleteWebhook(ctx, client(e.WorkspaceID), e.ID); err != nil && !apperr.Is(err, apperr.NotFound) {
		return err
	}
	return nil
}

// address validates the form of an endpoint's address. The worker decides whether it may be reached.
func (f *faults) address(given string) {
	parsed, err := url.Parse(given)
	switch {
	case err != nil || parsed.Host == "" || (parsed.Scheme != "http" && parsed.Scheme != "https"):
		f.add(MemberURL, "%q is not an address such as http://127.0.0.1:8099/", given)
	case parsed.User != nil || strings.Contains(given, "#"):
		f.add(MemberURL, "has user information or a fragment; give only scheme, host, port and path")
	case len(given) > webhook.MaxURL:
		f.add(MemberURL, "is longer than %d bytes", webhook.MaxURL)
	}
}

// events parses a list of event types.
func (f *faults) events(given string) []string {
	var events []string
	for name := range strings.SplitSeq(given, ",") {
		name = strings.TrimSpace(name)
		switch {
		case name == "" || slices.Contains(events, name):
		case name != webhook.AllEvents && !event.Type(name).Known():
			f.add(MemberEvents, "%q is not an event; give %s, or * for all", name, oneOf(event.Types()))
		default:
			events = append(events, name)
		}
	}
	switch {
	case len(events) == 0 && strings.Trim(given, ", ") == "":
		f.add(MemberEvents, "is empty; give the events to receive, or * for all")
	case len(events) > 1 && slices.Contains(events, webhook.AllEvents):
		f.add(MemberEvents, "* means every event and cannot be combined with others")
	}
	return events
}
