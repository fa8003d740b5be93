package postgres_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/person"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// crowd is an account with an inbox, to which people write.
type crowd struct {
	*bundle

	people *postgres.People
	ch     channel.Channel
	of     *reports
	bot    string
	mu     sync.Mutex
	said   int
}

func (b *bundle) crowd(t *testing.T, bot string) *crowd {
	t.Helper()
	c := &crowd{bundle: b, people: postgres.NewPeople(b.db), ch: b.inboxOf(t, b.ws, bot, "7"), of: &reports{}, bot: bot}
	c.of.add(bot, "u/0", b.now, inbox.Change{Connection: &inbox.Connection{
		ID: "c" + bot, ExternalID: bot + ":7", Enabled: true, MayReply: true, At: b.now,
	}})
	b.reported(t, c.of.events...)
	b.processed(t, c.of, 1)
	return c
}

// says reports a message of someone without processing it.
func (c *crowd) says(t *testing.T, who inbox.Identity, text string) {
	t.Helper()
	c.mu.Lock()
	c.said++
	key := fmt.Sprintf("m/%d", c.said)
	event := inbox.Event{
		Network: channel.NetworkTelegram, Account: c.bot, Key: key, Kind: "test", At: c.now, Body: fmt.Appendf(nil, `{"from":%q,"text":%q}`, who.ID, text),
	}
	c.of.changes[c.bot+key] = inbox.Change{Message: &inbox.Written{
		Connection: "c" + c.bot, Thread: who.ID, ExternalID: c.bot + key, Direction: inbox.In, Text: text, Person: who,
		SentAt: c.now.Add(time.Duration(c.said) * time.Second),
	}}
	c.mu.Unlock()
	c.reported(t, event)
}

func (c *crowd) read(e inbox.Event) postgres.Reading {
	c.mu.Lock()
	defer c.mu.Unlock()
	return postgres.Reading{Change: c.of.changes[e.Account+e.Key]}
}

func (c *crowd) process(t *testing.T) {
	t.Helper()
	for {
		taken, err := postgres.NewInbound(c.db).Process(t.Context(), 3, c.read)
		require.NoError(t, err)
		if len(taken) == 0 {
			return
		}
	}
}

// called returns the person of an ID.
func (c *crowd) called(t *testing.T, value string) person.Person {
	t.Helper()
	id, err := ident.Parse[ident.Person](postgrestest.Column(t, c.address, `SELECT person_id FROM person_identity WHERE value = $1`, value)[0])
	require.NoError(t, err)
	p, err := c.people.Get(t.Context(), c.ws.ID, id)
	require.NoError(t, err)
	return p
}

// talks returns each conversation with its person's name at the network, and its messages.
func (c *crowd) talks(t *testing.T, of person.Person) []string {
	t.Helper()
	return postgrestest.Column(t, c.address, `SELECT v.thread || ': ' || string_agg(m.text, ', ' ORDER BY m.sent_at)
		FROM conversation v JOIN message m ON m.conversation_id = v.id WHERE v.person_id = $1 GROUP BY v.id ORDER BY v.thread`, of.ID.String())
}

func (c *crowd) merge(t *testing.T, into, from person.Person) error {
	t.Helper()
	return c.people.Merge(t.Context(), c.ws.ID, person.Merge{
		ID: ident.New[ident.PersonMerge](), IntoID: into.ID, FromID: from.ID, At: c.now,
	}, c.user(t))
}

func (c *crowd) user(t *testing.T) ident.User {
	t.Helper()
	u, err := user.New(ident.New[ident.User]().String()+"@example.com", "Kim", "hash", c.now)
	require.NoError(t, err)
	_, err = postgres.NewUsers(c.db).Insert(t.Context(), u)
	require.NoError(t, err)
	return u.ID
}

func anyMerge(person.Merge) error { return nil }

