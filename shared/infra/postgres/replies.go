package postgres

import (
	"context"
	"errors"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/ident"
)

// Replies stores the answers of the inbox and the attempts to send them. The fence of reply_attempt allows one attempt of an
// answer at a time, as that of posts does.
type Replies struct {
	db       *DB
	channels *Channels
	media    *Media
}

// NewReplies returns the store.
func NewReplies(db *DB, box *secretbox.Keyring) *Replies {
	return &Replies{db: db, channels: NewChannels(db, box), media: NewMedia(db)}
}

// ReplyJob is an answer with what its sending needs.
type ReplyJob struct {
	inbox.Message

	Kind       inbox.Kind
	Thread     string
	Post       string // external ID of the post of the channel
	Username   string // of the person
	Connection string // of the channel's account; empty: none
	Channel    channel.Channel
	LastInAt   time.Time
	Attempt    ReplyAttempt  // the last one; zero: there is none
	Media      []media.Asset // of Files; shorter if an asset was deleted
	Handle     string        // of the file at the network; empty: it was not uploaded
}

// ReplyAttempt is an attempt to send an answer.
type ReplyAttempt struct {
	N      int
	State  post.AttemptState
	Age    time.Duration // since the intent
	Failed int           // attempts that sent nothing
}

// Load returns an answer; NOT_FOUND if it is gone.
func (s *Replies) Load(ctx context.Context, id ident.Message) (ReplyJob, error) {
	var row struct {
		Message    messageRow `gorm:"embedded"`
		Kind       string
		Thread     string
		Post       string
		Username   *string
		LastInAt   *time.Time
		Connection *string
		N          int
		Attempt    string
		Age        float64
		Failed     int
	}
	err := s.db.conn(ctx).Table("message m").Joins("JOIN conversation v ON v.id = m.conversation_id").
		Joins("JOIN channel c ON c.id = m.channel_id").
		Joins(`LEFT JOIN LATERAL (SELECT l.connection FROM inbound_connection l
			WHERE l.external_id = c.external_id AND l.enabled ORDER BY l.at DESC LIMIT 1) l ON true`).
		Joins(`LEFT JOIN LATERAL (SELECT a.n, a.state, EXTRACT(EPOCH FROM now() - a.sent_at) AS age FROM reply_attempt a
			WHERE a.message_id = m.id ORDER BY a.n DESC LIMIT 1) a ON true`).
		Joins(`LEFT JOIN LATERAL (SELECT i.username FROM message o JOIN person_identity i ON i.person_id = COALESCE(o.person_id, v.person_id)
			WHERE o.channel_id = m.channel_id AND o.external_id = m.reply_to ORDER BY i.seen_at DESC LIMIT 1) u ON true`).
		Select(messageColumns+`, v.kind, v.thread, v.post, u.username, v.last_in_at, l.connection, COALESCE(a.n, 0) AS n, COALESCE(a.state, '') AS attempt,
			COALESCE(a.age, 0) AS age,
			(SELECT count(*) FROM reply_attempt f WHERE f.message_id = m.id AND f.state = 'REJECTED') AS failed`).
		Where("m.id = ? AND m.direction = 'OUT'", id).Take(&row).Error
	if err != nil {
		return ReplyJob{}, rowError(err, "message")
	}
	of, err := s.channels.Get(ctx, row.Message.WorkspaceID, row.Message.ChannelID)
	if err != nil {
		return ReplyJob{}, err
	}
	m, handle, assets, err := s.files(ctx, fromMessageRow(row.Message))
	return ReplyJob{
		Media: assets, Handle: handle,
		Message: m, Kind: inbox.Kind(row.Kind), Thread: row.Thread, Post: row.Post,
		Username: value(row.Username), Connection: value(row.Connection), Channel: of,
		LastInAt: value(row.LastInAt),
		Attempt: ReplyAttempt{
			N: row.N, State: post.AttemptState(row.Attempt), Age: time.Duration(row.Age * float64(time.Second)), Failed: row.Failed,
		},
	}, err
}

