package e2e_test

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform/connectors"
)

// desk is a member who answers people, in process.
type desk struct {
	*app.Inbox

	t *testing.T
	p app.Principal
}

func newDesk(t *testing.T, s *harness.System) *desk {
	t.Helper()
	registry, err := connectors.New(connectors.Environment{SandboxURL: s.Sandbox.URL()}, clock.System(), 0)
	require.NoError(t, err)
	use, err := app.NewInbox(app.InboxDeps{
		DB: s.DB, Keyring: harness.Keyring(t), Connectors: registry, Rules: connectors.Rules(), Clock: clock.System(), Wake: func(relay.Wake) {},
		Objects: s.Objects, Takes: connectors.ReplyFiles,
	})
	require.NoError(t, err)
	id := ident.New[ident.User]()
	postgrestest.Exec(t, s.Database(), `INSERT INTO app_user (id, email, name, password_hash, created_at) VALUES ($1, $2, 'Ada', 'x', now())`,
		id.String(), id.String()+"@example.com")
	return &desk{use, t, app.Principal{
		WorkspaceID: s.Workspace, Person: app.Person{ID: id, Name: "Ada", Permissions: member.Editor.Permissions()},
	}}
}

// connects lets a bot take part in an account, and connects the account.
func connects(t *testing.T, s *harness.System, account string) channel.Channel {
	t.Helper()
	s.Sandbox.ConnectBot("inbox", account, true, true)
	v := newVisitor(t, s)
	a, err := v.Enter(t.Context(), v.p, app.BeginConnect{Session: browserSession, Type: channel.TelegramBusiness},
		map[string]string{"token": harness.BusinessBot})
	require.NoError(t, err)
	require.Equal(t, channel.AttemptPicking, a.Outcome, "%+v", a.Steps)
	_, accounts, err := v.Attempt(t.Context(), v.p, browserSession, a.ID)
	require.NoError(t, err)
	require.Len(t, accounts, 1)
	connected, err := v.Pick(t.Context(), v.p, browserSession, a.ID, []string{accounts[0].ExternalID})
	require.NoError(t, err)
	require.Len(t, connected, 1)
	return connected[0]
}

// talk waits until a conversation with a person has a number of messages.
func (d *desk) talk(person string, messages int) (postgres.Shown, []postgres.Said) {
	d.t.Helper()
	var of postgres.Shown
	var talk app.Talk
	require.EventuallyWithT(d.t, func(c *assert.CollectT) {
		list, err := d.Conversations(d.t.Context(), d.p, postgres.ConversationFilter{Limit: 50})
		require.NoError(c, err)
		for _, one := range list {
			if one.PersonName == person {
				of = one
			}
		}
		require.Equal(c, person, of.PersonName)
		talk, err = d.Talk(d.t.Context(), d.p, of, postgres.MessagePlace{}, 100)
		require.NoError(c, err)
		require.Len(c, talk.Messages, messages)
	}, soon, 50*time.Millisecond)
	return of, talk.Messages
}

// says answers, and waits for the answer's end.
func (d *desk) says(of postgres.Shown, text string) postgres.Said {
	d.t.Helper()
	id := ident.New[ident.Message]()
	require.NoError(d.t, d.Say(d.t.Context(), d.p, app.Draft{
		ID: id, Conversation: of.ID, Direction: inbox.Out, Text: text, Seen: time.Now(),
	}))
	var said postgres.Said
	require.EventuallyWithT(d.t, func(c *assert.CollectT) {
		talk, err := d.Talk(d.t.Context(), d.p, of, postgres.MessagePlace{}, 100)
		require.NoError(c, err)
		for _, m := range talk.Messages {
			if m.ID == id {
				said = m
			}
		}
		require.NotEqual(c, inbox.Queued, said.State)
		require.Equal(c, id, said.ID)
	}, 2*soon, 50*time.Millisecond)
	return said
}