// TestMergeIsUndoneWithWhatArrivedSince merges two accounts of a person, which keep their own conversations, and separates them.
func TestMergeIsUndoneWithWhatArrivedSince(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.crowd(t, "31")
	c.says(t, inbox.Identity{ID: "21", Name: "Ada"}, "one")
	c.says(t, inbox.Identity{ID: "22", Name: "A. L."}, "two")
	c.process(t)
	ada, other := c.called(t, "21"), c.called(t, "22")
	other.Note = "Pays late"
	require.NoError(t, c.people.Describe(t.Context(), other))
	postgrestest.Exec(t, b.address, `INSERT INTO lead (id, workspace_id, person_id, name, source, stage, created_at, updated_at)
		VALUES (gen_random_uuid(), $1, $2, 'A. L.', 'MANUAL', 'NEW', now(), now())`, b.ws.ID.String(), other.ID.String())
	require.NoError(t, c.merge(t, ada, other))
	require.True(t, apperr.Is(c.merge(t, ada, other), apperr.InvalidState), "it is merged")

	c.says(t, inbox.Identity{ID: "22"}, "since")
	c.says(t, inbox.Identity{ID: "22", Aliases: []string{"23"}}, "by a new name")
	c.says(t, inbox.Identity{ID: "23"}, "by it alone")
	c.process(t)
	ada = c.called(t, "23")
	require.Equal(t, "Pays late", ada.Note)
	require.Len(t, ada.Identities, 3)
	require.Equal(t, []string{"21: one", "22: two, since, by a new name, by it alone"}, c.talks(t, ada), "a reply goes to the account that wrote")
	leads, err := c.people.Leads(t.Context(), ada)
	require.NoError(t, err)
	require.Len(t, leads, 1)
	merged, err := c.people.Get(t.Context(), b.ws.ID, other.ID)
	require.NoError(t, err)
	require.Equal(t, ada.ID, merged.MergedInto)
	list, err := c.people.List(t.Context(), b.ws.ID, postgres.PeopleFilter{Limit: 9})
	require.NoError(t, err)
	require.Len(t, list, 1)

	merges, err := c.people.Merges(t.Context(), b.ws.ID, ada.ID)
	require.NoError(t, err)
	require.Len(t, merges, 1)
	require.Equal(t, "Kim", merges[0].By)
	require.NotEmpty(t, merges[0].FromName)
	require.NoError(t, c.people.Undo(t.Context(), b.ws.ID, ada.ID, merges[0].ID, c.now, anyMerge))
	require.Equal(t, []string{"21: one"}, c.talks(t, c.called(t, "21")))
	again := c.called(t, "23")
	require.Equal(t, other.ID, again.ID)
	require.Equal(t, "Pays late", again.Note)
	require.Len(t, again.Identities, 2)
	require.Empty(t, c.called(t, "21").Note)
	require.Equal(t, []string{"22: two, since, by a new name, by it alone"}, c.talks(t, again))
	leads, err = c.people.Leads(t.Context(), again)
	require.NoError(t, err)
	require.Len(t, leads, 1)
	require.True(t, apperr.Is(c.people.Undo(t.Context(), b.tenant(t).ID, ada.ID, merges[0].ID, c.now, anyMerge), apperr.NotFound))
}

// TestUndoOfAMergeBelowAnother merges three people in a chain, and undoes the first merge.
func TestUndoOfAMergeBelowAnother(t *testing.T) {
	t.Parallel()
	c := setup(t).crowd(t, "32")
	for _, id := range []string{"21", "22", "23"} {
		c.says(t, inbox.Identity{ID: id, Name: "Of " + id}, "from "+id)
	}
	c.process(t)
	first, second, third := c.called(t, "21"), c.called(t, "22"), c.called(t, "23")
	require.NoError(t, c.merge(t, second, third))
	require.NoError(t, c.merge(t, first, second))
	require.Len(t, c.talks(t, first), 3)
	merges, err := c.people.Merges(t.Context(), c.ws.ID, first.ID)
	require.NoError(t, err)
	require.Len(t, merges, 2)
	for _, m := range merges {
		if m.FromID == third.ID {
			require.NoError(t, c.people.Undo(t.Context(), c.ws.ID, first.ID, m.ID, c.now, anyMerge))
		}
	}
	require.Equal(t, []string{"23: from 23"}, c.talks(t, third))
	require.Equal(t, []string{"21: from 21", "22: from 22"}, c.talks(t, first))
}