// files returns an answer with its files, their assets and the handle of the first one.
func (s *Replies) files(ctx context.Context, m inbox.Message) (_ inbox.Message, handle string, _ []media.Asset, err error) {
	files, err := filesOf(ctx, s.db, m.ID)
	if m.Files = files[m.ID]; err != nil || len(m.Files) == 0 {
		return m, "", nil, err
	}
	if err := s.db.conn(ctx).Table("message_file").Select("network_ref").Where("message_id = ? AND n = 1", m.ID).Take(&handle).Error; err != nil {
		return m, "", nil, classify(err)
	}
	ids := make([]ident.Media, len(m.Files))
	for i, f := range m.Files {
		ids[i] = f.MediaID
	}
	assets, err := s.media.InOrder(ctx, m.WorkspaceID, ids)
	return m, handle, assets, err
}

// Uploaded records the handle of the file of an answer at the network.
func (s *Replies) Uploaded(ctx context.Context, id ident.Message, handle string) error {
	return classify(s.db.conn(ctx).Table("message_file").Where("message_id = ? AND n = 1", id).Update("network_ref", handle).Error)
}

// Unprepared records an attempt that ended before the call, because the file of the answer could not be uploaded. It does
// nothing if another attempt is in the fence.
func (s *Replies) Unprepared(ctx context.Context, id ident.Message, r ReplyResult) error {
	return classify(s.db.conn(ctx).Exec(`INSERT INTO reply_attempt (message_id, n, state, sent_at, finished_at, failure_class, failure_code, failure_message)
		SELECT m.id, 1 + COALESCE((SELECT max(n) FROM reply_attempt a WHERE a.message_id = m.id), 0), 'REJECTED', now(), now(), ?, ?, ?
		FROM message m WHERE m.id = ? AND m.state = 'QUEUED'
			AND NOT EXISTS (SELECT FROM reply_attempt a WHERE a.message_id = m.id AND a.state IN ('SENT', 'UNKNOWN', 'CONFIRMED'))
		ON CONFLICT DO NOTHING`, r.Class, r.Code, r.Message, id).Error)
}

// ErrSaidSince reports that the account has said something since a member looked.
var ErrSaidSince = errors.New("postgres: the account has said something since")

// Queue stores an answer or a note, once for its ID, and counts it in its conversation. The answer's workflow starts after the
// commit. It returns false, without a change, if the conversation has it; ErrSaidSince if the account has said something after the
// given time. Nil: whatever was said.
func (s *Replies) Queue(
	ctx context.Context, m inbox.Message, network channel.Network, seen *time.Time,
) (queued bool, err error) {
	err = s.db.WithinTx(ctx, func(ctx context.Context) error {
		var of struct{ LastOutAt *time.Time } // locked, so that two members do not answer at the same moment
		err := s.db.conn(ctx).Table("conversation").Select("last_out_at").Where("id = ?", m.ConversationID).
			Clauses(locking("FOR NO KEY UPDATE")).Take(&of).Error
		if err != nil {
			return rowError(err, "conversation")
		}
		stored := s.db.conn(ctx).Table("message").Clauses(onConflict("ON CONFLICT (id) DO NOTHING")).Create(map[string]any{
			"id": m.ID, "conversation_id": m.ConversationID, "workspace_id": m.WorkspaceID, "channel_id": m.ChannelID,
			"direction": string(m.Direction), "user_id": m.UserID, "text": m.Text, "reply_to": m.ReplyTo, "sent_at": m.SentAt,
			"state": optional(string(m.State)), "heard_at": optional(m.SentAt), "template": templateColumn{m.Template},
		})
		if queued = stored.RowsAffected > 0; stored.Error != nil || !queued {
			return classify(stored.Error)
		}
		if err := attach(ctx, s.db, m); err != nil {
			return err
		}
		if m.Direction == inbox.Out {
			if seen != nil && value(of.LastOutAt).After(*seen) {
				return ErrSaidSince
			}
			err := s.db.conn(ctx).Table("conversation").Where("id = ?", m.ConversationID).Updates(map[string]any{
				"last_out_at": m.SentAt, "claimed_by": nil, "claimed_until": nil,
			}).Error
			if err != nil {
				return classify(err)
			}
			if err := s.ask(ctx, m, network); err != nil {
				return err
			}
		}
		return previewed(ctx, s.db, []string{m.ConversationID.String()})
	})
	return queued && err == nil, err
}

