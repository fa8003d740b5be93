package postgres

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/deliveryflow"
	"fencepost.internal/shared/flow/mailflow"
	"fencepost.internal/shared/flow/mediaflow"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/telemetry/traces"
	"fencepost.internal/shared/kernel/ident"
)

// Message is one outbox message for Temporal.
type Message struct {
	ID       int64
	Tries    int
	Post     *postflow.Input     // start or signal this post's workflow
	Trace    string              // the position in the trace of the request that wrote it; see traces.With
	Beyond   bool                // the post is due beyond the horizon: a running workflow is signaled, a missing one is not started
	Swept    bool                // the sweep wrote it: the workflow should be running, and only a missing one is started
	Delivery *deliveryflow.Input // start the workflow of this delivery or redelivery
	Replay   *deliveryflow.ReplayInput
	Import   *mediaflow.Input // start this import's workflow
	Process  *mediaflow.Input // start the workflow that inspects this asset
	Insights *InsightsMessage // create or delete this channel's schedule
	Mail     *mailflow.Input  // start this mail's workflow

	Unreadable error // this version cannot decode the message, which is kept
}

// The kinds of messages.
const (
	outboxPost       = "post"
	outboxRestart    = "restart"
	outboxDelivery   = "delivery"
	outboxRedelivery = "redelivery"
	outboxReplay     = "replay"
	outboxImport     = "import"
	outboxProcess    = "media"
	outboxInsights   = "insights"
	outboxMail       = "mail"
)

// outboxKinds returns the kinds that this version knows. Messages of newer kinds are left to newer relays, so that
// versions running side by side do not misread each other's messages.
func outboxKinds() textArray {
	return textArray{
		outboxPost, outboxRestart, outboxDelivery, outboxRedelivery, outboxReplay, outboxImport, outboxProcess,
		outboxInsights, outboxMail,
	}
}

// insertMessage enqueues the start of a workflow with the input, in the context's transaction. The subject identifies
// the object of the message.
func insertMessage(
	ctx context.Context, db *DB, kind string, workspace ident.Workspace, subject driver.Valuer, in any,
) error {
	payload, err := json.Marshal(in)
	if err != nil {
		return err
	}
	columns := map[string]any{"kind": kind, "subject": subject, "payload": string(payload), "trace": traceOf(ctx)}
	if !workspace.IsZero() { // without one, the message takes turns as a workspace of its own
		columns["workspace_id"] = workspace
	}
	return classify(db.conn(ctx).Table("outbox").Create(columns).Error)
}

// traceOf returns the position of ctx in its trace; nil without a trace.
func traceOf(ctx context.Context) *string { return optional(traces.Parent(ctx)) }

// Outbox holds the messages that must still be sent to Temporal. The transactions that need them write the rows.
type Outbox struct {
	db                        *DB
	urgent, first, deliveries turn
	idle                      time.Duration // time limit of the function that Batch calls
}

// batchIdle is the time after which PostgreSQL ends a batch whose relay is silent, and other relays get its rows. It is
// several times the longest round of a relay (15 s: 5 s until the last call starts, 10 s for the call).
const batchIdle = time.Minute

// NewOutbox returns the store.
func NewOutbox(db *DB) *Outbox { return &Outbox{db: db, idle: batchIdle} }

type outboxRow struct {
	ID          int64 // zero in a row without a message, the only row of an empty batch
	Lane        Lane
	Kind        string
	Subject     string
	Payload     string
	Tries       int
	Trace       string
	EndedWith   *ident.Workspace // the last workspace with a turn in the batch, if others had none
	Beyond      bool
	WorkspaceID *ident.Workspace
	ChannelID   *ident.Channel
	ChannelType *string
	ChannelName *string
	OwnerID     *ident.Workspace // workspace of the channel that the message itself refers to
	OwnType     string
	Connected   bool
}

// Batch passes up to limit ready messages of a lane to fn within one transaction and then deletes those that fn returns
// as done. Messages returned as failed become ready again after their delay, and all others stay unchanged. Other
// relays skip the rows in the meantime. If the process dies, every row is kept. If fn takes longer than batchIdle, as in
// a frozen process, PostgreSQL ends the transaction, other relays get the rows, and Batch returns UNAVAILABLE. Batch
// returns the number of messages passed to fn.
func (s *Outbox) Batch(
	ctx context.Context, lane Lane, limit int, fn func([]Message) (done []int64, failed map[int64]Retry),
) (int, error) {
	taken := 0
	err := s.db.WithinTx(ctx, func(ctx context.Context) error {
		rows, err := s.take(ctx, lane, limit)
		if err != nil || len(rows) == 0 {
			return err
		}
		taken = len(rows)
		messages, orphans := toMessages(rows)
		done, failed := fn(messages)
		return s.settle(ctx, append(done, orphans...), failed)
	})
	return taken, err
}

// Retry holds the delay of a failed message and the cause of the failure.
type Retry struct {
	After time.Duration
	Cause string
}