// TestMergeWhileMessagesArrive merges and separates people again and again while both write. No message is lost, and each conversation
// belongs to the person of its account.
func TestMergeWhileMessagesArrive(t *testing.T) {
	t.Parallel()
	c := setup(t).crowd(t, "33")
	for _, id := range []string{"21", "22"} {
		c.says(t, inbox.Identity{ID: id}, "first")
	}
	c.process(t)
	ada, other, user := c.called(t, "21"), c.called(t, "22"), c.user(t)
	const each = 60
	var all sync.WaitGroup
	for n := range 3 {
		all.Go(func() {
			for i := range each {
				who := inbox.Identity{ID: "22"}
				if n == 0 {
					who = inbox.Identity{ID: "21"}
				}
				if i%10 == 9 {
					who.Aliases = []string{fmt.Sprintf("%s-%d-%d", who.ID, n, i)}
				}
				c.says(t, who, fmt.Sprint(n, i))
				c.process(t)
			}
		})
	}
	all.Go(func() {
		for range 15 {
			m := person.Merge{ID: ident.New[ident.PersonMerge](), IntoID: ada.ID, FromID: other.ID, At: c.now}
			if err := c.people.Merge(t.Context(), c.ws.ID, m, user); err != nil {
				t.Error(err)
			}
			if err := c.people.Undo(t.Context(), c.ws.ID, ada.ID, m.ID, c.now, anyMerge); err != nil {
				t.Error(err)
			}
		}
	})
	all.Wait()
	c.process(t)
	require.Equal(t, []string{strconv.Itoa(3*each + 2)}, postgrestest.Column(t, c.address, `SELECT count(*) FROM message`))
	require.Equal(t, []string{"21|61|" + ada.ID.String(), "22|121|" + other.ID.String()}, postgrestest.Column(t, c.address,
		`SELECT concat_ws('|', v.thread, count(*), v.person_id) FROM conversation v JOIN message m ON m.conversation_id = v.id GROUP BY v.id ORDER BY 1`))
	require.Empty(t, postgrestest.Column(t, c.address, `SELECT value FROM person_identity
		WHERE person_id <> CASE WHEN value LIKE '21%' THEN CAST($1 AS uuid) ELSE $2 END`, ada.ID.String(), other.ID.String()))
}

// TestNetworkSaysWhoIsOnePerson checks that two people whom a network names together become one with both histories and with what
// members wrote: a user name adopted, a number changed, and the ninth digit of a number.
func TestNetworkSaysWhoIsOnePerson(t *testing.T) {
	t.Parallel()
	c := setup(t).crowd(t, "34")
	c.says(t, inbox.Identity{ID: "551187654321", Phone: "551187654321", Name: "Bia"}, "by number")
	c.says(t, inbox.Identity{ID: "BR.1", Username: "bia"}, "by user name")
	c.process(t)
	bia, other := c.called(t, "551187654321"), c.called(t, "BR.1")
	require.NotEqual(t, bia.ID, other.ID)
	other.Note, other.Name = "Regular", "Beatriz"
	require.NoError(t, c.people.Describe(t.Context(), other))

	// One batch: both named together, and each alone.
	c.says(t, inbox.Identity{ID: "551187654321", Phone: "551187654321", Aliases: []string{"BR.1"}}, "by both")
	c.says(t, inbox.Identity{ID: "BR.1"}, "by user name again")
	c.process(t)
	c.says(t, inbox.Identity{ID: "BR.2", Aliases: []string{"BR.1"}}, "changed number")
	c.says(t, inbox.Identity{ID: "5511987654321", Phone: "5511987654321"}, "with the ninth digit")
	c.process(t)
	for _, value := range []string{"551187654321", "BR.1", "BR.2", "5511987654321"} {
		p := c.called(t, value)
		require.Equal(t, bia.ID, p.ID, value)
		require.Equal(t, []string{"Beatriz", "Regular"}, []string{p.Name, p.Note}, value)
	}
	require.Equal(t, []string{"6"}, postgrestest.Column(t, c.address,
		`SELECT count(*) FROM message m JOIN conversation v ON v.id = m.conversation_id WHERE v.person_id = $1`, bia.ID.String()))
	was, err := c.people.Get(t.Context(), c.ws.ID, other.ID)
	require.NoError(t, err)
	require.Equal(t, bia.ID, was.MergedInto)
}

