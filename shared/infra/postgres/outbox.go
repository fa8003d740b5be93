package postgres

import (
	"context"
	"encoding/json"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/telemetry/traces"
	"fencepost.internal/shared/kernel/ident"
)

// Message is one outbox message for Temporal. Its kind decides what its payload is (shared/flow).
type Message struct {
	ID      int64
	Kind    string
	Subject string // id of the object that the message is about
	Payload string // JSON
	Tries   int
	Trace   string // the position in the trace of the request that wrote it; see traces.With
	Beyond  bool   // the post is due beyond the horizon: a running workflow is signaled, a missing one is not started
	Swept   bool   // the sweep wrote it: the workflow should be running, and only a missing one is started

	// Channel is the channel of the post, or the channel that the message is about; nil if it is gone.
	Channel *MessageChannel
}

// MessageChannel has the members of a channel that a message needs.
type MessageChannel struct {
	ID          ident.Channel
	WorkspaceID ident.Workspace
	Type        channel.Type
	Name        string
	Connected   bool
	IsTest      bool
}

// Network returns the network that the channel's posts are queued for; see channel.Channel.Network.
func (c MessageChannel) Network() channel.Network {
	return channel.Channel{Type: c.Type, IsTest: c.IsTest}.Network()
}

// kindNames returns the names of the kinds that this version knows.
func kindNames() textArray {
	var names textArray
	for _, kind := range Kinds() {
		names = append(names, kind.Name)
	}
	return names
}

// enqueue writes a message, in the context's transaction.
func enqueue(ctx context.Context, db *DB, m flow.Message) error {
	payload, err := json.Marshal(m.In)
	if err != nil {
		return err
	}
	columns := map[string]any{
		"kind": m.Kind, "subject": m.Subject.String(), "payload": string(payload), "trace": traceOf(ctx),
	}
	if !m.Workspace.IsZero() { // without one, the message takes turns as a workspace of its own
		columns["workspace_id"] = m.Workspace
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
	WorkspaceID *ident.Workspace // of the post, or of the channel that the message is about
	ChannelID   *ident.Channel
	ChannelType string
	ChannelName string
	Connected   bool

	ChannelIsTest bool
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
		messages := make([]Message, len(rows))
		for i, row := range rows {
			messages[i] = row.message()
		}
		done, failed := fn(messages)
		return s.settle(ctx, done, failed)
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
	params := map[string]any{"grace": grace.Seconds(), "limit": limit, "networks": networksOfTypes()}
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
	err := s.db.conn(ctx).Raw(enqueueAll, map[string]any{"networks": networksOfTypes()}).Scan(&count).Error
	return count, classify(err)
}

// networksOfTypes returns the network of each type of channel as JSON. Each network has its own queue of answers.
func networksOfTypes() string {
	networks := make(map[channel.Type]channel.Network)
	for _, t := range channel.Types() {
		networks[t] = t.Network()
	}
	encoded, _ := json.Marshal(networks) // strings: cannot fail
	return string(encoded)
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

func (row outboxRow) message() Message {
	m := Message{
		ID: row.ID, Kind: row.Kind, Subject: row.Subject, Payload: row.Payload, Tries: row.Tries, Trace: row.Trace,
		Beyond: row.Beyond,
		Swept:  row.Kind == postflow.KindRestart || row.Kind == flow.KindDelivery && row.Lane == LanePatient,
	}
	if row.ChannelID != nil {
		m.Channel = &MessageChannel{
			ID: *row.ChannelID, WorkspaceID: *row.WorkspaceID, Type: channel.Type(row.ChannelType), Name: row.ChannelName,
			Connected: row.Connected, IsTest: row.ChannelIsTest,
		}
	}
	return m
}
