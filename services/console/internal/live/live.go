// Package live reports the changes of a workspace to the browser tabs that show it: one server-sent event stream per
// tab, read from the event log by sequence. A workspace with viewers costs one query a second, regardless of their
// number.
package live

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
)

const (
	// perPerson limits the open streams of a person. Hidden tabs have none.
	perPerson = 12
	// pageSize is the number of events that a query reads. A tab that missed more fetches everything.
	pageSize = 500
	// checkEvery is the number of reads after which the sessions and memberships of the viewers are checked.
	checkEvery = 10
	// beatEvery is the number of reads after which a viewer gets a beat, by which browsers notice a lost connection.
	beatEvery = 15
	every     = time.Second
)

// Feed is the event log.
type Feed interface {
	List(ctx context.Context, workspace ident.Workspace, filter postgres.EventFilter) ([]postgres.LoggedEvent, error)
}

// Conversations finds the conversations that have changed.
type Conversations interface {
	Changed(ctx context.Context, workspace ident.Workspace, within time.Duration, limit int) ([]postgres.ChangedConversation, error)
}

// Sessions finds the sessions that may still see a workspace.
type Sessions interface {
	Watching(
		ctx context.Context, workspace ident.Workspace, hashes [][32]byte, began, seen time.Time,
	) ([][32]byte, error)
}

// Config holds the dependencies of a Hub.
type Config struct {
	Feed          Feed
	Conversations Conversations
	Sessions      Sessions
	Clock         clock.Clock
	Logger        *slog.Logger
	// Every is the time between two reads; zero means a second.
	Every time.Duration
}

// Hub holds the viewers of every workspace. It is safe for concurrent use.
type Hub struct {
	cfg     Config
	mu      sync.Mutex
	rooms   map[ident.Workspace]*room
	persons map[ident.User]int
	closed  bool
	reading sync.WaitGroup
}

// New returns a Hub.
func New(cfg Config) (*Hub, error) {
	if cfg.Feed == nil || cfg.Conversations == nil || cfg.Sessions == nil || cfg.Clock == nil || cfg.Logger == nil {
		return nil, errors.New("live: every dependency is required")
	}
	cfg.Every = cmp.Or(cfg.Every, every)
	return &Hub{cfg: cfg, rooms: make(map[ident.Workspace]*room), persons: make(map[ident.User]int)}, nil
}

// Feature returns the stream.
func (h *Hub) Feature() frame.Feature {
	return frame.Feature{Name: "live", Routes: []frame.Route{{
		Pattern: "GET /w/{workspace}" + frame.PathLive, Access: frame.Members, Stream: true, Handle: h.stream,
	}}}
}

// Close ends every stream and refuses new ones. Browsers connect again, to the process that takes over.
func (h *Hub) Close() {
	h.mu.Lock()
	h.closed = true
	for _, r := range h.rooms {
		for v := range r.viewers {
			h.leave(r, v)
		}
	}
	h.mu.Unlock()
	h.reading.Wait()
}

// viewer is an open stream.
type viewer struct {
	person  ident.User
	session [32]byte
	// messages is closed when the stream must end.
	messages chan []byte
}

// room holds the viewers of a workspace.
type room struct {
	workspace ident.Workspace
	viewers   map[*viewer]struct{}
	position  int64 // the last event that was read
	stop      context.CancelFunc
}

// buffered is the number of messages that wait for a slow browser. One that falls further behind is disconnected, and
// connects again where it stopped.
const buffered = 16

// enter adds a viewer to a workspace whose last event has the given number. It returns the position from which the
// viewer gets messages.
func (h *Hub) enter(
	ctx context.Context, workspace ident.Workspace, v *viewer, last int64,
) (position int64, leave func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return 0, nil, apperr.New(apperr.Unavailable, "The program is stopping.")
	case h.persons[v.person] >= perPerson:
		return 0, nil, apperr.New(apperr.RateLimited, "Too many tabs are open.")
	}
	r := h.rooms[workspace]
	if r == nil {
		reading, stop := context.WithCancel(context.WithoutCancel(ctx)) // the room outlives its first viewer
		r = &room{workspace: workspace, viewers: make(map[*viewer]struct{}), position: last, stop: stop}
		h.rooms[workspace] = r
		h.reading.Go(func() { h.read(reading, r) })
	}
	r.viewers[v] = struct{}{}
	h.persons[v.person]++
	return r.position, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.leave(r, v)
	}, nil
}

