package httpapi

import (
	"context"
	"encoding/binary"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/cursor"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

type (
	eventInput struct {
		ID string `path:"id" example:"evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82" doc:"ID of the event, including the prefix evt_."`
	}
	listEventsInput struct {
		Type apiforms.EventType `query:"type" example:"post.published" doc:"Returns only events of this type; * matches every type."`
		From string             `query:"from" example:"2026-03-01T00:00:00Z" doc:"Returns only events created at this time or later: RFC 3339 with an offset, a plus written as %2B."`
		To   string             `query:"to" example:"2026-03-02T00:00:00Z" doc:"Returns only events created before this time."`
		Sort string             `query:"sort" enum:"seq,-seq" default:"seq" example:"-seq" doc:"Order of the log: seq is oldest first, -seq newest first. To poll, use seq."`
		apiforms.Paging
	}
	eventOutput     struct{ Body apiforms.LoggedEvent }
	eventPageOutput struct{ Body apiforms.EventPage }
)

const (
	pathEvents = "/v1/events"
	// externalPrefix is the prefix of public event ids (docs/contract.md, Event types).
	externalPrefix = "evt_"
	// newestEvents is the order with the newest events first.
	newestEvents = "-seq"
)

func (r *registrar) events() {
	scope := []credential.Scope{credential.WebhooksManage}
	add(r, operation{
		id: "list-events", method: http.MethodGet, path: pathEvents, tag: tagEvents, anyOf: scope,
		summary: "List events", description: "Returns the workspace's events of the last 30 days, oldest first or, with " +
			"`sort=-seq`, newest first. The list does not depend on webhooks. " +
			"`nextCursor` is set on every page with events, also on the last one, where `hasMore` is false. It is null on a " +
			"page without events. " +
			"To poll without gaps, store the last cursor and send it with the next request. An event appears in the list " +
			"once it has a `sequence`, moments after it is created.",
		good: "A page of events.", response: apiforms.EventPage{
			Data: []apiforms.LoggedEvent{exampleLogged()}, NextCursor: exampleCursor,
		},
		errors: []apperr.Code{apperr.ValidationFailed, apperr.InvalidCursor},
	}, r.server.listEvents)
	formatted(documented(r.api.OpenAPI(), http.MethodGet, pathEvents), apiforms.FormatTime, "from", "to")
	add(r, operation{
		id: "get-event", method: http.MethodGet, path: pathEvents + "/{id}", tag: tagEvents, anyOf: scope,
		summary: "Get an event", description: "Returns an event of the last 30 days in the form that webhooks " +
			"receive.", good: "The event.", response: exampleLogged(),
	}, r.server.getEvent)
}

// Resolve checks the times, which the parameter schema cannot check.
func (in *listEventsInput) Resolve(huma.Context) []error {
	_, faults := in.filter()
	return asList(apperr.Invalid(faults))
}

func (in *listEventsInput) filter() (postgres.EventFilter, []apperr.Field) {
	out := postgres.EventFilter{Type: in.Type.Filter(), Newest: in.Sort == newestEvents}
	return out, timeRange(timeParameter{"from", in.From, &out.From}, timeParameter{"to", in.To, &out.To})
}

func (s *Server) listEvents(ctx context.Context, p app.Principal, in *listEventsInput) (*eventPageOutput, error) {
	filter, faults := in.filter()
	if err := apperr.Invalid(faults); err != nil { // cannot fail after Resolve
		return nil, err
	}
	use := cursor.Use{
		"events", p.WorkspaceID.String(), string(filter.Type), event.FormatTime(filter.From), event.FormatTime(filter.To),
	}
	if filter.Newest { // cursors of the other order are as they were before there were two
		use = append(use, in.Sort)
	}
	var after [16]byte
	if err := apiforms.StartOf(s.cursors, in.Paging, use, after[:]); err != nil {
		return nil, err
	}
	filter.Limit = in.Limit + 1 // one more entry shows whether there is a next page
	if filter.Newest {
		filter.Before = sequenceOf(after)
	} else {
		filter.After = sequenceOf(after)
	}
	found, err := s.app.Events(ctx, p, filter)
	if err != nil {
		return nil, err
	}
	page := apiforms.EventPage{HasMore: len(found) > in.Limit}
	found = found[:min(len(found), in.Limit)]
	if len(found) > 0 {
		last := positionOf(found[len(found)-1].Sequence)
		page.NextCursor = apiforms.OptionalText(s.cursors.Encode(use, last[:]))
	}
	page.Data = apiforms.ToAPIEvents(found)
	return &eventPageOutput{Body: page}, nil
}

// positionOf returns a sequence number as the position in a cursor.
func positionOf(sequence int64) (position [16]byte) {
	binary.BigEndian.PutUint64(position[8:], uint64(sequence)) //nolint:gosec // sequence numbers start at 1
	return position
}

func sequenceOf(position [16]byte) int64 {
	return int64(binary.BigEndian.Uint64(position[8:])) //nolint:gosec // written by positionOf
}

func (s *Server) getEvent(ctx context.Context, p app.Principal, in *eventInput) (*eventOutput, error) {
	text, _ := strings.CutPrefix(in.ID, externalPrefix)
	if text == in.ID {
		text = "" // an id without its prefix is invalid
	}
	id, err := pathID[ident.Event](text, "event")
	if err != nil {
		return nil, err
	}
	found, err := s.app.Event(ctx, p, id)
	if err != nil {
		return nil, err
	}
	return &eventOutput{Body: apiforms.ToAPIEvent(found)}, nil
}
