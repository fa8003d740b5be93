package developers

import (
	"net/url"
	"slices"
	"strconv"

	"socialpub.internal/services/console/internal/frame"
	"socialpub.internal/services/console/internal/permissions"
	"socialpub.internal/shared/domain/event"
	"socialpub.internal/shared/infra/postgres"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/ident"
)

// eventsPage is the data of the event log.
type eventsPage struct {
	Events []postgres.LoggedEvent
	Types  []event.Type
	Type   event.Type
	Next   string
	First  string
}

// events shows the log of the last 30 days, oldest first.
func (d *developers) events(v *frame.Visit) error {
	filter := postgres.EventFilter{Type: event.Type(v.Query("type")), Limit: perPage + 1}
	if !slices.Contains(event.Types(), filter.Type) {
		filter.Type = ""
	}
	if after, err := strconv.ParseInt(v.Query("after"), 10, 64); err == nil && after > 0 {
		filter.After = after
	}
	found, err := d.app.Events(v.Request.Context(), v.Principal, filter)
	if err != nil {
		return err
	}
	page := eventsPage{Types: event.Types(), Type: filter.Type}
	query := url.Values{}
	if filter.Type != "" {
		query.Set("type", string(filter.Type))
	}
	path := v.Path("/developers/events")
	if filter.After > 0 {
		page.First = path + "?" + query.Encode()
	}
	if len(found) > perPage {
		found = found[:perPage]
		query.Set("after", strconv.FormatInt(found[perPage-1].Sequence, 10))
		page.Next = path + "?" + query.Encode()
	}
	page.Events = found
	return v.Page(frame.Page{Name: "developers/events", Title: "Events", Tabs: tabs("Events"), Data: page})
}

// eventPage is the data of an event's page.
type eventPage struct {
	postgres.LoggedEvent

	Body string
}

func (d *developers) event(v *frame.Visit) error {
	id, err := frame.PathID(v, "event", ident.Parse[ident.Event])
	if err != nil {
		return err
	}
	found, err := d.app.Event(v.Request.Context(), v.Principal, id)
	if err != nil {
		return err
	}
	return v.Page(frame.Page{
		Name: "developers/event", Title: "Event", Tabs: tabs("Events"), Data: eventPage{found, indented(found.Body)},
	})
}

// program is a program to which the visitor has granted access in this workspace.
type program struct {
	postgres.Allowed

	Permissions []permissions.Permission
}

func (d *developers) programs(v *frame.Visit) error {
	allowed, err := d.grants.Allowed(v.Request.Context(), v.User.ID, d.clock.Now())
	if err != nil {
		return err
	}
	var list []program
	for _, a := range allowed {
		if a.Grant.WorkspaceID == v.Workspace.ID {
			list = append(list, program{a, permissions.Of(a.Grant.Scopes)})
		}
	}
	return v.Page(frame.Page{Name: "developers/programs", Title: "Programs", Tabs: tabs("Programs"), Data: list})
}

func (d *developers) revokeProgram(v *frame.Visit) error {
	id, err := frame.PathID(v, "grant", ident.Parse[ident.Grant])
	if err != nil {
		return err
	}
	allowed, err := d.grants.Allowed(v.Request.Context(), v.User.ID, d.clock.Now())
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(allowed, func(a postgres.Allowed) bool {
		return a.Grant.ID == id && a.Grant.WorkspaceID == v.Workspace.ID
	}) {
		return apperr.New(apperr.NotFound, "There is no such access.")
	}
	if err := d.grants.TakeBack(v.Request.Context(), v.User.ID, id, d.clock.Now()); err != nil {
		return err
	}
	return v.Done(v.Path("/developers/programs"), "Access was revoked.")
}