// ask asks for the workflow of an answer.
func (s *Replies) ask(ctx context.Context, m inbox.Message, network channel.Network) error {
	in := flow.ReplyInput{MessageID: m.ID, WorkspaceID: m.WorkspaceID, Network: network}
	return enqueue(ctx, s.db, in.Message())
}

// within runs a change of an answer in a transaction that locks its conversation first, as the batches of Inbound do.
func (s *Replies) within(ctx context.Context, id ident.Message, change func(context.Context) error) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		err := s.db.conn(ctx).Exec(`SELECT FROM conversation c WHERE c.id = (SELECT conversation_id FROM message WHERE id = ?)
			FOR NO KEY UPDATE`, id).Error
		if err != nil {
			return classify(err)
		}
		return change(ctx)
	})
}

// Intend records that an execution is about to send an answer. It returns the number of the attempt; zero if the answer must
// not be sent: it is not queued, another attempt is in the fence, or the window is over by the database's clock. A zero window
// has no end.
func (s *Replies) Intend(ctx context.Context, id ident.Message, window time.Duration) (n int, err error) {
	var numbers []int
	err = s.db.conn(ctx).Raw(`INSERT INTO reply_attempt (message_id, n, state, sent_at)
		SELECT m.id, 1 + COALESCE((SELECT max(n) FROM reply_attempt a WHERE a.message_id = m.id), 0), 'SENT', now()
		FROM message m JOIN conversation c ON c.id = m.conversation_id
		WHERE m.id = @id AND m.state = 'QUEUED'
			AND (@window = 0 OR c.last_in_at + CAST(@window AS float8) * interval '1 second' > now())
		ON CONFLICT DO NOTHING RETURNING n`,
		map[string]any{"id": id, "window": window.Seconds()}).Scan(&numbers).Error
	if len(numbers) > 0 {
		n = numbers[0]
	}
	return n, classify(err)
}

// ReplyResult is the end of an attempt.
type ReplyResult struct {
	State      post.AttemptState
	ExternalID string // of a confirmed one
	Class      string
	Code       string
	Message    string             // for people
	Reply      inbox.MessageState // of the answer
}

// Record records the end of an attempt and the state of its answer. A late report of the execution that made the attempt is
// recorded too, unless a person has decided to send again.
func (s *Replies) Record(ctx context.Context, id ident.Message, n int, r ReplyResult) error {
	return s.within(ctx, id, func(ctx context.Context) error {
		ended := s.db.conn(ctx).Table("reply_attempt").Where("message_id = ? AND n = ? AND state IN ('SENT', 'UNKNOWN')", id, n).
			Updates(map[string]any{
				"state": string(r.State), "finished_at": dbNow, "external_id": optional(r.ExternalID), "failure_class": optional(r.Class),
				"failure_code": optional(r.Code), "failure_message": optional(r.Message),
			})
		if ended.Error != nil || ended.RowsAffected == 0 {
			return classify(ended.Error)
		}
		if r.ExternalID != "" { // the network may have reported the answer already, as one that was written elsewhere
			err := s.db.conn(ctx).Exec(`DELETE FROM message WHERE external_id = ? AND id <> ?
				AND channel_id = (SELECT channel_id FROM message WHERE id = ?)`, r.ExternalID, id, id).Error
			if err != nil {
				return classify(err)
			}
		}
		if err := s.state(ctx, id, r); err != nil || r.State != post.AttemptConfirmed {
			return err
		}
		return s.read(ctx, id)
	})
}

