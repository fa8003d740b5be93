package lab

import (
	"encoding/json"
	"time"

	"github.com/stretchr/testify/require"

	"socialpub.internal/services/e2e/harness"
	"socialpub.internal/shared/channel"
)

// Evidence is everything that the invariants are judged by, read once when all is settled: our ledger (the database), the
// networks' ledger and the receivers' journal.
type Evidence struct {
	Accepted   []Accepted
	Posts      []PostRow
	Attempts   []AttemptRow
	Timeline   []TimelineRow
	Events     []EventRow
	Webhooks   []WebhookRow
	Deliveries []DeliveryRow
	Tries      []TryRow
	Network    []harness.Entry
	Received   []harness.Received
	ReceiverAt string // the address that the journal is of
}

// PostRow is a post as the database has it.
type PostRow struct {
	ID          string     `json:"id"`
	WorkspaceID string     `json:"workspace_id"`
	Type        string     `json:"type"`
	Content     string     `json:"content"`
	Status      string     `json:"status"`
	Revision    int        `json:"revision"`
	ScheduledAt *time.Time `json:"scheduled_at"`
	PublishedAt *time.Time `json:"published_at"`
	Claimed     *time.Time `json:"publishing_since"`
	PostURL     *string    `json:"post_url"`
	ErrorCode   *string    `json:"error_code"`
	Retryable   *bool      `json:"error_retryable"`
}

// AttemptRow is an attempt to publish.
type AttemptRow struct {
	PostID     string  `json:"post_id"`
	N          int     `json:"n"`
	State      string  `json:"state"`
	ExternalID *string `json:"external_id"`
	PostURL    *string `json:"post_url"`
}

// TimelineRow is one entry of a post's timeline.
type TimelineRow struct {
	PostID string `json:"post_id"`
	Kind   string `json:"kind"`
}

// EventRow is an event.
type EventRow struct {
	ID          string    `json:"id"`
	WorkspaceID string    `json:"workspace_id"`
	Type        string    `json:"type"`
	PostID      string    `json:"post_id"`    // of events of posts
	WebhookID   string    `json:"webhook_id"` // of events for one endpoint
	Seq         *int64    `json:"seq"`
	CreatedAt   time.Time `json:"created_at"`
	Told        string    `json:"told"` // the identifier that receivers see
}

// WebhookRow is an endpoint.
type WebhookRow struct {
	ID          string     `json:"id"`
	WorkspaceID string     `json:"workspace_id"`
	URL         string     `json:"url"`
	Events      []string   `json:"events"`
	CreatedAt   time.Time  `json:"created_at"`
	UpdatedAt   time.Time  `json:"updated_at"`
	DisabledAt  *time.Time `json:"disabled_at"`
	DeletedAt   *time.Time `json:"deleted_at"`
}

// DeliveryRow is an event for an endpoint.
type DeliveryRow struct {
	ID          string `json:"id"`
	WorkspaceID string `json:"workspace_id"`
	WebhookID   string `json:"webhook_id"`
	EventID     string `json:"event_id"`
	State       string `json:"state"`
	Attempts    int    `json:"attempts"`
}

// TryRow is one attempt of a delivery.
type TryRow struct {
	DeliveryID string  `json:"delivery_id"`
	N          int     `json:"n"`
	Status     *int    `json:"status_code"`
	Class      *string `json:"error_class"`
}

const (
	selectPosts = `SELECT row_to_json(x) FROM (SELECT p.id, p.workspace_id, c.type, p.content, p.status, p.revision, p.scheduled_at,
		p.published_at, p.publishing_since, p.post_url, p.error_code, p.error_retryable FROM post p JOIN channel c ON c.id = p.channel_id ORDER BY p.id) x`
	selectAttempts = `SELECT row_to_json(x) FROM (SELECT post_id, n, state, external_id, post_url FROM publish_attempt ORDER BY post_id, n) x`
	selectTimeline = `SELECT row_to_json(x) FROM (SELECT post_id, kind FROM post_timeline ORDER BY n) x`
	selectEvents   = `SELECT row_to_json(x) FROM (SELECT id, workspace_id, type, coalesce(webhook_id::text, '') AS webhook_id, seq, created_at,
		coalesce(convert_from(body, 'UTF8')::jsonb #>> '{data,postId}', '') AS post_id, convert_from(body, 'UTF8')::jsonb ->> 'id' AS told
		FROM event ORDER BY id) x`
	selectWebhooks   = `SELECT row_to_json(x) FROM (SELECT id, workspace_id, url, events, created_at, updated_at, disabled_at, deleted_at FROM webhook) x`
	selectDeliveries = `SELECT row_to_json(x) FROM (SELECT id, workspace_id, webhook_id, event_id, state, attempts FROM delivery) x`
	selectTries      = `SELECT row_to_json(x) FROM (SELECT delivery_id, n, status_code, error_class FROM delivery_attempt ORDER BY delivery_id, n) x`
)

// Evidence reads both ledgers.
func (l *Lab) Evidence() Evidence {
	l.t.Helper()
	return Evidence{
		Accepted: l.Posts(), Posts: rows[PostRow](l, selectPosts), Attempts: rows[AttemptRow](l, selectAttempts),
		Timeline: rows[TimelineRow](l, selectTimeline), Events: rows[EventRow](l, selectEvents),
		Webhooks: rows[WebhookRow](l, selectWebhooks), Deliveries: rows[DeliveryRow](l, selectDeliveries),
		Tries: rows[TryRow](l, selectTries), Network: l.Sandbox.Ledger(), Received: l.Receiver.All(), ReceiverAt: l.Receiver.URL(),
	}
}

func rows[T any](l *Lab, query string) []T {
	l.t.Helper()
	texts := l.Query(l.t, query)
	read := make([]T, len(texts))
	for i, text := range texts {
		require.NoError(l.t, json.Unmarshal([]byte(text), &read[i]), "%s", text)
	}
	return read
}

// onNetwork are the entries of the networks' ledger with the text of a post, on the network of its channel.
func (e Evidence) onNetwork(text string, typ channel.Type) []harness.Entry {
	var found []harness.Entry
	for _, entry := range e.Network {
		if entry.Text == text && entry.Platform == string(typ.Network()) {
			found = append(found, entry)
		}
	}
	return found
}
