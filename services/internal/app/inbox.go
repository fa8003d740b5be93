package app

import (
	"context"
	"errors"
	"slices"
	"time"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/person"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/access"
	"fencepost.internal/shared/platform/rules"
)

// InboxDeps holds the dependencies of Inbox.
type InboxDeps struct {
	DB         *postgres.DB
	Keyring    *secretbox.Keyring
	Connectors *platform.Registry
	Rules      rules.Table
	Objects    *objectstore.Store
	// Takes returns what files answers at a network can have.
	Takes func(channel.Network) inbox.ReplyFiles
	Clock clock.Clock
	// Wake notifies the relay of committed rows. It never blocks.
	Wake func(relay.Wake)
	// Mails reports that a mail server is configured.
	Mails bool
}

// Inbox implements the use cases of conversations, which only people have: neither the API nor the tools reach them. It is safe
// for concurrent use.
type Inbox struct {
	db            *postgres.DB
	conversations *postgres.Conversations
	replies       *postgres.Replies
	polls         *postgres.InboxPolls
	channels      *postgres.Channels
	access        *access.Keeper
	connectors    *platform.Registry
	rules         rules.Table
	users         *postgres.Users
	notices       *postgres.Mails
	kept          *postgres.ChannelInboxes
	templates     templateCache
	media         *postgres.Media
	objects       *objectstore.Store
	takes         func(channel.Network) inbox.ReplyFiles
	clock         clock.Clock
	wake          func(relay.Wake)
}

// NewInbox returns the use cases.
func NewInbox(d InboxDeps) (*Inbox, error) {
	if d.DB == nil || d.Keyring == nil || d.Connectors == nil || d.Rules == nil || d.Objects == nil || d.Takes == nil || d.Clock == nil || d.Wake == nil {
		return nil, errors.New("app: every dependency of Inbox is required")
	}
	channels := postgres.NewChannels(d.DB, d.Keyring)
	keeper, err := access.New(channels, d.Clock)
	if err != nil {
		return nil, err
	}
	notices := postgres.NewMails(d.DB, d.Keyring)
	if !d.Mails {
		notices = notices.WithoutMails()
	}
	return &Inbox{
		notices: notices, kept: postgres.NewChannelInboxes(d.DB),
		polls: postgres.NewInboxPolls(d.DB, d.Keyring, nil), channels: channels, access: keeper, connectors: d.Connectors, rules: d.Rules,
		db: d.DB, conversations: postgres.NewConversations(d.DB), replies: postgres.NewReplies(d.DB, d.Keyring),
		users: postgres.NewUsers(d.DB), media: postgres.NewMedia(d.DB), objects: d.Objects, takes: d.Takes, clock: d.Clock, wake: d.Wake,
	}, nil
}

func (a *Inbox) now() time.Time { return a.clock.Now().UTC().Truncate(time.Millisecond) }

// Conversations returns conversations of the workspace, the one with the latest message first.
func (a *Inbox) Conversations(ctx context.Context, p Principal, f postgres.ConversationFilter) ([]postgres.Shown, error) {
	if err := p.Require(credential.InboxRead); err != nil {
		return nil, err
	}
	return a.conversations.For(p.Channels).List(ctx, p.WorkspaceID, p.Person.ID, f)
}

// Counts returns the numbers of conversations that wait.
func (a *Inbox) Counts(ctx context.Context, p Principal) (postgres.InboxCounts, error) {
	if err := p.Require(credential.InboxRead); err != nil {
		return postgres.InboxCounts{}, err
	}
	return a.conversations.For(p.Channels).Counts(ctx, p.WorkspaceID, p.Person.ID)
}

// Conversation returns a conversation; NOT_FOUND if the person has no such conversation.
func (a *Inbox) Conversation(ctx context.Context, p Principal, id ident.Conversation) (postgres.Shown, error) {
	if err := p.Require(credential.InboxRead); err != nil {
		return postgres.Shown{}, err
	}
	return a.conversations.For(p.Channels).Get(ctx, p.WorkspaceID, p.Person.ID, id)
}

// Talk has the messages of a conversation, and the actions of members on it.
type Talk struct {
	Messages []postgres.Said
	Entries  []inbox.Entry
}

// Talk returns the messages of a conversation before a place, at most limit of them.
func (a *Inbox) Talk(ctx context.Context, p Principal, of postgres.Shown, before postgres.MessagePlace, limit int) (talk Talk, err error) {
	if err := p.Require(credential.InboxRead); err != nil {
		return talk, err
	}
	if talk.Messages, err = a.conversations.Messages(ctx, of.ID, before, limit); err != nil {
		return talk, err
	}
	talk.Entries, err = a.conversations.Entries(ctx, of.ID)
	return talk, err
}

