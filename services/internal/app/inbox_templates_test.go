package app_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/objectstore/objectstoretest"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
)

// numbers is a network with templates, whose accounts are registered with a value.
type numbers struct {
	network

	failure    error
	calls      int
	registered []string
}

func (*numbers) Types() []channel.Type { return []channel.Type{channel.WhatsAppBusiness} }

func (*numbers) SendReply(context.Context, platform.Account, platform.Reply) (string, error) {
	return "", nil
}

func (n *numbers) Templates(context.Context, platform.Account) ([]inbox.Template, error) {
	n.calls++
	return []inbox.Template{{Name: "order", Language: "en", Category: "UTILITY", Parts: []inbox.TemplatePart{
		{Kind: inbox.PartBody, Text: "Hello {{1}}"},
	}}}, n.failure
}

func (*numbers) MarkRead(context.Context, platform.Account, platform.Receipt) error { return nil }

func (*numbers) Fields() []platform.Field { return []platform.Field{{Name: "token", Label: "Token"}} }

func (*numbers) Enter(context.Context, map[string]string) ([]channel.Candidate, error) {
	return []channel.Candidate{
		{Type: channel.WhatsAppBusiness, ExternalID: "1", Name: "Shop", Needs: true}, {Type: channel.WhatsAppBusiness, ExternalID: "2", Name: "Desk"},
	}, nil
}

func (*numbers) RegistrationField() platform.Field { return platform.Field{Name: "pin"} }

func (n *numbers) Register(_ context.Context, a platform.Account, pin string) error {
	if pin != "123456" {
		return &platform.Failure{Class: platform.ClassUser, Message: "This is not the PIN."}
	}
	n.registered = append(n.registered, a.ExternalID)
	return nil
}

func (*numbers) SourceOf(a platform.Account) string { return a.ExternalID }

func (*numbers) Subscription(context.Context, platform.Account) (platform.Subscription, error) {
	return platform.Subscription{}, nil
}

func (*numbers) Subscribe(context.Context, platform.Account, string, string) error { return nil }

// desk is a member who answers a person whose time for answers is over.
type desk struct {
	*bundle
	*app.Inbox

	net *numbers
	p   app.Principal
	ch  channel.Channel
	of  ident.Conversation
}

func setupDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{bundle: setup(t), net: &numbers{}, of: ident.New[ident.Conversation]()}
	links, err := platform.NewRegistry(d.net)
	require.NoError(t, err)
	d.Inbox, err = app.NewInbox(app.InboxDeps{
		DB: d.db, Keyring: d.keyring, Connectors: links, Clock: d.clock, Wake: func(relay.Wake) {},
		Rules: connectors.Rules(), Objects: objectstoretest.Absent(t), Takes: connectors.ReplyFiles,
	})
	require.NoError(t, err)
	user := ident.New[ident.User]()
	d.p = app.Principal{
		WorkspaceID: d.tenant(t.Context(), t).WorkspaceID, Person: app.Person{ID: user, Name: "Ada", Permissions: member.Admin.Permissions()},
	}
	tenant, person := d.p.WorkspaceID.String(), ident.New[ident.Person]().String()
	postgrestest.Exec(t, d.address, `INSERT INTO app_user (id, email, name, password_hash, created_at) VALUES ($1, 'a@b.test', 'Ada', 'x', now())`, user.String())
	d.ch = channel.Channel{
		ID: ident.New[ident.Channel](), WorkspaceID: d.p.WorkspaceID, Name: "Shop", Type: channel.WhatsAppBusiness, ExternalID: "1", IsConnected: true,
		TokenStatus: channel.TokenHealthy, Timezone: "Europe/Berlin", CreatedAt: time.Now(),
	}
	require.NoError(t, postgres.NewChannels(d.db, d.keyring).Insert(t.Context(), d.ch, channel.Credentials{AccessToken: "a"}))
	postgrestest.Exec(t, d.address, `INSERT INTO person (id, workspace_id, name) VALUES ($1, $2, 'Anna')`, person, tenant)
	postgrestest.Exec(t, d.address, `INSERT INTO conversation (id, workspace_id, channel_id, kind, thread, person_id, state, last_at, last_in_at)
		VALUES ($1, $2, $3, 'MESSAGES', '21', $4, 'OPEN', now(), '2020-01-01')`, d.of.String(), tenant, d.ch.ID.String(), person)
	return d
}

