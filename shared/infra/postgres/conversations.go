package postgres

import (
	"context"
	"strings"
	"time"

	"gorm.io/gorm"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Conversations stores the conversations of workspaces.
type Conversations struct {
	db       *DB
	channels []ident.Channel // nil: of every channel
}

// NewConversations returns the store.
func NewConversations(db *DB) *Conversations { return &Conversations{db: db} }

// For returns the store for a member who is limited to channels; nil: to none.
func (s *Conversations) For(channels []ident.Channel) *Conversations {
	return &Conversations{db: s.db, channels: channels}
}

// Shown is a conversation with what a list shows of it.
type Shown struct {
	inbox.Conversation

	ChannelName  string
	ChannelType  channel.Type
	PersonName   string
	PersonSince  time.Time // of the first message that the workspace received of the person
	Username     string    // at the network
	AssigneeName string
	ClaimedName  string
	Unread       bool // by the person who looks
}

type conversationRow struct {
	ID           ident.Conversation
	WorkspaceID  ident.Workspace
	ChannelID    ident.Channel
	Kind         string
	Thread       string
	PersonID     ident.Person
	State        string
	AssigneeID   *ident.User
	SnoozedUntil *time.Time
	LastAt       time.Time
	LastInAt     *time.Time
	LastOutAt    *time.Time
	Preview      string
	ClaimedBy    *ident.User
	ClaimedUntil *time.Time
	Revision     int64
	ChannelName  string
	ChannelType  string
	PersonName   string
	PersonSince  time.Time
	Username     string
	AssigneeName *string
	ClaimedName  *string
	Unread       bool
}

func fromConversationRow(r conversationRow) Shown {
	return Shown{
		Conversation: inbox.Conversation{
			ID: r.ID, WorkspaceID: r.WorkspaceID, ChannelID: r.ChannelID, Kind: inbox.Kind(r.Kind), Thread: r.Thread, PersonID: r.PersonID,
			State: inbox.State(r.State), AssigneeID: value(r.AssigneeID), SnoozedUntil: value(r.SnoozedUntil), LastAt: r.LastAt,
			LastInAt: value(r.LastInAt), LastOutAt: value(r.LastOutAt), Preview: r.Preview, ClaimedBy: value(r.ClaimedBy),
			ClaimedUntil: value(r.ClaimedUntil), Revision: r.Revision,
		},
		ChannelName: r.ChannelName, ChannelType: channel.Type(r.ChannelType), PersonName: r.PersonName, PersonSince: r.PersonSince,
		Username: r.Username, AssigneeName: value(r.AssigneeName), ClaimedName: value(r.ClaimedName), Unread: r.Unread,
	}
}

// query returns the conversations of a workspace, as a person sees them.
func (s *Conversations) query(ctx context.Context, of ident.Workspace, viewer ident.User) *gorm.DB {
	query := s.db.conn(ctx).Table("conversation v").Joins("JOIN channel c ON c.id = v.channel_id").
		Joins("JOIN person p ON p.id = v.person_id").
		Joins(`LEFT JOIN LATERAL (SELECT i.name, i.username FROM person_identity i WHERE i.person_id = p.id
			ORDER BY i.seen_at DESC LIMIT 1) i ON true`).
		Joins("LEFT JOIN app_user a ON a.id = v.assignee_id").Joins("LEFT JOIN app_user k ON k.id = v.claimed_by").
		Joins("LEFT JOIN conversation_read r ON r.conversation_id = v.id AND r.user_id = ?", viewer).
		Select(`v.*, c.name AS channel_name, c.type AS channel_type, COALESCE(NULLIF(p.name, ''), i.name, '') AS person_name,
			p.created_at AS person_since, COALESCE(i.username, '') AS username, a.name AS assignee_name, k.name AS claimed_name,
			v.last_in_at > COALESCE(r.read_at, '-infinity') AS unread`).
		Where("v.workspace_id = ?", of)
	if s.channels != nil {
		query = query.Where("v.channel_id = ANY(CAST(? AS uuid[]))", idArray(s.channels))
	}
	return query
}

// ConversationFilter selects conversations. Zero members select nothing.
type ConversationFilter struct {
	States     []inbox.State
	Assignee   ident.User
	Unassigned bool
	Channel    ident.Channel
	Person     ident.Person
	Search     post.Search // in messages, or in the names of the person at networks
	Before     time.Time
	BeforeID   ident.Conversation // with Before: the last conversation of the page before
	Limit      int
}

// searchedMessages is the number of the newest messages with the words whose conversations a search finds.
const searchedMessages = 2000

// List returns conversations of a workspace, the one with the latest message first.
func (s *Conversations) List(ctx context.Context, of ident.Workspace, viewer ident.User, f ConversationFilter) ([]Shown, error) {
	query := s.query(ctx, of, viewer)
	if len(f.States) > 0 {
		query = query.Where("v.state IN ?", f.States)
	}
	if !f.Assignee.IsZero() {
		query = query.Where("v.assignee_id = ?", f.Assignee)
	}
	if f.Unassigned {
		query = query.Where("v.assignee_id IS NULL")
	}
	if !f.Channel.IsZero() {
		query = query.Where("v.channel_id = ?", f.Channel)
	}
	if !f.Person.IsZero() {
		query = query.Where("v.person_id = ?", f.Person)
	}
	if words := inMessages(f.Search); words.indexed() {
		params := map[string]any{"workspace": of, "most": searchedMessages}
		words.into(params)
		query = query.Where(`(v.id IN (SELECT conversation_id FROM message m WHERE `+words.index()+` AND `+
			strings.Join(words.conditions(), ` AND `)+` ORDER BY m.sent_at DESC LIMIT @most)
			OR v.person_id IN (SELECT person_id FROM person_identity WHERE workspace_id = @workspace AND `+
			strings.Join(inPeople(f.Search).conditions(), ` AND `)+`))`, params)
	}
	if !f.BeforeID.IsZero() {
		query = query.Where("(v.last_at, v.id) < (?, ?)", f.Before, f.BeforeID)
	}
	var rows []conversationRow
	err := query.Order("v.last_at DESC, v.id DESC").Limit(f.Limit).Find(&rows).Error
	return each(rows, fromConversationRow), classify(err)
}

// Get returns a conversation; NOT_FOUND when the workspace has no such conversation.
func (s *Conversations) Get(ctx context.Context, of ident.Workspace, viewer ident.User, id ident.Conversation) (Shown, error) {
	var row conversationRow
	err := s.query(ctx, of, viewer).Where("v.id = ?", id).Take(&row).Error
	return fromConversationRow(row), rowError(err, "conversation")
}

// InboxCounts are the numbers of open conversations.
type InboxCounts struct {
	Mine       int
	Unassigned int
	All        int
	Snoozed    int
	Unanswered int // open ones in which the person waits
}

// Counts counts the conversations of a workspace.
func (s *Conversations) Counts(ctx context.Context, of ident.Workspace, viewer ident.User) (counts InboxCounts, err error) {
	query := s.db.conn(ctx).Table("conversation v").Where("v.workspace_id = ? AND v.state IN ('OPEN', 'SNOOZED')", of)
	if s.channels != nil {
		query = query.Where("v.channel_id = ANY(CAST(? AS uuid[]))", idArray(s.channels))
	}
	err = query.Select(`count(*) FILTER (WHERE state = 'OPEN' AND assignee_id = ?) AS mine,
		count(*) FILTER (WHERE state = 'OPEN' AND assignee_id IS NULL) AS unassigned, count(*) FILTER (WHERE state = 'OPEN') AS "all",
		count(*) FILTER (WHERE state = 'SNOOZED') AS snoozed,
		count(*) FILTER (WHERE state = 'OPEN' AND last_in_at > COALESCE(last_out_at, '-infinity')) AS unanswered`, viewer).Take(&counts).Error
	return counts, classify(err)
}

// ChangedConversation is a conversation with the time of its last change.
type ChangedConversation struct {
	ID        ident.Conversation
	ChangedAt time.Time
}

// Changed returns the conversations of a workspace that changed within a time before now, at most limit of them.
func (s *Conversations) Changed(
	ctx context.Context, of ident.Workspace, within time.Duration, limit int,
) (changed []ChangedConversation, err error) {
	err = s.db.conn(ctx).Table("conversation").Select("id, changed_at").Where("workspace_id = ? AND changed_at > (?)", of, dbAgo(within)).
		Order("changed_at").Limit(limit).Find(&changed).Error
	return changed, classify(err)
}

// errMoved reports a conversation that changed since it was shown.
var errMoved = apperr.New(apperr.InvalidState, "The conversation has changed meanwhile. Look at it and try again.")

// Update stores the state, the assignee and the snooze of a conversation, with an entry of what a member did. INVALID_STATE if its
// state has changed since it was read.
func (s *Conversations) Update(ctx context.Context, was, c inbox.Conversation, e inbox.Entry) error {
	return s.db.WithinTx(ctx, func(ctx context.Context) error {
		changed := s.db.conn(ctx).Table("conversation").
			Where("id = ? AND state = ? AND assignee_id IS NOT DISTINCT FROM ?", c.ID, string(was.State), optional(was.AssigneeID)).
			Updates(map[string]any{
				"state": string(c.State), "assignee_id": optional(c.AssigneeID), "snoozed_until": optional(c.SnoozedUntil),
				"revision": gorm.Expr("revision + 1"), "changed_at": dbNow,
			})
		if changed.Error == nil && changed.RowsAffected == 0 {
			return errMoved
		}
		if changed.Error != nil {
			return classify(changed.Error)
		}
		return classify(s.db.conn(ctx).Table("conversation_entry").Create(map[string]any{
			"id": ident.New[ident.Event](), "conversation_id": c.ID, "user_id": optional(e.UserID), "kind": string(e.Kind), "detail": e.Detail,
			"at": e.At,
		}).Error)
	})
}

// Claim shows others that a member answers, until a time. It does nothing while another one does.
func (s *Conversations) Claim(ctx context.Context, id ident.Conversation, by ident.User, now, until time.Time) error {
	return classify(s.db.conn(ctx).Table("conversation").
		Where("id = ? AND (claimed_by IS NULL OR claimed_by = ? OR claimed_until <= ?)", id, by, now).
		Updates(map[string]any{"claimed_by": by, "claimed_until": until, "changed_at": dbNow}).Error)
}

// Read records that a member has seen the messages up to a time.
func (s *Conversations) Read(ctx context.Context, id ident.Conversation, by ident.User, at time.Time) error {
	return classify(s.db.conn(ctx).Table("conversation_read AS r").
		Clauses(onConflict(`ON CONFLICT (conversation_id, user_id) DO UPDATE SET read_at = GREATEST(r.read_at, excluded.read_at)`)).
		Create(map[string]any{"conversation_id": id, "user_id": by, "read_at": at}).Error)
}

// Wakes opens the conversations whose snooze is over. It returns their number.
func (s *Conversations) Wakes(ctx context.Context) (int64, error) {
	woken := s.db.conn(ctx).Table("conversation").Where("state = 'SNOOZED' AND snoozed_until <= now()").Updates(map[string]any{
		"state": "OPEN", "snoozed_until": nil, "revision": gorm.Expr("revision + 1"), "changed_at": dbNow,
	})
	return woken.RowsAffected, classify(woken.Error)
}