// Looked records that the person has seen a conversation up to its last message.
func (a *Inbox) Looked(ctx context.Context, p Principal, of postgres.Shown) error {
	if !of.Unread {
		return nil
	}
	if err := a.conversations.Opened(ctx, of.ID, of.LastAt); err != nil {
		return err
	}
	return a.conversations.Read(ctx, of.ID, p.Person.ID, of.LastAt)
}

// Draft is an answer or a note that a person has written.
type Draft struct {
	ID           ident.Message // made with the form, so that the same form sends one message
	Conversation ident.Conversation
	Direction    inbox.Direction
	Text         string
	Media        []ident.Media // files of the library; with one, the text may be empty
	Seen         time.Time     // of the last message of the account that the form showed
	Anyway       bool          // although another answer was sent since
}

// Say queues an answer, or adds a note. VALIDATION_FAILED with what is wrong with the text; INVALID_STATE if another answer was sent
// since the form was shown; INVALID_STATE if the person can no longer be answered.
func (a *Inbox) Say(ctx context.Context, p Principal, d Draft) error {
	needs := credential.InboxReply
	if d.Direction == inbox.Note {
		needs = credential.InboxRead
	}
	if err := p.Require(needs); err != nil {
		return err
	}
	of, err := a.Conversation(ctx, p, d.Conversation)
	if err != nil {
		return err
	}
	text, files, err := a.compose(ctx, p, of, d)
	if err != nil {
		return err
	}
	m := inbox.Message{
		Files: files,
		ID:    d.ID, ConversationID: of.ID, WorkspaceID: of.WorkspaceID, ChannelID: of.ChannelID, Direction: d.Direction, UserID: p.Person.ID,
		Text: text, SentAt: a.now(),
	}
	var seen *time.Time
	if d.Direction == inbox.Out {
		m.State = inbox.Queued
		if !d.Anyway {
			seen = &d.Seen
		}
		if !of.Answerable(of.ChannelType, a.now()) {
			return apperr.New(apperr.InvalidState, "The time to answer is over: %s allows answers within 24 hours of the person’s last "+
				"message. You can answer when they write again.", of.ChannelType.Name())
		}
	}
	if d.Direction == inbox.Out && inbox.Public(of.ChannelType) {
		if m.ReplyTo, err = a.conversations.LastIn(ctx, of.ID); err != nil {
			return err
		}
		if m.ReplyTo == "" {
			return apperr.New(apperr.InvalidState, "What the person wrote is not there any more, so it cannot be answered.")
		}
	}
	return a.queue(ctx, p, m, of, seen)
}

// queue queues an answer, or adds a note.
func (a *Inbox) queue(ctx context.Context, p Principal, m inbox.Message, of postgres.Shown, seen *time.Time) error {
	if m.Direction == inbox.Out && person.Silent(of.OptedOutAt, of.LastInAt) {
		return ErrOptedOut
	}
	err := a.db.WithinTx(ctx, func(ctx context.Context) error {
		queued, err := a.replies.Queue(ctx, m, of.ChannelType.Network(), seen)
		if err != nil || !queued || m.Direction != inbox.Note {
			return err
		}
		return a.mention(ctx, p, of, m.Text)
	})
	if errors.Is(err, postgres.ErrSaidSince) {
		return ErrReplied
	}
	if err == nil {
		a.wake(relay.Messages)
	}
	return err
}

// ErrOptedOut reports a reply to a person who wants no messages.
var ErrOptedOut = apperr.New(apperr.InvalidState, "The person wants no messages from you. You can answer when they write again.")

// mention notifies the members whom a note names and who may read the conversation, except its author. They are not sent what it says.
func (a *Inbox) mention(ctx context.Context, p Principal, of postgres.Shown, text string) error {
	able, err := a.readers(ctx, p, of)
	if err != nil {
		return err
	}
	able = slices.DeleteFunc(able, func(m member.Member) bool { return m.UserID == p.Person.ID })
	named := member.Mentioned(text, able)
	if len(named) == 0 {
		return nil
	}
	return a.notices.Mention(ctx, p.WorkspaceID, named, mail.Content{Actor: p.Person.Name, Conversation: of.ID}, a.now())
}

// ErrReplied reports that another answer was sent since a form was shown.
var ErrReplied = apperr.New(apperr.InvalidState, "Another answer was sent since. Read it, then send yours if it is still needed.")

