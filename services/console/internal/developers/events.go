package developers

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// eventsPage is the data of the event log.
type eventsPage struct {
	Events []postgres.LoggedEvent
	Kinds  []kind
	Kind   string // of objects, or a type
	Object string // ID
	Next   string
	First  string
}

// kind is a kind of objects with the types of its events, such as post with post.created.
type kind struct {
	Name  string
	Types []event.Type
}

// kinds groups the types by the objects that they are about.
func kinds() []kind {
	var list []kind
	for _, t := range event.Types() {
		name, _, _ := strings.Cut(string(t), ".")
		at := slices.IndexFunc(list, func(k kind) bool { return k.Name == name })
		if at < 0 {
			at, list = len(list), append(list, kind{Name: name})
		}
		list[at].Types = append(list[at].Types, t)
	}
	return list
}

// events shows the log of the last 30 days, newest first.
func (d *developers) events(v *frame.Visit) error {
	page := eventsPage{Kinds: kinds(), Kind: v.Query("type"), Object: strings.TrimSpace(v.Query("object"))}
	filter := postgres.EventFilter{Newest: true, Limit: perPage + 1, Object: page.Object}
	switch {
	case slices.Contains(event.Types(), event.Type(page.Kind)):
		filter.Type = event.Type(page.Kind)
	case slices.ContainsFunc(page.Kinds, func(k kind) bool { return k.Name == page.Kind }):
		filter.About = page.Kind
	default:
		page.Kind = ""
	}
	if before, err := strconv.ParseInt(v.Query("before"), 10, 64); err == nil && before > 0 {
		filter.Before = before
	}
	found, err := d.app.Events(v.Request.Context(), v.Principal, filter)
	if err != nil {
		return err
	}
	query := url.Values{}
	if page.Kind != "" {
		query.Set("type", page.Kind)
	}
	if page.Object != "" {
		query.Set("object", page.Object)
	}
	path := v.Path("/developers/events")
	if filter.Before > 0 {
		page.First = path + "?" + query.Encode()
	}
	if len(found) > perPage {
		found = found[:perPage]
		query.Set("before", strconv.FormatInt(found[perPage-1].Sequence, 10))
		page.Next = path + "?" + query.Encode()
	}
	page.Events = found
	return v.Page(frame.Page{Name: "developers/events", Title: "Events", Tabs: tabs("Events"), Data: page})
}

// eventPage is the data of an event's page.
type eventPage struct {
	postgres.LoggedEvent

	Body string
	Post string // ID of the post that it is about; empty: another object
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
		Name: "developers/event", Title: "Event", Tabs: tabs("Events"), Data: eventPage{found, indented(found.Body), postOf(found.Body)},
	})
}

// postOf returns the ID of the post that an event is about; empty for other objects.
func postOf(body []byte) string {
	var sent struct {
		Data struct {
			PostID string `json:"postId"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		return ""
	}
	if _, err := ident.Parse[ident.Post](sent.Data.PostID); err != nil {
		return ""
	}
	return sent.Data.PostID
}
