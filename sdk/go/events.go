package fencepost

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"
)

// Event is an event of the log or of a webhook.
type Event struct {
	// ID is the same in every delivery: deduplicate by it.
	ID          string    `json:"id"`
	Type        EventType `json:"type"`
	CreatedAt   time.Time `json:"createdAt"`
	WorkspaceID string    `json:"workspaceId"`
	// Sequence is the position in the workspace's log, from 1, without gaps; 0 moments after the event.
	Sequence int64 `json:"sequence"`
	// Mode is "test" in events of a test workspace.
	Mode string          `json:"mode,omitempty"`
	Data json.RawMessage `json:"data"`
}

// Decode returns the type of the event, such as PostPublishedEvent; the Event itself if its type is unknown.
func (e Event) Decode() (any, error) {
	raw, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	var union WebhookEvent
	if err := json.Unmarshal(raw, &union); err != nil {
		return nil, err
	}
	if _, unknown := union.Value.(json.RawMessage); unknown {
		return e, nil
	}
	return union.Value, nil
}

// Events are the operations of the event log.
type Events struct{ c *Client }

// List iterates over the events that match up to the present end of the log, and requests page after page.
func (r Events) List(ctx context.Context, params ListEventsParams, options ...CallOption) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		pages[Event](ctx, r.c, opListEvents, nil, params.values(), options)(yield)
	}
}

// Get returns an event.
func (r Events) Get(ctx context.Context, id string, options ...CallOption) (*Event, error) {
	return call[Event](ctx, r.c, opGetEvent, []string{id}, nil, nil, options)
}

// FollowedEvent is an event with the cursor to store when it is processed.
type FollowedEvent struct {
	Event Event
	// Raw is the event as the service sends it to webhooks.
	Raw json.RawMessage
	// Cursor continues after this event, or after the page before it: nothing is lost, and some events may repeat. It is
	// empty before the first page ends.
	Cursor string
}

const followPause = 5 * time.Second

// Follow iterates over the events after the cursor, without an end: it waits for new ones, and while the API cannot be
// reached. An empty cursor begins with the oldest event. Only errors that a repetition does not remove end it.
func (r Events) Follow(ctx context.Context, cursor string) iter.Seq2[FollowedEvent, error] {
	return r.FollowWith(ctx, ListEventsParams{Cursor: cursor}, followPause)
}

// FollowWith is Follow with filters, which belong to the cursor, and with its own pause at the end of the log.
func (r Events) FollowWith(ctx context.Context, params ListEventsParams, pause time.Duration) iter.Seq2[FollowedEvent, error] {
	return func(yield func(FollowedEvent, error) bool) {
		for params := params; ; {
			got, err := r.page(ctx, params)
			if err != nil {
				yield(FollowedEvent{Cursor: params.Cursor}, err)
				return
			}
			next := params.Cursor
			if got.NextCursor != nil {
				next = *got.NextCursor
			}
			for i, raw := range got.Data {
				if i == len(got.Data)-1 {
					params.Cursor = next
				}
				followed := FollowedEvent{Raw: raw, Cursor: params.Cursor}
				if err := json.Unmarshal(raw, &followed.Event); err != nil {
					yield(followed, &Error{Kind: KindDecode, Detail: "the event is not the expected JSON", cause: err})
					return
				}
				if !yield(followed, nil) {
					return
				}
			}
			params.Cursor = next
			if got.HasMore != nil && *got.HasMore {
				continue
			}
			if err := r.c.clock.Sleep(ctx, pause); err != nil {
				yield(FollowedEvent{Cursor: params.Cursor}, ended(err))
				return
			}
		}
	}
}

// page returns the page after the cursor, however long the API cannot be reached.
func (r Events) page(ctx context.Context, params ListEventsParams) (*page[json.RawMessage], error) {
	for {
		got, err := call[page[json.RawMessage]](ctx, r.c, opListEvents, nil, params.values(), nil, nil)
		var failed *Error
		if err == nil || !errors.As(err, &failed) || !failed.transient() {
			return got, err
		}
		if err := r.c.clock.Sleep(ctx, max(followPause, failed.RetryAfter)); err != nil {
			return nil, ended(err)
		}
	}
}