// TestTelegramInbox connects an account through its bot, receives what people write, and answers: once, also when responses are
// lost.
func TestTelegramInbox(t *testing.T) {
	t.Parallel()
	s := running(t)
	s.Start("inbound", "").Ready()
	d, c := newDesk(t, s), connects(t, s, "shop")
	require.Equal(t, channel.TelegramBusiness, c.Type)
	s.Sandbox.Write(harness.Writes{Platform: "telegram", Account: "shop", From: "anna", Text: "Is it <b>blue</b>?"})
	s.Sandbox.Write(harness.Writes{Platform: "telegram", Account: "shop", From: "anna", Text: "Hello?"})
	of, said := d.talk("anna", 2)
	require.Equal(t, "Is it <b>blue</b>?", said[0].Text)
	require.True(t, of.Unanswered())
	require.NotEmpty(t, s.Sandbox.Deliveries("telegram"), "Telegram reports by itself")

	reply := d.says(of, "It is.")
	require.Equal(t, inbox.Sent, reply.State, "%+v", reply.Message)
	require.Equal(t, "Ada", reply.By)
	require.Len(t, s.Sandbox.Replies("telegram", "shop", "anna", "It is."), 1)

	s.Sandbox.Write(harness.Writes{
		Platform: "telegram", Account: "shop", From: "bert", File: &harness.AttachedFile{Name: "plan.pdf", Content: []byte("%PDF-1.7")},
	})
	alone, said := d.talk("bert", 1)
	require.Equal(t, "plan.pdf", said[0].Files[0].Name)
	require.Equal(t, "plan.pdf", alone.Preview)

	s.Sandbox.Inject(harness.Fault{Platform: "telegram", Step: "reply", Kind: "timeout_after_accept", DelayMs: 1000})
	lost := d.says(of, "Did it arrive?")
	require.Equal(t, inbox.Unknown, lost.State, "%+v", lost.Message)
	require.Len(t, s.Sandbox.Replies("telegram", "shop", "anna", "Did it arrive?"), 1, "it is not sent again")
	require.NoError(t, d.Again(t.Context(), d.p, of.ID, lost.ID))
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Len(c, s.Sandbox.Replies("telegram", "shop", "anna", "Did it arrive?"), 2, "a person decided so")
	}, soon, 50*time.Millisecond)

	s.Sandbox.ConnectBot("inbox", "shop", true, false)
	refused := d.says(of, "May I?")
	require.Equal(t, inbox.Failed, refused.State, "%+v", refused.Message)
	require.NotEmpty(t, refused.FailureMessage)
	require.Empty(t, s.Sandbox.Replies("telegram", "shop", "anna", "May I?"))

	reader := d.p
	reader.Person.Permissions = member.Contributor.Permissions()
	require.Error(t, d.Say(t.Context(), reader, app.Draft{ID: ident.New[ident.Message](), Conversation: of.ID, Direction: inbox.Out, Text: "x"}))
	require.NoError(t, d.Say(t.Context(), reader, app.Draft{ID: ident.New[ident.Message](), Conversation: of.ID, Direction: inbox.Note, Text: "A note"}))
	reader.Person.Permissions = []credential.Permission{}
	_, err := d.Conversations(t.Context(), reader, postgres.ConversationFilter{})
	require.Error(t, err)
}

// TestTelegramInboxWithoutAddress receives what people write in an installation that networks cannot reach.
func TestTelegramInboxWithoutAddress(t *testing.T) {
	t.Parallel()
	s := running(t, "INBOUND_URL=")
	d := newDesk(t, s)
	c := connects(t, s, "shop")
	s.Sandbox.Write(harness.Writes{Platform: "telegram", Account: "shop", From: "bert", Text: "Anybody?", Times: 3})
	of, _ := d.talk("bert", 3)
	s.Sandbox.Write(harness.Writes{Platform: "telegram", Account: "shop", From: "bert", Text: "Still there?"})
	d.talk("bert", 4)
	require.Empty(t, s.Sandbox.Deliveries("telegram"))
	require.Equal(t, c.ID, connects(t, s, "shop").ID, "Telegram has reported it before")
	require.Equal(t, inbox.Sent, d.says(of, "We are.").State)
}