// TestAlike suggests people with an equal number or address on other networks.
func TestAlike(t *testing.T) {
	t.Parallel()
	c := setup(t).crowd(t, "35")
	c.says(t, inbox.Identity{ID: "551187654321", Phone: "551187654321", Name: "Bia"}, "x")
	c.says(t, inbox.Identity{ID: "22", Name: "Beatriz"}, "x")
	c.says(t, inbox.Identity{ID: "23", Name: "B."}, "x")
	c.process(t)
	bia, other, third := c.called(t, "551187654321"), c.called(t, "22"), c.called(t, "23")
	alike := func(p person.Person) (names []string) {
		found, err := c.people.Alike(t.Context(), p, 5)
		require.NoError(t, err)
		for _, one := range found {
			names = append(names, one.Called())
		}
		return names
	}
	require.Empty(t, alike(bia))
	described, err := other.Describe(person.Facts{Phone: "+55 11 98765-4321", Mail: "Bia@example.com"})
	require.NoError(t, err)
	require.NoError(t, c.people.Describe(t.Context(), described))
	third.Mail = "bia@EXAMPLE.com"
	require.NoError(t, c.people.Describe(t.Context(), third))
	require.Equal(t, []string{"Beatriz"}, alike(bia))
	require.Equal(t, []string{"B.", "Bia"}, alike(described))
}

// TestErasedPersonLeavesCounts erases a person who was merged, with what networks reported.
func TestErasedPersonLeavesCounts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.crowd(t, "36")
	c.says(t, inbox.Identity{ID: "21", Name: "Canary Ada"}, "canary one")
	c.says(t, inbox.Identity{ID: "22", Name: "Canary Bia"}, "canary two")
	c.says(t, inbox.Identity{ID: "214", Name: "Another"}, "not 21")
	c.process(t)
	ada, bia := c.called(t, "21"), c.called(t, "22")
	ada.Note = "canary note"
	require.NoError(t, c.people.Describe(t.Context(), ada))
	require.NoError(t, c.merge(t, ada, bia))
	erased, err := c.people.Erase(t.Context(), c.called(t, "21"))
	require.NoError(t, err)
	require.Equal(t, postgres.Erased{Conversations: 2, Messages: 2, Reports: 2}, erased)
	for _, table := range []string{"person", "person_identity", "person_merge", "conversation", "message", "lead"} {
		require.NotContains(t, strings.ToLower(strings.Join(postgrestest.Column(t, b.address, `SELECT row_to_json(x)::text FROM `+table+` x`), "\n")),
			"canary", table)
	}
	require.Equal(t, []string{`{"from":"214","text":"not 21"}`}, postgrestest.Column(t, b.address,
		`SELECT convert_from(body, 'UTF8') FROM inbound_event WHERE body <> '' AND key LIKE 'm/%'`))
	require.Equal(t, []string{"3"}, postgrestest.Column(t, b.address, `SELECT count(*) FROM message`))
	gone, err := c.people.Get(t.Context(), b.ws.ID, ada.ID)
	require.NoError(t, err)
	require.Equal(t, "Erased person", gone.Called())

	c.says(t, inbox.Identity{ID: "21", Name: "Ada"}, "again")
	c.process(t)
	require.NotEqual(t, ada.ID, c.called(t, "21").ID, "it is a new person")
	require.Equal(t, []string{"21: again"}, c.talks(t, c.called(t, "21")))
}

// TestOptOutByNetwork marks a person whose network refuses an answer because of it.
func TestOptOutByNetwork(t *testing.T) {
	t.Parallel()
	b := setup(t)
	replies, queue := answering(t, b)
	m := queue()
	n, err := replies.Intend(t.Context(), m.ID, 0)
	require.NoError(t, err)
	require.NoError(t, replies.Record(t.Context(), m.ID, n, postgres.ReplyResult{
		State: post.AttemptRejected, Code: inbox.CodeOptedOut, Reply: inbox.Failed,
	}))
	found, err := postgres.NewConversations(b.db).Get(t.Context(), b.ws.ID, ident.User{}, m.ConversationID)
	require.NoError(t, err)
	require.True(t, person.Silent(found.OptedOutAt, found.LastInAt))
}

