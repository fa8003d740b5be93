package postgres_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

func (b *bundle) mails(t *testing.T) *postgres.Mails {
	t.Helper()
	return postgres.NewMails(b.db, keyring(t))
}

// started passes every message of the urgent lane to the relay, and returns the mails that it starts.
func (b *bundle) started(t *testing.T) []ident.Mail {
	t.Helper()
	var started []ident.Mail
	_, err := b.outbox.Batch(t.Context(), postgres.LaneUrgent, 100,
		func(messages []postgres.Message) (done []int64, failed map[int64]postgres.Retry) {
			for _, m := range messages {
				if done = append(done, m.ID); m.Kind == "mail" {
					started = append(started, inputOf[flow.MailInput](t, m).MailID)
				}
			}
			return done, nil
		})
	require.NoError(t, err)
	return started
}

func TestMailsAreStoredWithTheirCause(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mails := b.mails(t)
	content := mail.Content{To: "ada@example.com", Secret: "svc_inv_canary", Workspace: "Acme"}
	lost := mail.New(mail.Invitation, b.ws.ID, content, b.now, time.Time{})
	require.Error(t, b.db.WithinTx(t.Context(), func(ctx context.Context) error {
		require.NoError(t, mails.Enqueue(ctx, lost))
		return errors.New("the cause did not happen")
	}))
	require.Empty(t, b.started(t))
	_, err := mails.Load(t.Context(), lost.ID)
	require.True(t, apperr.Is(err, apperr.NotFound))

	kept := mail.New(mail.Invitation, b.ws.ID, content, b.now, time.Time{})
	personal := mail.New(mail.PasswordReset, ident.Workspace{}, content, b.now, b.now.Add(time.Hour))
	for _, m := range []mail.Mail{kept, personal} {
		require.NoError(t, mails.Enqueue(t.Context(), m))
		got, err := mails.Load(t.Context(), m.ID)
		require.NoError(t, err)
		require.Equal(t, m, got)
	}
	for _, row := range postgrestest.Column(t, b.address,
		`SELECT m::text || encode(content, 'escape') FROM mail m UNION ALL SELECT o::text FROM outbox o`) {
		require.NotContains(t, row, "canary")
		require.NotContains(t, row, "ada@")
	}
	require.ElementsMatch(t, []ident.Mail{kept.ID, personal.ID}, b.started(t))
	count, _, err := mails.Waiting(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, count)
	for range 2 { // deleting again changes nothing
		require.NoError(t, mails.Delete(t.Context(), kept.ID))
	}
	_, err = mails.Load(t.Context(), kept.ID)
	require.True(t, apperr.Is(err, apperr.NotFound))
}

// TestSweepFindsMailsWithoutWorkflow checks that a mail between two tries is left alone.
func TestSweepFindsMailsWithoutWorkflow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mails := b.mails(t)
	m := mail.New(mail.PasswordReset, ident.Workspace{}, mail.Content{To: "a@example.com"}, b.now, time.Time{})
	require.NoError(t, mails.Enqueue(t.Context(), m))
	require.Equal(t, []ident.Mail{m.ID}, b.started(t))
	sweep := func(grace time.Duration) []ident.Mail {
		_, err := b.outbox.EnqueueOverdue(t.Context(), grace, 10)
		require.NoError(t, err)
		return b.started(t)
	}
	require.Empty(t, sweep(time.Minute), "it is being sent")
	require.NoError(t, mails.Postpone(t.Context(), m.ID, time.Hour, "The mail server cannot be reached."))
	require.Empty(t, sweep(0), "it waits for its next try")
	require.NoError(t, mails.Postpone(t.Context(), m.ID, -time.Hour, "again"))
	require.Equal(t, []ident.Mail{m.ID}, sweep(time.Minute))
	require.Empty(t, sweep(time.Minute), "it was found")
	require.Equal(t, []string{"2 again"}, postgrestest.Column(t, b.address, `SELECT tries || ' ' || last_error FROM mail`))
	_, err := b.outbox.EnqueueAll(t.Context())
	require.NoError(t, err)
	require.Equal(t, []ident.Mail{m.ID}, b.started(t), "Temporal lost its store")
}

func turnOff(t *testing.T, db *postgres.DB, id ident.User, kinds ...mail.Kind) error {
	t.Helper()
	return postgres.NewUsers(db).SetChoices(t.Context(), id, postgres.Choices{MailsOff: kinds, Quiet: mail.Quiet{Zone: "UTC"}})
}

// people adds members with these roles and returns their addresses by role.
func (b *bundle) people(t *testing.T, roles ...member.Role) map[member.Role]user.User {
	t.Helper()
	users, created := postgres.NewUsers(b.db), make(map[member.Role]user.User)
	for _, role := range roles {
		u, err := user.New(string(role)+"@example.com", "Ada", "hash", b.now)
		require.NoError(t, err)
		_, err = users.Insert(t.Context(), u)
		require.NoError(t, err)
		require.NoError(t, users.Join(t.Context(), u.ID, b.ws.ID, role, b.now))
		created[role] = u
	}
	return created
}