// TestTemplatesAfterTheWindow checks that a template is an answer like others, and that the network is called once in a while.
func TestTemplatesAfterTheWindow(t *testing.T) {
	t.Parallel()
	d := setupDesk(t)
	draft := app.TemplateDraft{
		ID: ident.New[ident.Message](), Conversation: d.of, Name: "order", Language: "en", Values: map[string]string{"body-0-1": "Bo"},
	}
	require.True(t, apperr.Is(d.Say(t.Context(), d.p, app.Draft{ID: ident.New[ident.Message](), Conversation: d.of, Direction: inbox.Out, Text: "Hi"}),
		apperr.InvalidState))
	for range 2 { // the same form
		require.NoError(t, d.SendTemplate(t.Context(), d.p, draft))
		draft.Anyway = true
	}
	require.Equal(t, []string{`QUEUED Hello Bo order`}, postgrestest.Column(t, d.address,
		`SELECT concat_ws(' ', state, text, template->>'name') FROM message`))
	require.Equal(t, 1, d.net.calls)

	draft.ID, draft.Anyway = ident.New[ident.Message](), false
	require.ErrorIs(t, d.SendTemplate(t.Context(), d.p, draft), app.ErrReplied)
	draft.Values = nil
	require.Equal(t, "/body-0-1", apperr.FieldsOf(d.SendTemplate(t.Context(), d.p, draft))[0].Pointer)
	draft.Language = "de"
	require.True(t, apperr.Is(d.SendTemplate(t.Context(), d.p, draft), apperr.InvalidState))
	reader := d.p
	reader.Person.Permissions = member.Contributor.Permissions()
	require.True(t, apperr.Is(d.SendTemplate(t.Context(), reader, draft), apperr.InsufficientScope))

	of, err := d.Conversation(t.Context(), d.p, d.of)
	require.NoError(t, err)
	require.True(t, d.HasTemplates(of))
	d.clock.Advance(11 * time.Minute)
	d.net.failure = &platform.Failure{Class: platform.ClassTransient, Message: "It is down."}
	_, err = d.Templates(t.Context(), d.p, of)
	require.ErrorContains(t, err, "It is down.")
	require.Equal(t, 2, d.net.calls)
	postgrestest.Exec(t, d.address, `UPDATE channel SET token_status = 'NEEDS_RECONNECT'`)
	_, err = d.Templates(t.Context(), d.p, of)
	require.ErrorContains(t, err, "connected again")
}

// TestInboxOfAChannel checks what the page of a channel shows, and who decides about it.
func TestInboxOfAChannel(t *testing.T) {
	t.Parallel()
	d := setupDesk(t)
	require.NoError(t, d.SetReadsOnOpen(t.Context(), d.p, d.ch.ID, true))
	none, err := d.OfChannel(t.Context(), d.p, channel.Channel{Type: channel.Bluesky}) // has comments, which are polled
	require.NoError(t, err)
	require.Nil(t, none)
	found, err := d.OfChannel(t.Context(), d.p, d.ch)
	require.NoError(t, err)
	require.Equal(t, &app.ChannelInbox{MarksRead: true, ReadsOnOpen: true, Counts: true, Costs: found.Costs}, found)
	require.Empty(t, found.Costs)
	require.True(t, apperr.Is(d.SetReadsOnOpen(t.Context(), d.p, ident.New[ident.Channel](), true), apperr.NotFound))
	editor := d.p
	editor.Person.Permissions = member.Editor.Permissions()
	require.True(t, apperr.Is(d.SetReadsOnOpen(t.Context(), editor, d.ch.ID, false), apperr.InsufficientScope))
	viewer := d.p
	viewer.Person.Permissions = member.Viewer.Permissions()
	found, err = d.OfChannel(t.Context(), viewer, d.ch)
	require.NoError(t, err)
	require.Nil(t, found)
}

// TestAccountsAreRegistered enters the value of an account that needs one, and then connects it.
func TestAccountsAreRegistered(t *testing.T) {
	t.Parallel()
	d := setupDesk(t)
	links, err := platform.NewRegistry(d.net)
	require.NoError(t, err)
	use, err := app.NewConnections(app.ConnectionsDeps{
		DB: d.db, Keyring: d.keyring, Links: links, Clock: d.clock, Logger: slog.New(slog.DiscardHandler), AppURL: "https://app.test",
	})
	require.NoError(t, err)
	require.NotNil(t, use.RegistrationField(channel.WhatsAppBusiness))
	require.Nil(t, use.RegistrationField(channel.Bluesky))
	for _, of := range []ident.Channel{{}, d.ch.ID} { // connected, and connected again after it lost its registration
		d.net.registered = nil
		a, err := use.Enter(t.Context(), d.p, app.BeginConnect{Session: browser, Type: channel.WhatsAppBusiness, Channel: of}, map[string]string{"token": "t"})
		require.NoError(t, err)
		require.Equal(t, channel.AttemptPicking, a.Outcome)
		_, err = use.Pick(t.Context(), d.p, browser, a.ID, []string{"1"})
		require.Len(t, apperr.FieldsOf(err), 1, "it is not registered")
		err = use.Register(t.Context(), d.p, browser, a.ID, []string{"1"}, map[string]string{"1": "000000"})
		require.Equal(t, []apperr.Field{{Pointer: "/1", Message: "This is not the PIN."}}, apperr.FieldsOf(err))
		for range 2 {
			require.NoError(t, use.Register(t.Context(), d.p, browser, a.ID, []string{"1"}, map[string]string{"1": "123456"}))
		}
		require.Equal(t, []string{"1"}, d.net.registered, "once")
		connected, err := use.Pick(t.Context(), d.p, browser, a.ID, []string{"1"})
		require.NoError(t, err)
		require.Equal(t, d.ch.ID, connected[0].ID)
	}
}