// TestPeopleAndConversationsAreReadByIndexes plans the lists and searches of a workspace among others.
func TestPeopleAndConversationsAreReadByIndexes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.crowd(t, "37")
	foreign := b.tenant(t)
	for i, ws := range []ident.Workspace{b.ws.ID, foreign.ID} {
		postgrestest.Exec(t, b.address, `INSERT INTO person (id, workspace_id, name)
			SELECT gen_random_uuid(), $1, CASE WHEN n % 100 = 0 THEN 'Countess ' || n ELSE '' END FROM generate_series(1, 4000) AS n`, ws.String())
		postgrestest.Exec(t, b.address, `INSERT INTO person_identity (workspace_id, network, value, person_id, name, username, seen_at, phone)
			SELECT workspace_id, 'whatsapp', (49170000000 + row_number() OVER (ORDER BY id))::text, id, 'Person ' || left(id::text, 8), 'u' || left(id::text, 8),
				now(), (49170000000 + row_number() OVER (ORDER BY id))::text FROM person WHERE workspace_id = $1`, ws.String())
		postgrestest.Exec(t, b.address, `INSERT INTO conversation (id, workspace_id, channel_id, kind, thread, person_id, state, last_at, preview)
			SELECT gen_random_uuid(), workspace_id, $2, 'MESSAGES', $3 || id, id, 'OPEN', now() - random() * interval '1 year', 'x' FROM person WHERE workspace_id = $1`,
			ws.String(), c.ch.ID.String(), strconv.Itoa(i))
	}
	postgrestest.Exec(t, b.address, `INSERT INTO message (id, conversation_id, workspace_id, channel_id, direction, text, sent_at)
		SELECT gen_random_uuid(), id, workspace_id, channel_id, 'IN', 'word number ' || left(id::text, 6), now() FROM conversation, generate_series(1, 3)`)
	for _, table := range []string{"person", "person_identity", "conversation", "message"} {
		postgrestest.Exec(t, b.address, `VACUUM ANALYZE `+table)
	}
	search := func(text string) post.Search {
		s, fault := post.ParseSearch(text)
		require.Empty(t, fault)
		return s
	}
	talks := postgres.NewConversations(b.db)
	for _, text := range []string{"", "Countess", "4917000012", "nowhere"} {
		var s post.Search
		states := []inbox.State{inbox.Open}
		if text != "" {
			s, states = search(text), nil
		}
		plan, err := c.people.ExplainList(t.Context(), b.ws.ID, postgres.PeopleFilter{Search: s, Limit: 51})
		require.NoError(t, err)
		require.NotContains(t, plan, "Seq Scan", "%s\n%s", text, plan)
		plan, err = talks.ExplainList(t.Context(), b.ws.ID, ident.User{}, postgres.ConversationFilter{Search: s, States: states, Limit: 41})
		require.NoError(t, err)
		for _, table := range []string{"person", "person_identity", "conversation", "message"} { // small ones may be read as a whole
			require.NotContains(t, plan, "Seq Scan on "+table+" ", "%s\n%s", text, plan)
		}
	}
	found, err := c.people.List(t.Context(), b.ws.ID, postgres.PeopleFilter{Search: search("countess 100"), Limit: 9})
	require.NoError(t, err)
	require.NotEmpty(t, found)
	listed, err := talks.List(t.Context(), b.ws.ID, ident.User{}, postgres.ConversationFilter{Search: search("countess"), Limit: 100})
	require.NoError(t, err)
	require.Len(t, listed, 40, "by the name that a member gave")

	found, err = c.people.For([]ident.Channel{ident.New[ident.Channel]()}).List(t.Context(), b.ws.ID, postgres.PeopleFilter{Limit: 9})
	require.NoError(t, err)
	require.Empty(t, found, "of channels that the member does not use")
}

// TestRetentionDeletesEndedConversations checks the setting of a workspace, which is off at first.
func TestRetentionDeletesEndedConversations(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.crowd(t, "38")
	for _, id := range []string{"21", "22", "23"} {
		c.says(t, inbox.Identity{ID: id}, "x")
	}
	c.process(t)
	postgrestest.Exec(t, b.address, `UPDATE conversation SET state = CASE thread WHEN '21' THEN 'OPEN' ELSE 'CLOSED' END,
		last_at = now() - CASE thread WHEN '23' THEN interval '9 days' ELSE interval '11 days' END, changed_at = now() - interval '11 days'`)
	store := postgres.NewInboxes(b.db)
	n, err := store.Prune(t.Context(), 100)
	require.NoError(t, err)
	require.Zero(t, n)
	require.NoError(t, store.SetSettings(t.Context(), b.ws.ID, postgres.InboxSettings{WaitMinutes: 5, KeepDays: 10}))
	kept, err := store.Settings(t.Context(), b.ws.ID)
	require.NoError(t, err)
	require.Equal(t, postgres.InboxSettings{WaitMinutes: 5, KeepDays: 10}, kept)
	n, err = store.Prune(t.Context(), 100)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Equal(t, []string{"21", "23"}, postgrestest.Column(t, b.address, `SELECT thread FROM conversation ORDER BY 1`))
}