// file waits until the file of the only message of a conversation has a state, and returns it with the address of its bytes.
func (d *desk) file(person string, want inbox.FileState) (inbox.MessageFile, string) {
	d.t.Helper()
	of, _ := d.talk(person, 1)
	var f inbox.MessageFile
	address := ""
	require.EventuallyWithT(d.t, func(c *assert.CollectT) {
		talk, err := d.Talk(d.t.Context(), d.p, of, postgres.MessagePlace{}, 1)
		require.NoError(c, err)
		require.Len(c, talk.Messages[0].Files, 1)
		f = talk.Messages[0].Files[0]
		require.Equal(c, want, f.State, f.Fault)
		if want == inbox.Ready {
			address, err = d.FileURL(d.t.Context(), d.p, of.ID, talk.Messages[0].ID, 1, false)
			require.NoError(c, err)
		}
	}, 2*soon, 50*time.Millisecond)
	return f, address
}

// TestFilesInInbox receives pictures, also after failures and hostile ones, and answers with a picture, at both networks.
func TestFilesInInbox(t *testing.T) {
	t.Parallel()
	s := running(t)
	s.Start("inbound", "").Ready()
	d := newDesk(t, s)
	connects(t, s, "shop")
	number := connectors.Of(channel.NetworkWhatsApp).SandboxAccount(channel.WhatsAppBusiness, "store")
	s.AddChannel(channel.WhatsAppBusiness, number.ID, number.Credentials)
	require.EventuallyWithT(t, func(c *assert.CollectT) { // Meta repeats nothing that was written before
		require.Equal(c, []string{""}, postgrestest.Column(t, s.Database(),
			`SELECT fault FROM inbound_source WHERE network = 'whatsapp' AND checked_at IS NOT NULL`))
	}, 2*soon, 100*time.Millisecond)
	var drawn bytes.Buffer
	require.NoError(t, png.Encode(&drawn, image.NewNRGBA(image.Rect(0, 0, 80, 60))))
	cat := drawn.Bytes()
	id, err := ident.Parse[ident.Media](s.Upload("cat.png", "image/png", cat).ID)
	require.NoError(t, err)
	for network, account := range map[string]string{"telegram": "shop", "whatsapp": "store"} {
		writes := func(person string) {
			t.Helper()
			s.Sandbox.Write(harness.Writes{
				Platform: network, Account: account, From: person, Text: "Look", File: &harness.AttachedFile{Name: "cat.png", Content: cat},
			})
		}
		fault := func(kind string, times int) {
			t.Helper()
			s.Sandbox.Inject(harness.Fault{Platform: network, Account: account, Step: "file", Kind: kind, Times: times})
		}
		writes(network + " anna")
		f, address := d.file(network+" anna", inbox.Ready)
		require.Equal(t, "image/png", f.Type)
		require.False(t, f.Thumbnail.IsZero())
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
		require.NoError(t, err)
		response, err := (&http.Client{Timeout: soon}).Do(request)
		require.NoError(t, err)
		content, err := io.ReadAll(response.Body)
		require.NoError(t, errors.Join(err, response.Body.Close()))
		require.Equal(t, cat, content)
		require.Contains(t, response.Header.Get("Content-Disposition"), "attachment")
		require.Equal(t, "nosniff", response.Header.Get("X-Content-Type-Options"))

		of, _ := d.talk(network+" anna", 1)
		reply := ident.New[ident.Message]()
		require.NoError(t, d.Say(t.Context(), d.p, app.Draft{
			ID: reply, Conversation: of.ID, Direction: inbox.Out, Text: "Ours " + network, Media: []ident.Media{id}, Seen: time.Now(),
		}))
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			sent := s.Sandbox.Replies(network, account, network+" anna", "Ours "+network)
			require.Len(c, sent, 1)
			require.Equal(c, "image/png", sent[0].File.ContentType)
		}, 2*soon, 50*time.Millisecond)

		fault("gone", 2)
		writes(network + " bert")
		d.file(network+" bert", inbox.Ready)
		fault("redirect_inside", 1)
		writes(network + " cleo")
		f, _ = d.file(network+" cleo", inbox.Refused)
		require.Contains(t, f.Fault, "so nothing was requested there")
		fault("bomb", 1)
		writes(network + " dora")
		f, _ = d.file(network+" dora", inbox.Refused)
		require.Contains(t, f.Fault, "too much memory")
	}
	s.RequireFilesAgree()
}