func (s *Outbox) settle(ctx context.Context, done []int64, failed map[int64]Retry) error {
	if len(done) > 0 {
		if err := s.db.conn(ctx).Table("outbox").Where("id IN ?", done).Delete(nil).Error; err != nil {
			return err
		}
	}
	for id, retry := range failed {
		err := s.db.conn(ctx).Table("outbox").Where("id = ?", id).Updates(map[string]any{
			"tries": gorm.Expr("tries + 1"), "last_error": retry.Cause, "not_before": dbIn(retry.After),
		}).Error
		if err != nil {
			return err
		}
	}
	return nil
}

// EnqueueOverdue enqueues overdue posts without activity, overdue deliveries and imports, and files that were not
// inspected. It is the safety net under everything else; on a healthy system it finds nothing. A delivery that holds a
// place at its endpoint is not overdue before the place expires, and one that was found is not found again at once:
// when Temporal or the workers are behind, repeating the same messages would keep them behind.
func (s *Outbox) EnqueueOverdue(ctx context.Context, grace time.Duration, limit int) (int, error) {
	var count int
	params := map[string]any{"grace": grace.Seconds(), "limit": limit}
	err := s.db.conn(ctx).Raw(enqueueOverdue, params).Scan(&count).Error
	return count, classify(err)
}

// EnqueueAll enqueues everything that has a workflow, after the loss of Temporal's store. The sweep creates the
// schedules again, a share in each round.
func (s *Outbox) EnqueueAll(ctx context.Context) (int, error) {
	if err := resetSchedules(ctx, s.db); err != nil {
		return 0, err
	}
	var count int
	err := s.db.conn(ctx).Raw(enqueueAll).Scan(&count).Error
	return count, classify(err)
}

// SeenStore records which Temporal store holds the workflows and reports whether it changed. The first store ever seen
// is not a change. After a change, SeenStore enqueues everything that has a workflow.
func (s *Outbox) SeenStore(ctx context.Context, namespace, id string) (changed bool, err error) {
	err = s.db.WithinTx(ctx, func(ctx context.Context) error {
		var before string
		err := s.db.conn(ctx).Table("temporal_store").Select("namespace_id").Where("namespace = ?", namespace).
			Clauses(locking("FOR UPDATE")).Scan(&before).Error
		if err != nil {
			return err
		}
		if before == id {
			return nil
		}
		err = s.db.conn(ctx).Table("temporal_store").Clauses(clause.OnConflict{
			Columns:   []clause.Column{{Name: "namespace"}},
			DoUpdates: clause.AssignmentColumns([]string{"namespace_id", "seen_at"}),
		}).Create(map[string]any{"namespace": namespace, "namespace_id": id, "seen_at": dbNow}).Error
		if err != nil || before == "" {
			return err
		}
		changed = true
		_, err = s.EnqueueAll(ctx)
		return err
	})
	return changed, err
}

// toMessages converts rows to the messages that the relay sends. Rows whose post is gone are returned as orphans. A row
// that cannot be decoded, such as one of a newer version after a roll-back, is a message that is Unreadable.
func toMessages(rows []outboxRow) (messages []Message, orphans []int64) {
	for _, row := range rows {
		m := Message{
			ID: row.ID, Tries: row.Tries, Trace: row.Trace, Beyond: row.Beyond,
			Swept: row.Kind == outboxRestart || row.Kind == outboxDelivery && row.Lane == LanePatient,
		}
		var err error
		switch row.Kind {
		case outboxDelivery, outboxRedelivery:
			m.Delivery, err = decode[deliveryflow.Input](row.Payload)
		case outboxReplay:
			m.Replay, err = decode[deliveryflow.ReplayInput](row.Payload)
		case outboxImport:
			m.Import, err = decode[mediaflow.Input](row.Payload)
		case outboxProcess:
			m.Process, err = decode[mediaflow.Input](row.Payload)
		case outboxMail:
			m.Mail, err = decode[mailflow.Input](row.Payload)
		case outboxInsights:
			m.Insights, err = toInsightsMessage(row)
		case outboxPost, outboxRestart:
			if m.Post, err = toPostInput(row); err == nil && m.Post == nil {
				orphans = append(orphans, row.ID)
				continue
			}
		default:
			err = errors.New("this version knows no such kind")
		}
		if err != nil {
			m.Unreadable = fmt.Errorf("a message of the kind %q: %w", row.Kind, err)
		}
		messages = append(messages, m)
	}
	return messages, orphans
}

func decode[T any](payload string) (*T, error) {
	into := new(T)
	return into, json.Unmarshal([]byte(payload), into)
}

// toPostInput returns the input or signal of a post's workflow. For a deleted post, only the end of its plan is sent.
func toPostInput(row outboxRow) (*postflow.Input, error) {
	in := new(postflow.Input)
	var err error
	if in.PostID, err = ident.Parse[ident.Post](row.Subject); err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(row.Payload), &in.Plan); err != nil {
		return nil, err
	}
	if row.ChannelID != nil {
		in.WorkspaceID, in.ChannelID, in.Network = *row.WorkspaceID, *row.ChannelID, channel.Type(*row.ChannelType).Network()
		in.ChannelName = value(row.ChannelName)
		return in, nil
	}
	if in.Plan.Status == post.Draft {
		return in, nil
	}
	return nil, nil
}