// Again sends an answer again that failed, or whose outcome is unknown. INVALID_STATE for another one.
func (a *Inbox) Again(ctx context.Context, p Principal, id ident.Conversation, message ident.Message) error {
	if err := p.Require(credential.InboxReply); err != nil {
		return err
	}
	of, err := a.Conversation(ctx, p, id)
	if err != nil {
		return err
	}
	if person.Silent(of.OptedOutAt, of.LastInAt) {
		return ErrOptedOut
	}
	m, err := a.conversations.Message(ctx, of.ID, message)
	if err != nil {
		return err
	}
	again, err := a.replies.Again(ctx, m, of.ChannelType.Network())
	if err == nil && !again {
		err = apperr.New(apperr.InvalidState, "This answer is on its way, or was sent.")
	}
	if err == nil {
		a.wake(relay.Messages)
	}
	return err
}

// Claim shows others that the person is answering.
func (a *Inbox) Claim(ctx context.Context, p Principal, id ident.Conversation) error {
	if err := p.Require(credential.InboxReply); err != nil {
		return err
	}
	of, err := a.Conversation(ctx, p, id)
	if err != nil {
		return err
	}
	now := a.now()
	return a.conversations.Claim(ctx, of.ID, p.Person.ID, now, now.Add(inbox.ClaimFor))
}

// Assign makes a conversation the work of a member; zero: of none. People who may only read take and leave conversations
// themselves. VALIDATION_FAILED unless the member may read it.
func (a *Inbox) Assign(ctx context.Context, p Principal, id ident.Conversation, to ident.User) error {
	if !to.IsZero() && to != p.Person.ID {
		if err := p.Require(credential.InboxReply); err != nil {
			return err
		}
	}
	return a.decide(ctx, p, id, func(c postgres.Shown) (inbox.Conversation, inbox.Entry, error) {
		name := ""
		if !to.IsZero() {
			able, err := a.Assignees(ctx, p, c)
			if err != nil {
				return c.Conversation, inbox.Entry{}, err
			}
			for _, m := range able {
				if m.ID == to {
					name = m.Name
				}
			}
			if name == "" {
				return c.Conversation, inbox.Entry{}, apperr.Invalid([]apperr.Field{{
					Pointer: "/member", Message: "Choose a member who may read this conversation.",
				}})
			}
		}
		changed, entry := c.AssignTo(to, name)
		return changed, entry, nil
	})
}

// Assignee is a member who can have a conversation.
type Assignee struct {
	ID   ident.User
	Name string
}

// Assignees returns the members who may read a conversation, by their names.
func (a *Inbox) Assignees(ctx context.Context, p Principal, c postgres.Shown) ([]Assignee, error) {
	members, err := a.readers(ctx, p, c)
	var able []Assignee
	for _, m := range members {
		able = append(able, Assignee{m.UserID, m.Name})
	}
	return able, err
}

// readers returns the members who may read a conversation.
func (a *Inbox) readers(ctx context.Context, p Principal, c postgres.Shown) ([]member.Member, error) {
	members, err := a.users.Members(ctx, p.WorkspaceID)
	return slices.DeleteFunc(members, func(m member.Member) bool {
		return !m.Active() || !m.Role.Allows(credential.InboxRead) || !(Principal{Channels: m.Channels}).MayUse(c.ChannelID)
	}), err
}

// Snooze puts a conversation off until a time. VALIDATION_FAILED for a time that is over.
func (a *Inbox) Snooze(ctx context.Context, p Principal, id ident.Conversation, until time.Time) error {
	return a.decide(ctx, p, id, func(c postgres.Shown) (inbox.Conversation, inbox.Entry, error) {
		return c.Snooze(until, a.now())
	})
}

// Put opens or closes a conversation, or marks it as spam.
func (a *Inbox) Put(ctx context.Context, p Principal, id ident.Conversation, to inbox.State) error {
	return a.decide(ctx, p, id, func(c postgres.Shown) (inbox.Conversation, inbox.Entry, error) {
		changed, entry := c.Put(to)
		return changed, entry, nil
	})
}

// decide changes a conversation as the function decides.
func (a *Inbox) decide(
	ctx context.Context, p Principal, id ident.Conversation, by func(postgres.Shown) (inbox.Conversation, inbox.Entry, error),
) error {
	if err := p.Require(credential.InboxRead); err != nil {
		return err
	}
	was, err := a.Conversation(ctx, p, id)
	if err != nil {
		return err
	}
	changed, entry, err := by(was)
	if err != nil {
		return err
	}
	entry.UserID, entry.At = p.Person.ID, a.now()
	return a.conversations.Update(ctx, was.Conversation, changed, entry)
}