// TestWhatsAppInbox connects a number, receives what people write, and follows what becomes of the answers.
func TestWhatsAppInbox(t *testing.T) {
	t.Parallel()
	s := running(t)
	s.Start("inbound", "").Ready()
	d, v := newDesk(t, s), newVisitor(t, s)
	number := connectors.Of(channel.NetworkWhatsApp).SandboxAccount(channel.WhatsAppBusiness, "shop")
	a, err := v.Enter(t.Context(), v.p, app.BeginConnect{Session: browserSession, Type: channel.WhatsAppBusiness}, map[string]string{
		"token": number.Credentials.AccessToken, "business": number.Credentials.Business,
	})
	require.NoError(t, err)
	require.Equal(t, channel.AttemptPicking, a.Outcome, "%+v", a.Steps)
	connected, err := v.Pick(t.Context(), v.p, browserSession, a.ID, []string{number.ID})
	require.NoError(t, err)
	require.Len(t, connected, 1)
	postgrestest.Exec(t, s.Database(), `UPDATE workspace SET plan = 'CREATOR' WHERE id = $1`, s.Workspace.String())
	second := connectors.Of(channel.NetworkWhatsApp).SandboxAccount(channel.WhatsAppBusiness, "other")
	a, err = v.Enter(t.Context(), v.p, app.BeginConnect{Session: browserSession, Type: channel.WhatsAppBusiness}, map[string]string{
		"token": second.Credentials.AccessToken, "business": second.Credentials.Business,
	})
	require.NoError(t, err)
	_, err = v.Pick(t.Context(), v.p, browserSession, a.ID, []string{second.ID})
	require.True(t, apperr.Is(err, apperr.QuotaExceeded), "%v", err)
	require.EventuallyWithT(t, func(c *assert.CollectT) { // Meta repeats nothing that was written before
		require.Equal(c, []string{""}, postgrestest.Column(t, s.Database(),
			`SELECT fault FROM inbound_source WHERE network = 'whatsapp' AND checked_at IS NOT NULL`))
	}, soon, 100*time.Millisecond)
	s.Sandbox.Write(harness.Writes{Platform: "whatsapp", Account: "shop", From: "anna", Text: "Wie viel? 🙂"})
	of, said := d.talk("anna", 1)
	require.Equal(t, "Wie viel? 🙂", said[0].Text)
	sent := d.says(of, "Zehn.")
	require.Contains(t, []inbox.MessageState{inbox.Sent, inbox.Delivered}, sent.State, "%+v", sent.Message)
	require.Len(t, s.Sandbox.Replies("whatsapp", "shop", "anna", "Zehn."), 1)
	s.Sandbox.ReportStatus("shop", sent.ExternalID, "read", 0)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		talk, err := d.Talk(t.Context(), d.p, of, postgres.MessagePlace{}, 100)
		require.NoError(c, err)
		require.Equal(c, inbox.Read, talk.Messages[1].State)
	}, soon, 50*time.Millisecond)

	// A status proves what the lost response of the call did not.
	s.Sandbox.Inject(harness.Fault{Platform: "whatsapp", Step: "reply", Kind: "timeout_after_accept", DelayMs: 1000})
	lost := d.says(of, "Noch da?")
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		talk, err := d.Talk(t.Context(), d.p, of, postgres.MessagePlace{}, 100)
		require.NoError(c, err)
		require.Equal(c, lost.ID, talk.Messages[2].ID)
		require.Contains(c, []inbox.MessageState{inbox.Sent, inbox.Delivered}, talk.Messages[2].State)
	}, soon, 50*time.Millisecond)
	require.Len(t, s.Sandbox.Replies("whatsapp", "shop", "anna", "Noch da?"), 1)

	// The person sees that an answer followed what they wrote, and no more.
	read := func(text string) bool {
		for _, m := range s.Sandbox.Talks("whatsapp", "shop", "anna", text) {
			return m.ReadAt != nil
		}
		return false
	}
	require.Eventually(t, func() bool { return read("Wie viel? 🙂") }, soon, 50*time.Millisecond)
	s.Sandbox.Write(harness.Writes{Platform: "whatsapp", Account: "shop", From: "anna", Text: "Hallo?"})
	of, _ = d.talk("anna", 4)
	require.NoError(t, d.Looked(t.Context(), d.p, of))
	d.p.Person.Permissions = member.Admin.Permissions()
	require.NoError(t, d.SetReadsOnOpen(t.Context(), d.p, connected[0].ID, true))
	postgrestest.Exec(t, s.Database(), `DELETE FROM conversation_read`)
	require.False(t, read("Hallo?"), "the channel does not say so yet")
	of, _ = d.talk("anna", 4)
	require.NoError(t, d.Looked(t.Context(), d.p, of))
	require.Eventually(t, func() bool { return read("Hallo?") }, soon, 50*time.Millisecond)

	// After a day, only a template is sent, by the protocol of every answer.
	postgrestest.Exec(t, s.Database(), `UPDATE conversation SET last_in_at = last_in_at - interval '25 hours'`)
	err = d.Say(t.Context(), d.p, app.Draft{ID: ident.New[ident.Message](), Conversation: of.ID, Direction: inbox.Out, Text: "Spät", Seen: time.Now()})
	require.True(t, apperr.Is(err, apperr.InvalidState), "%v", err)
	all, err := d.Templates(t.Context(), d.p, of)
	require.NoError(t, err)
	require.Len(t, all, 4, "of all pages, those that a text can fill")
	id := ident.New[ident.Message]()
	require.NoError(t, d.SendTemplate(t.Context(), d.p, app.TemplateDraft{
		ID: id, Conversation: of.ID, Name: "delivery", Language: "en", Seen: time.Now(), Values: map[string]string{
			"header-0-order": "7", "body-0-first_name": "Anna", "body-0-day": "Monday", "button-0-1": "7",
		},
	}))
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		talk, err := d.Talk(t.Context(), d.p, of, postgres.MessagePlace{}, 100)
		require.NoError(c, err)
		last := talk.Messages[len(talk.Messages)-1]
		require.Equal(c, id, last.ID)
		require.Equal(c, inbox.Delivered, last.State, "%+v", last.Message)
		require.NotEmpty(c, last.Price)
	}, soon, 50*time.Millisecond)
	arrived := s.Sandbox.Replies("whatsapp", "shop", "anna", "Good news, Anna: it comes on Monday.")
	require.Len(t, arrived, 1)
	require.Equal(t, "Delivery 7", arrived[0].Details["header"])
	found, err := d.OfChannel(t.Context(), d.p, connected[0])
	require.NoError(t, err)
	require.NotEmpty(t, found.Costs)
	require.Empty(t, found.Fault)
	require.WithinDuration(t, time.Now(), found.EventAt, 2*time.Minute)
}

