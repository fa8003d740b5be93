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
	OptedOutAt   time.Time // since when the person wants no messages; zero: the person has not said so
	Erased       bool      // the person was
	PersonSince  time.Time // of the first message that the workspace received of the person
	Username     string    // at the network
	AssigneeName string
	ClaimedName  string
	Unread       bool // by the person who looks
	Rating       int  // stars of a review; 0: none
	Of           CommentedPost
}

// CommentedPost is the post of the channel below which a conversation is. It is zero if this service did not publish it.
type CommentedPost struct {
	ID    ident.Post
	Text  string      // its beginning
	Media ident.Media // its first attachment; zero: none
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
	OptedOutAt   *time.Time
	Erased       bool
	Username     string
	AssigneeName *string
	ClaimedName  *string
	Unread       bool
	Post         string
	Rating       int
	PostID       *ident.Post
	PostText     *string
	PostMedia    *ident.Media
}

func fromConversationRow(r conversationRow) Shown {
	return Shown{
		Conversation: inbox.Conversation{
			ID: r.ID, WorkspaceID: r.WorkspaceID, ChannelID: r.ChannelID, Kind: inbox.Kind(r.Kind), Thread: r.Thread, Post: r.Post, PersonID: r.PersonID,
			State: inbox.State(r.State), AssigneeID: value(r.AssigneeID), SnoozedUntil: value(r.SnoozedUntil), LastAt: r.LastAt,
			LastInAt: value(r.LastInAt), LastOutAt: value(r.LastOutAt), Preview: r.Preview, ClaimedBy: value(r.ClaimedBy),
			ClaimedUntil: value(r.ClaimedUntil), Revision: r.Revision,
		},
		ChannelName: r.ChannelName, ChannelType: channel.Type(r.ChannelType), PersonName: r.PersonName, PersonSince: r.PersonSince,
		OptedOutAt: value(r.OptedOutAt), Erased: r.Erased, Username: r.Username, AssigneeName: value(r.AssigneeName),
		ClaimedName: value(r.ClaimedName), Unread: r.Unread,
		Rating: r.Rating, Of: CommentedPost{ID: value(r.PostID), Text: value(r.PostText), Media: value(r.PostMedia)},
	}
}

// query returns conversations as a person sees them. It has few joins, so that PostgreSQL considers every order of them
// (join_collapse_limit).
func (s *Conversations) query(ctx context.Context, from *gorm.DB, viewer ident.User) *gorm.DB {
	return s.db.conn(ctx).Table("(?) AS v", from).Joins("JOIN channel c ON c.id = v.channel_id").
		Joins("JOIN person p ON p.id = v.person_id").
		Joins(`LEFT JOIN LATERAL (SELECT i.name, i.username FROM person_identity i WHERE i.person_id = p.id
			ORDER BY i.name || i.username = '', i.seen_at DESC LIMIT 1) i ON true`).
		Joins("LEFT JOIN conversation_read r ON r.conversation_id = v.id AND r.user_id = ?", viewer).
		Joins(`LEFT JOIN LATERAL (SELECT COALESCE(o.root_id, o.id) AS id, o.content, o.media_ids FROM publish_attempt b JOIN post o ON o.id = b.post_id
			WHERE v.post <> '' AND b.channel_id = v.channel_id AND b.external_id = v.post AND b.state = 'CONFIRMED' LIMIT 1) o ON true`).
		Select(`v.*, c.name AS channel_name, c.type AS channel_type, COALESCE(NULLIF(p.name, ''), i.name, '') AS person_name,
			p.created_at AS person_since, p.opted_out_at, p.erased_at IS NOT NULL AS erased, COALESCE(i.username, '') AS username,
			(SELECT a.name FROM app_user a WHERE a.id = v.assignee_id) AS assignee_name,
			(SELECT k.name FROM app_user k WHERE k.id = v.claimed_by) AS claimed_name,
			v.last_in_at > COALESCE(r.read_at, '-infinity') AS unread,
			o.id AS post_id, left(o.content, 280) AS post_text, o.media_ids[1] AS post_media,
			COALESCE(CASE WHEN v.kind = 'REVIEW' THEN (SELECT m.rating FROM message m WHERE m.conversation_id = v.id AND m.rating > 0
				ORDER BY m.sent_at DESC LIMIT 1) END, 0) AS rating`)
}

// ConversationFilter selects conversations. Zero members select nothing.
type ConversationFilter struct {
	States     []inbox.State
	Assignee   ident.User
	Unassigned bool
	Channel    ident.Channel
	Person     ident.Person
	Kind       inbox.Kind
	Post       ident.Post  // below which they are
	Search     post.Search // in messages, or in the names of the person at networks
	Before     time.Time
	BeforeID   ident.Conversation // with Before: the last conversation of the page before
	Limit      int
}

// searchedMessages is the number of the newest messages with the words whose conversations a search finds.
const searchedMessages = 2000