// leave removes a viewer, and the room of the last one. The caller holds the lock.
func (h *Hub) leave(r *room, v *viewer) {
	if _, in := r.viewers[v]; !in {
		return
	}
	delete(r.viewers, v)
	close(v.messages)
	if h.persons[v.person]--; h.persons[v.person] == 0 {
		delete(h.persons, v.person)
	}
	if len(r.viewers) == 0 {
		r.stop()
		delete(h.rooms, r.workspace)
	}
}

// read reads the event log for a room until its last viewer has left.
func (h *Hub) read(ctx context.Context, r *room) {
	ticker := time.NewTicker(h.cfg.Every)
	defer ticker.Stop()
	talks := newTalks(h.cfg, r.workspace)
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		events, err := h.cfg.Feed.List(ctx, r.workspace, postgres.EventFilter{After: r.position, Limit: pageSize})
		talked, fault := talks.read(ctx)
		err = errors.Join(err, fault)
		if err == nil && n%checkEvery == 0 {
			err = h.check(ctx, r)
		}
		if err != nil && ctx.Err() == nil {
			h.cfg.Logger.WarnContext(ctx, "changes not read", slog.String("workspace_id", r.workspace.String()),
				slog.Any("error", err))
		}
		message := encode(events, talked, r.position)
		if message == nil && n%beatEvery == 0 {
			message = beat
		}
		h.broadcast(r, events, message)
	}
}

// broadcast sends a message to the viewers of a room and advances its position.
func (h *Hub) broadcast(r *room, events []postgres.LoggedEvent, message []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(events) > 0 {
		r.position = events[len(events)-1].Sequence
	}
	if message == nil {
		return
	}
	for v := range r.viewers {
		select {
		case v.messages <- message:
		default:
			h.leave(r, v)
		}
	}
}

// check ends the streams whose sessions have ended, or whose persons are no longer members.
func (h *Hub) check(ctx context.Context, r *room) error {
	h.mu.Lock()
	hashes := make([][32]byte, 0, len(r.viewers))
	for v := range r.viewers {
		hashes = append(hashes, v.session)
	}
	h.mu.Unlock()
	began, seen := frame.Lasting(h.cfg.Clock.Now())
	found, err := h.cfg.Sessions.Watching(ctx, r.workspace, hashes, began, seen)
	if err != nil {
		return err
	}
	requested, may := make(map[[32]byte]bool, len(hashes)), make(map[[32]byte]bool, len(found))
	for _, hash := range hashes {
		requested[hash] = true
	}
	for _, hash := range found {
		may[hash] = true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for v := range r.viewers {
		if requested[v.session] && !may[v.session] {
			select {
			case v.messages <- goodbye:
			default:
			}
			h.leave(r, v)
		}
	}
	return nil
}

// stream writes the changes of the workspace until the visitor leaves, may no longer see it, or the program stops.
func (h *Hub) stream(v *frame.Visit) error {
	session, err := v.SessionHash()
	if err != nil {
		return err
	}
	ctx := v.Request.Context()
	watching := &viewer{person: v.User.ID, session: session, messages: make(chan []byte, buffered)}
	position, leave, err := h.enter(ctx, v.Workspace.ID, watching, v.Sequence())
	if err != nil {
		return err
	}
	defer leave()
	missed, err := h.missed(ctx, v, position)
	if err != nil {
		return err
	}
	out := writer{to: v.Out, control: http.NewResponseController(v.Out)}
	if err := out.start(append(hello(position), missed...)); err != nil || v.Request.Method == http.MethodHead {
		return nil
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case message, open := <-watching.messages:
			if !open || out.write(message) != nil {
				return nil
			}
		}
	}
}

// missed returns the changes between the position that the browser names and the one from which it gets messages, and the
// conversations that changed since the page was written. A page that is older than the overlap is fetched again by the browser.
func (h *Hub) missed(ctx context.Context, v *frame.Visit, position int64) ([]byte, error) {
	recent, err := h.cfg.Conversations.Changed(ctx, v.Workspace.ID, overlap, pageSize)
	if err != nil {
		return nil, err
	}
	var talked []ident.Conversation
	for _, c := range recent {
		talked = append(talked, c.ID)
	}
	after, err := strconv.ParseInt(cmp.Or(v.Request.Header.Get("Last-Event-ID"), v.Query("after")), 10, 64)
	if err != nil || after >= position {
		return encode(nil, talked, position), nil //nolint:nilerr // a stream without a past
	}
	events, err := h.cfg.Feed.List(ctx, v.Workspace.ID, postgres.EventFilter{After: after, Limit: pageSize})
	if err != nil || len(events) < pageSize {
		return encode(events, talked, position), err
	}
	return everything(position), nil
}
