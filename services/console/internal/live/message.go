package live

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// writeTimeout limits the time that a browser takes to receive a message.
const writeTimeout = 10 * time.Second

// Messages without content. A browser that gets goodbye does not connect again.
var (
	beat    = []byte("event: beat\ndata:\n\n")
	goodbye = []byte("event: goodbye\ndata:\n\n")
)

// changes is the content of a message: what changed since the message before.
type changes struct {
	Posts     []ident.Post    `json:"posts,omitempty"`
	Channels  []ident.Channel `json:"channels,omitempty"`
	Approvals []ident.Post    `json:"approvals,omitempty"` // posts whose approval was requested or decided
	Media     []ident.Media   `json:"media,omitempty"`     // files that were processed
	Leads     []ident.Lead    `json:"leads,omitempty"`     // that were added or moved
	// Conversations are named without their content, so that the stream is the same for every member.
	Conversations []ident.Conversation `json:"conversations,omitempty"`
	All           bool                 `json:"all,omitempty"` // too many to name
}

// hello starts a stream. The browser waits a few seconds before it connects again.
func hello(position int64) []byte {
	return []byte("retry: 3000\nid: " + strconv.FormatInt(position, 10) + "\nevent: hello\ndata:\n\n")
}

// everything reports changes that are too many to be listed.
func everything(position int64) []byte { return frameOf(position, changes{All: true}) }

// encode returns the message about events and conversations; nil if there are none that pages show. The position is that before
// the events.
func encode(events []postgres.LoggedEvent, talked []ident.Conversation, position int64) []byte {
	all := changes{Conversations: talked, All: len(talked) == pageSize}
	for _, e := range events {
		all.add(e.Event)
		position = e.Sequence
	}
	if all.Posts == nil && all.Channels == nil && all.Media == nil && all.Leads == nil && all.Conversations == nil {
		return nil
	}
	return frameOf(position, all)
}

func (c *changes) add(e event.Event) {
	var body struct {
		Data struct {
			PostID    ident.Post    `json:"postId"`
			ChannelID ident.Channel `json:"channelId"`
			MediaID   ident.Media   `json:"mediaId"`
			Lead      struct {
				ID ident.Lead `json:"id"`
			} `json:"lead"`
		} `json:"data"`
	}
	if json.Unmarshal(e.Body, &body) != nil {
		return
	}
	switch {
	case strings.HasPrefix(string(e.Type), "post."):
		c.Posts = with(c.Posts, body.Data.PostID)
	case strings.HasPrefix(string(e.Type), "channel."):
		c.Channels = with(c.Channels, body.Data.ChannelID)
	case strings.HasPrefix(string(e.Type), "lead."):
		c.Leads = with(c.Leads, body.Data.Lead.ID)
	case strings.HasPrefix(string(e.Type), "media."):
		c.Media = with(c.Media, body.Data.MediaID)
	}
	if slices.Contains([]event.Type{event.PostApprovalRequested, event.PostApproved, event.PostRejected}, e.Type) {
		c.Approvals = with(c.Approvals, body.Data.PostID)
	}
}

func with[I comparable](ids []I, id I) []I {
	if slices.Contains(ids, id) || id == *new(I) {
		return ids
	}
	return append(ids, id)
}

func frameOf(position int64, c changes) []byte {
	raw, _ := json.Marshal(c) //nolint:errchkjson // texts of IDs
	return []byte("id: " + strconv.FormatInt(position, 10) + "\nevent: change\ndata: " + string(raw) + "\n\n")
}

// writer writes messages to a browser.
type writer struct {
	to      http.ResponseWriter
	control *http.ResponseController
}

func (w writer) start(first []byte) error {
	// The server's time limit for the request would cancel the stream.
	if err := w.control.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	h := w.to.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // nginx would collect the messages
	return w.write(first)
}

func (w writer) write(message []byte) error {
	if err := frame.MayWriteFor(w.to, writeTimeout); err != nil {
		return err
	}
	if _, err := w.to.Write(message); err != nil {
		return err
	}
	return w.control.Flush()
}