// inspectedConversations is the number of the latest conversations in whose messages a search looks first. A word that many messages
// have is found there; the index would return all of them.
const inspectedConversations = 500

// List returns conversations of a workspace, the one with the latest message first.
func (s *Conversations) List(ctx context.Context, of ident.Workspace, viewer ident.User, f ConversationFilter) (shown []Shown, err error) {
	for _, query := range s.queries(ctx, of, viewer, f) {
		var rows []conversationRow
		err = query.Find(&rows).Error
		if shown = each(rows, fromConversationRow); err != nil || len(rows) == f.Limit {
			break
		}
	}
	return shown, classify(err)
}

// queries returns the queries of a list. The next one is needed if the one before it has found less than a page.
func (s *Conversations) queries(ctx context.Context, of ident.Workspace, viewer ident.User, f ConversationFilter) []*gorm.DB {
	page := func(from *gorm.DB) *gorm.DB {
		return s.query(ctx, from, viewer).Order("v.last_at DESC, v.id DESC").Limit(f.Limit)
	}
	if f.Search.IsZero() {
		return []*gorm.DB{page(s.latest(ctx, of, f, f.Limit))}
	}
	words, near := inMessages(f.Search), f
	if len(near.States) == 0 {
		near.States = inbox.States() // each in the order of its index
	}
	people, params := found(of, f.Search)
	params["most"] = searchedMessages
	conditions := strings.Join(words.conditions(), ` AND `)
	return []*gorm.DB{
		page(s.latest(ctx, of, near, inspectedConversations)).
			Where(`(v.person_id IN (`+people+`) OR EXISTS (SELECT 1 FROM (SELECT text FROM message WHERE conversation_id = v.id OFFSET 0) AS m
				WHERE `+conditions+`))`, params),
		page(s.meeting(ctx, of, f)).
			Where(`v.id IN (SELECT conversation_id FROM (SELECT conversation_id FROM message m WHERE `+words.index()+` AND `+conditions+`
				ORDER BY m.sent_at DESC LIMIT @most) AS m
				UNION SELECT id FROM conversation WHERE person_id IN (`+people+`))`, params),
	}
}

// latest returns the latest conversations that meet a filter apart from its words. Those of each state are read in the order of its
// index.
func (s *Conversations) latest(ctx context.Context, of ident.Workspace, f ConversationFilter, n int) *gorm.DB {
	const order = "n.last_at DESC, n.id DESC"
	if len(f.States) == 0 {
		return s.meeting(ctx, of, f).Order(order).Limit(n)
	}
	states := f.States
	f.States = nil
	one := s.meeting(ctx, of, f).Where("n.state = each_state.of").Order(order).Limit(n)
	return s.db.conn(ctx).Table("unnest(CAST(? AS text[])) AS each_state(of), LATERAL (?) AS n", toArray(states), one).Select("n.*").
		Order(order).Limit(n)
}

// meeting returns the conversations that meet a filter apart from its words.
func (s *Conversations) meeting(ctx context.Context, of ident.Workspace, f ConversationFilter) *gorm.DB {
	query := s.table(ctx, of)
	if len(f.States) > 0 {
		query = query.Where("n.state IN ?", f.States)
	}
	if !f.Assignee.IsZero() {
		query = query.Where("n.assignee_id = ?", f.Assignee)
	}
	if f.Unassigned {
		query = query.Where("n.assignee_id IS NULL")
	}
	if !f.Channel.IsZero() {
		query = query.Where("n.channel_id = ?", f.Channel)
	}
	if !f.Person.IsZero() {
		query = query.Where("n.person_id = ?", f.Person)
	}
	if f.Kind != "" {
		query = query.Where("n.kind = ?", string(f.Kind))
	}
	if !f.Post.IsZero() {
		query = query.Where(`(n.channel_id, n.post) IN (SELECT b.channel_id, b.external_id FROM publish_attempt b
			JOIN post o ON o.id = b.post_id WHERE (o.id = ? OR o.root_id = ?) AND b.state = 'CONFIRMED')`, f.Post, f.Post)
	}
	if !f.BeforeID.IsZero() {
		query = query.Where("(n.last_at, n.id) < (?, ?)", f.Before, f.BeforeID)
	}
	return query
}

// table returns the conversations of a workspace that the client reads.
func (s *Conversations) table(ctx context.Context, of ident.Workspace) *gorm.DB {
	query := s.db.conn(ctx).Table("conversation n").Where("n.workspace_id = ?", of)
	if s.channels != nil {
		query = query.Where("n.channel_id = ANY(CAST(? AS uuid[]))", idArray(s.channels))
	}
	return query
}

// Get returns a conversation; NOT_FOUND when the workspace has no such conversation.
func (s *Conversations) Get(ctx context.Context, of ident.Workspace, viewer ident.User, id ident.Conversation) (Shown, error) {
	var row conversationRow
	err := s.query(ctx, s.table(ctx, of).Where("n.id = ?", id), viewer).Take(&row).Error
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