// recipients returns kind and address of each mail, and deletes the mails.
func (b *bundle) recipients(t *testing.T) map[string]mail.Mail {
	t.Helper()
	found := make(map[string]mail.Mail)
	for _, id := range b.started(t) {
		m, err := b.mails(t).Load(t.Context(), id)
		require.NoError(t, err)
		found[string(m.Kind)+" "+string(m.Content.To)] = m
		require.NoError(t, b.mails(t).Delete(t.Context(), id))
	}
	return found
}

func TestRemindersOfExpiringConnections(t *testing.T) {
	t.Parallel()
	b := setup(t)
	people := b.people(t, member.Owner, member.Admin, member.Editor, member.Viewer)
	require.NoError(t, turnOff(t, b.db, people[member.Admin].ID, mail.ChannelLost))
	remind := func(at time.Time) map[string]mail.Mail {
		_, err := b.mails(t).Remind(t.Context(), at)
		require.NoError(t, err)
		return b.recipients(t)
	}
	require.Empty(t, remind(b.now), "no connection ends")
	end := b.now.Add(6 * 24 * time.Hour).Truncate(time.Second)
	postgrestest.Exec(t, b.address, `UPDATE channel SET token_status = 'EXPIRING', token_end_at = $1`, end)
	got := remind(b.now)
	require.Len(t, got, 2, "an owner and an admin may connect channels: %v", got)
	sent := got["CHANNELS_EXPIRING OWNER@example.com"]
	require.Contains(t, got, "CHANNELS_EXPIRING ADMIN@example.com")
	require.Equal(t, "Acme", sent.Content.Workspace)
	require.Equal(t, b.ws.ID, sent.WorkspaceID)
	require.Len(t, sent.Content.Channels, 1)
	require.Equal(t, "Acme on X", sent.Content.Channels[0].Name)
	require.Equal(t, "X", sent.Content.Channels[0].Network)
	require.True(t, sent.Content.Channels[0].EndsAt.Equal(end))
	require.Empty(t, remind(b.now.Add(22*time.Hour)), "once a day")
	require.NoError(t, turnOff(t, b.db, people[member.Admin].ID, mail.ChannelsExpiring))
	require.Len(t, remind(b.now.Add(24*time.Hour)), 1, "the admin turned them off")
	require.Empty(t, remind(end.Add(time.Minute)), "it has ended")
}

// TestRemindersStayInTheirWorkspace has a connection end in each of two workspaces.
func TestRemindersStayInTheirWorkspace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.tenant(t)
	theirs := b.channelOf(t, other)
	b.member(t, "ours@example.com", b.ws)
	b.member(t, "theirs@example.com", other)
	postgrestest.Exec(t, b.address, `UPDATE channel SET token_status = 'EXPIRING', token_end_at = $1`, b.now.Add(time.Hour))
	sent, err := b.mails(t).Remind(t.Context(), b.now)
	require.NoError(t, err)
	require.Equal(t, 2, sent)
	named := make(map[string][]string)
	for _, m := range b.recipients(t) {
		for _, c := range m.Content.Channels {
			named[string(m.Content.To)+" of "+m.Content.Workspace] = append(named[string(m.Content.To)+" of "+m.Content.Workspace], c.Name)
		}
	}
	require.Equal(t, map[string][]string{
		"ours@example.com of Acme": {b.ch.Name}, "theirs@example.com of Other": {theirs.Name},
	}, named)
}

// TestOneMailPerLostConnection checks that people are notified once about a channel for which posts wait, and again after it
// was connected and lost again.
func TestOneMailPerLostConnection(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.people(t, member.Owner)
	mails := b.mails(t)
	notified := func() int {
		sent, err := mails.NotifyLoss(t.Context(), b.ch.ID, b.now)
		require.NoError(t, err)
		return sent
	}
	require.Zero(t, notified(), "the channel is connected")
	postgrestest.Exec(t, b.address, `UPDATE channel SET token_status = 'NEEDS_RECONNECT'`)
	require.Equal(t, 1, notified())
	require.Contains(t, b.recipients(t), "CHANNEL_LOST OWNER@example.com")
	require.Zero(t, notified())
	require.NoError(t, b.channels.Replace(t.Context(), b.ch, b.credentials()))
	postgrestest.Exec(t, b.address, `UPDATE channel SET token_status = 'NEEDS_RECONNECT'`)
	b.scheduled(t)
	sent, err := mails.Remind(t.Context(), b.now)
	require.NoError(t, err)
	require.Zero(t, sent, "no post waits")
	postgrestest.Exec(t, b.address, `UPDATE post SET waiting_reason = $1, waiting_until = now()`, string(post.WaitReconnect))
	sent, err = mails.Remind(t.Context(), b.now)
	require.NoError(t, err)
	require.Equal(t, 1, sent, "a crash kept it back")
	require.Zero(t, notified())
}