// TestWhatsAppRegistration connects a number that the Cloud API does not know yet.
func TestWhatsAppRegistration(t *testing.T) {
	t.Parallel()
	s := running(t)
	v := newVisitor(t, s)
	number := connectors.Of(channel.NetworkWhatsApp).SandboxAccount(channel.WhatsAppBusiness, "desk")
	second := connectors.Of(channel.NetworkWhatsApp).SandboxAccount(channel.WhatsAppBusiness, "desk-shop").ID
	a, err := v.Enter(t.Context(), v.p, app.BeginConnect{Session: browserSession, Type: channel.WhatsAppBusiness}, map[string]string{
		"token": number.Credentials.AccessToken, "business": number.Credentials.Business,
	})
	require.NoError(t, err)
	_, err = v.Pick(t.Context(), v.p, browserSession, a.ID, []string{second})
	require.Len(t, apperr.FieldsOf(err), 1)
	register := func(pin string) error {
		return v.Register(t.Context(), v.p, browserSession, a.ID, []string{number.ID, second}, map[string]string{second: pin})
	}
	require.Equal(t, "Enter six digits.", apperr.FieldsOf(register("12"))[0].Message)
	require.NoError(t, register("123456"))
	connected, err := v.Pick(t.Context(), v.p, browserSession, a.ID, []string{number.ID, second})
	require.NoError(t, err)
	require.Len(t, connected, 2)
}