// read lets the person see as read what they wrote before an answer.
func (s *Replies) read(ctx context.Context, id ident.Message) error {
	var of struct {
		ConversationID ident.Conversation
		SentAt         time.Time
	}
	if err := s.db.conn(ctx).Table("message").Select("conversation_id, sent_at").Where("id = ?", id).Take(&of).Error; err != nil {
		return classify(err)
	}
	return s.db.receiptPut(ctx, of.ConversationID, of.SentAt, true)
}

// state stores the state of an answer, and whether its conversation still waits for one.
func (s *Replies) state(ctx context.Context, id ident.Message, r ReplyResult) error {
	err := s.db.conn(ctx).Table("message").Where("id = ?", id).Updates(map[string]any{
		"state": string(r.Reply), "external_id": optional(r.ExternalID), "failure_code": r.Code, "failure_message": r.Message,
	}).Error
	if err != nil {
		return classify(err)
	}
	var of []string
	if r.Code == inbox.CodeOptedOut {
		err := s.db.conn(ctx).Exec(`UPDATE person SET opted_out_at = now() WHERE id = (SELECT v.person_id FROM conversation v
			JOIN message m ON m.conversation_id = v.id WHERE m.id = ?)`, id).Error
		if err != nil {
			return classify(err)
		}
	}
	err = s.db.conn(ctx).Raw(`UPDATE conversation c SET last_out_at = (SELECT max(o.sent_at) FROM message o
			WHERE o.conversation_id = c.id AND o.direction = 'OUT' AND o.state IS DISTINCT FROM 'FAILED')
		FROM message m WHERE m.id = ? AND c.id = m.conversation_id RETURNING c.id`, id).Scan(&of).Error
	if err != nil {
		return classify(err)
	}
	return previewed(ctx, s.db, of)
}

// Refuse fails an answer that was not sent, and must not be sent any more. It does nothing if the answer is not queued, or an
// attempt is in the fence.
func (s *Replies) Refuse(ctx context.Context, id ident.Message, code, message string) error {
	return s.within(ctx, id, func(ctx context.Context) error {
		var open []ident.Message
		err := s.db.conn(ctx).Table("message m").Where("id = ? AND state = 'QUEUED'", id).
			Where("NOT EXISTS (SELECT FROM reply_attempt a WHERE a.message_id = m.id AND a.state IN ('SENT', 'UNKNOWN', 'CONFIRMED'))").
			Clauses(locking("FOR UPDATE")).Pluck("id", &open).Error
		if err != nil || len(open) == 0 {
			return classify(err)
		}
		return s.state(ctx, id, ReplyResult{Reply: inbox.Failed, Code: code, Message: message})
	})
}

// Again queues an answer that failed, or whose outcome is unknown, because a person decided so. The attempt in the fence
// ends. It returns false, without a change, if the answer is in another state.
func (s *Replies) Again(ctx context.Context, m inbox.Message, network channel.Network) (again bool, err error) {
	err = s.within(ctx, m.ID, func(ctx context.Context) error {
		queued := s.db.conn(ctx).Table("message").Where("id = ? AND state IN ('FAILED', 'UNKNOWN')", m.ID).
			Updates(map[string]any{"state": "QUEUED", "failure_code": "", "failure_message": "", "heard_at": dbNow})
		if again = queued.RowsAffected > 0; queued.Error != nil || !again {
			return classify(queued.Error)
		}
		err := s.db.conn(ctx).Table("reply_attempt").Where("message_id = ? AND state IN ('SENT', 'UNKNOWN')", m.ID).
			Updates(map[string]any{"state": string(post.AttemptAbandoned), "finished_at": dbNow}).Error
		if err != nil {
			return classify(err)
		}
		if err := s.ask(ctx, m, network); err != nil {
			return err
		}
		return previewed(ctx, s.db, []string{m.ConversationID.String()})
	})
	return again, err
}
