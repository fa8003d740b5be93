package lab

import (
	"encoding/json"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
)

// Evidence is the data for all invariants, read once when everything is settled: the service's ledger (the database),
// the networks' ledger and the receivers' journal.
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
	ReceiverAt string // the address of the receiver whose journal this is
}

// PostRow is a post in the database.
type PostRow struct {
	ID          string     `json:"id"`
	WorkspaceID string     `json:"workspaceId"`
	Type        string     `json:"type"`
	Content     string     `json:"content"`
	Status      string     `json:"status"`
	Revision    int        `json:"revision"`
	ScheduledAt *time.Time `json:"scheduledAt"`
	PublishedAt *time.Time `json:"publishedAt"`
	Claimed     *time.Time `json:"publishingSince"`
	PostURL     *string    `json:"postUrl"`
	ErrorCode   *string    `json:"errorCode"`
	Retryable   *bool      `json:"errorRetryable"`
}

// AttemptRow is an attempt to publish.
type AttemptRow struct {
	PostID     string  `json:"postId"`
	N          int     `json:"n"`
	State      string  `json:"state"`
	ExternalID *string `json:"externalId"`
	PostURL    *string `json:"postUrl"`
}

// TimelineRow is one entry of a post's timeline.
type TimelineRow struct {
	PostID string `json:"postId"`
	Kind   string `json:"kind"`
}

// EventRow is an event.
type EventRow struct {
	ID          string    `json:"id"`
	WorkspaceID string    `json:"workspaceId"`
	Type        string    `json:"type"`
	PostID      string    `json:"postId"`    // of events of posts
	WebhookID   string    `json:"webhookId"` // of events for one endpoint
	Seq         *int64    `json:"seq"`
	CreatedAt   time.Time `json:"createdAt"`
	PublicID    string    `json:"publicId"` // the id that receivers see
}

// WebhookRow is an endpoint.
type WebhookRow struct {
	ID          string     `json:"id"`
	WorkspaceID string     `json:"workspaceId"`
	URL         string     `json:"url"`
	Events      []string   `json:"events"`
	CreatedAt   time.Time  `json:"createdAt"`
	DeletedAt   *time.Time `json:"deletedAt"`
}

// DeliveryRow is an event for an endpoint.
type DeliveryRow struct {
	ID          string `json:"id"`
	WorkspaceID string `json:"workspaceId"`
	WebhookID   string `json:"webhookId"`
	EventID     string `json:"eventId"`
	State       string `json:"state"`
	Attempts    int    `json:"attempts"`
}

// TryRow is one attempt of a delivery.
type TryRow struct {
	DeliveryID string  `json:"deliveryId"`
	N          int     `json:"n"`
	Status     *int    `json:"statusCode"`
	Class      *string `json:"errorClass"`
}

const (
	selectPosts = `SELECT row_to_json(x) FROM (SELECT p.id, p.workspace_id AS "workspaceId", c.type, p.content, p.status, p.revision,
		p.scheduled_at AS "scheduledAt", p.published_at AS "publishedAt", p.publishing_since AS "publishingSince", p.post_url AS "postUrl",
		p.error_code AS "errorCode", p.error_retryable AS "errorRetryable" FROM post p JOIN channel c ON c.id = p.channel_id ORDER BY p.id) x`
	selectAttempts = `SELECT row_to_json(x) FROM (SELECT post_id AS "postId", n, state, external_id AS "externalId", post_url AS "postUrl"
		FROM publish_attempt ORDER BY post_id, n) x`
	selectTimeline = `SELECT row_to_json(x) FROM (SELECT post_id AS "postId", kind FROM post_timeline ORDER BY post_id, n) x`
	selectEvents   = `SELECT row_to_json(x) FROM (SELECT id, workspace_id AS "workspaceId", type, coalesce(webhook_id::text, '') AS "webhookId",
		seq, created_at AS "createdAt", coalesce(convert_from(body, 'UTF8')::jsonb #>> '{data,postId}', '') AS "postId",
		convert_from(body, 'UTF8')::jsonb ->> 'id' AS "publicId" FROM event ORDER BY id) x`
	selectWebhooks = `SELECT row_to_json(x) FROM (SELECT id, workspace_id AS "workspaceId", url, events, created_at AS "createdAt",
		deleted_at AS "deletedAt" FROM webhook) x`
	selectDeliveries = `SELECT row_to_json(x) FROM (SELECT id, workspace_id AS "workspaceId", webhook_id AS "webhookId", event_id AS "eventId",
		state, attempts FROM delivery) x`
	selectTries = `SELECT row_to_json(x) FROM (SELECT delivery_id AS "deliveryId", n, status_code AS "statusCode", error_class AS "errorClass"
		FROM delivery_attempt ORDER BY delivery_id, n) x`
)

// Evidence reads both ledgers.
func (l *Lab) Evidence() Evidence {
	l.t.Helper()
	return Evidence{
		Accepted: l.Posts(), Posts: rows[PostRow](l, selectPosts), Attempts: rows[AttemptRow](l, selectAttempts),
		Timeline: rows[TimelineRow](l, selectTimeline), Events: rows[EventRow](l, selectEvents),
		Webhooks: rows[WebhookRow](l, selectWebhooks), Deliveries: rows[DeliveryRow](l, selectDeliveries),
		Tries: rows[TryRow](l, selectTries), Network: l.Sandbox.Ledger(), Received: l.Receiver.All(),
		ReceiverAt: l.Receiver.URL(),
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

// onNetwork returns the entries of the networks' ledger with a post's text, on the network of its channel.
func (e Evidence) onNetwork(text string, typ channel.Type) []harness.Entry {
	var found []harness.Entry
	for _, entry := range e.Network {
		if entry.Text == text && entry.Platform == string(typ.Network()) {
			found = append(found, entry)
		}
	}
	return found
}
