package replying_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/replying"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/access"
	"fencepost.internal/shared/platform/platformtest"
)

// network is a network that takes answers, or fails to.
type network struct {
	failures []error // of the next calls; nil: taken
	calls    []platform.Reply
	unread   []error // failures of the next receipts; none: taken
	read     []platform.Receipt
	uploads  []error // of the next uploads; nil: taken
	uploaded int
}

func (*network) Types() []channel.Type { return []channel.Type{channel.TelegramBusiness} }

func (*network) Identify(context.Context, platform.Account) (platform.Identity, error) {
	return platform.Identity{}, nil
}

func (*network) Term(platform.Account) platform.Term { return platform.Term{} }

func (*network) Refresh(_ context.Context, a platform.Account) (channel.Credentials, error) {
	return a.Credentials, nil
}

func (n *network) SendReply(ctx context.Context, _ platform.Account, r platform.Reply) (string, error) {
	n.calls = append(n.calls, r)
	if _, limited := platform.SendBy(ctx); !limited {
		return "", errors.New("the call has no time")
	}
	if len(n.failures) > 0 {
		failure := n.failures[0]
		n.failures = n.failures[1:]
		if failure != nil {
			return "", failure
		}
	}
	return "21/" + r.ID.String(), nil
}

func (n *network) UploadReply(context.Context, platform.Account, platform.Reply) (string, error) {
	n.uploaded++
	if len(n.uploads) == 0 {
		return "handle", nil
	}
	failure := n.uploads[0]
	n.uploads = n.uploads[1:]
	return "handle", failure
}

type bundle struct {
	*replying.Replying

	files *platformtest.Storage
	file  platformtest.Attachment

	net      *network
	db       *postgres.DB
	receipts *postgres.Receipts
	store    *postgres.Replies
	talks    *postgres.Conversations
	ch       channel.Channel
	of       ident.Conversation
	address  string
}

func setup(t *testing.T, failures ...error) *bundle {
	t.Helper()
	return setupOn(t, func(n *network) platform.Link { return n }, failures...)
}

func setupOn(t *testing.T, link func(*network) platform.Link, failures ...error) *bundle {
	t.Helper()
	key, err := secretbox.NewKey("test", bytes.Repeat([]byte{7}, 32))
	require.NoError(t, err)
	box, err := secretbox.NewKeyring([]secretbox.Key{key})
	require.NoError(t, err)
	b := &bundle{net: &network{failures: failures}, of: ident.New[ident.Conversation](), file: platformtest.Picture(t, 1)}
	b.files = platformtest.Files(t, b.file)
	db, address := postgrestest.OpenURL(t)
	b.db, b.receipts = db, postgres.NewReceipts(db, box)
	b.address, b.store, b.talks = address, postgres.NewReplies(db, box), postgres.NewConversations(db)
	channels := postgres.NewChannels(db, box)
	keeper, err := access.New(channels, clock.System())
	require.NoError(t, err)
	links, err := platform.NewRegistry(link(b.net))
	require.NoError(t, err)
	b.Replying, err = replying.New(replying.Config{
		Store: b.store, Access: keeper, Connectors: links, Files: b.files, Clock: clock.System(), Logger: slog.New(slog.DiscardHandler),
		Metrics: replying.NewMetrics(prometheus.NewRegistry()), SendWindow: 15 * time.Second, Timeout: time.Minute, RetryScale: 1,
	})
	require.NoError(t, err)
	tenant := ident.New[ident.Workspace]()
	require.NoError(t, postgres.NewWorkspaces(db).Insert(t.Context(), workspace.Workspace{
		ID: tenant, Name: "Acme", Plan: workspace.Growth, Timezone: "UTC", CreatedAt: time.Now(),
	}))
	b.ch = channel.Channel{
		ID: ident.New[ident.Channel](), WorkspaceID: tenant, Type: channel.TelegramBusiness, Name: "Acme", ExternalID: "9:7",
		IsConnected: true, TokenStatus: channel.TokenHealthy, Timezone: "UTC", CreatedAt: time.Now(),
	}
	require.NoError(t, channels.Insert(t.Context(), b.ch, channel.Credentials{AccessToken: "a"}))
	person := ident.New[ident.Person]()
	postgrestest.Exec(t, address, `INSERT INTO person (id, workspace_id, name) VALUES ($1, $2, 'Anna')`, person.String(), tenant.String())
	postgrestest.Exec(t, address, `INSERT INTO conversation (id, workspace_id, channel_id, kind, thread, person_id, state, last_at, last_in_at)
		VALUES ($1, $2, $3, 'MESSAGES', '21', $4, 'OPEN', now(), now())`, b.of.String(), tenant.String(), b.ch.ID.String(), person.String())
	return b
}

// queue queues an answer and returns the input of its steps.
func (b *bundle) queue(t *testing.T, files ...inbox.MessageFile) flow.ReplyInput {
	t.Helper()
	m := inbox.Message{
		Files: files,
		ID:    ident.New[ident.Message](), ConversationID: b.of, WorkspaceID: b.ch.WorkspaceID, ChannelID: b.ch.ID, Direction: inbox.Out,
		Text: "An answer", State: inbox.Queued, SentAt: time.Now(),
	}
	queued, err := b.store.Queue(t.Context(), m, channel.NetworkTelegram, nil)
	require.NoError(t, err)
	require.True(t, queued)
	return flow.ReplyInput{MessageID: m.ID, WorkspaceID: m.WorkspaceID, Network: channel.NetworkTelegram}
}

func (b *bundle) step(t *testing.T, in flow.ReplyInput) flow.ReplyOutcome {
	t.Helper()
	out, err := b.Send(t.Context(), in)
	require.NoError(t, err)
	return out
}

func (b *bundle) message(t *testing.T, in flow.ReplyInput) inbox.Message {
	t.Helper()
	m, err := b.talks.Message(t.Context(), b.of, in.MessageID)
	require.NoError(t, err)
	return m
}

// TestReplyIsSentOnce checks that a step that is repeated sends nothing.
func TestReplyIsSentOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	in := b.queue(t)
	require.Equal(t, flow.ReplyOutcome{Done: true, Note: "Sent."}, b.step(t, in))
	require.True(t, b.step(t, in).Done)
	require.Len(t, b.net.calls, 1)
	b.net.calls[0].Files = nil
	require.Equal(t, platform.Reply{ID: in.MessageID, Thread: "21", Text: "An answer", Kind: inbox.Messages}, b.net.calls[0])
	require.Zero(t, b.net.uploaded)
	m := b.message(t, in)
	require.Equal(t, inbox.Sent, m.State)
	require.Equal(t, "21/"+in.MessageID.String(), m.ExternalID)
	in.MessageID = ident.New[ident.Message]()
	require.True(t, b.step(t, in).Done, "it is gone")
}

// TestFailuresOfReplies checks how an answer continues after each class of failure.
func TestFailuresOfReplies(t *testing.T) {
	t.Parallel()
	until := time.Now().Add(time.Minute)
	for class, want := range map[platform.Class]struct {
		state inbox.MessageState
		done  bool
	}{
		platform.ClassTransient:   {inbox.Queued, false},
		platform.ClassRateLimited: {inbox.Queued, false},
		platform.ClassReconnect:   {inbox.Queued, false},
		platform.ClassOperator:    {inbox.Queued, false},
		platform.ClassRejected:    {inbox.Failed, true},
		platform.ClassUser:        {inbox.Failed, true},
		platform.ClassUnknown:     {inbox.Unknown, true},
		"new":                     {inbox.Unknown, true},
	} {
		t.Run(string(class), func(t *testing.T) {
			t.Parallel()
			b := setup(t, &platform.Failure{Class: class, Code: "CODE", Message: "What happened.", Until: until})
			in := b.queue(t)
			out := b.step(t, in)
			require.Equal(t, want.done, out.Done)
			require.Equal(t, want.done, out.Refused)
			m := b.message(t, in)
			require.Equal(t, want.state, m.State)
			require.Len(t, b.net.calls, 1)
			switch want.state { //nolint:exhaustive // the others need no more
			case inbox.Queued:
				require.Positive(t, out.Wait)
				if class != platform.ClassReconnect {
					require.Equal(t, "Sent.", b.step(t, in).Note)
				} else {
					require.Positive(t, b.step(t, in).Wait, "until the channel is connected again")
				}
			case inbox.Failed:
				require.Equal(t, "What happened.", m.FailureMessage)
				got, err := b.talks.Get(t.Context(), b.ch.WorkspaceID, ident.User{}, b.of)
				require.NoError(t, err)
				require.True(t, got.Unanswered(), "the person still waits")
			case inbox.Unknown:
				require.Contains(t, m.FailureMessage, "may have arrived")
				require.True(t, b.step(t, in).Done)
				require.Len(t, b.net.calls, 1, "it is not sent again")
			}
		})
	}
}

// TestDeadSender checks that the answer of a sender that died is unknown after the longest time of the call, and not before.
func TestDeadSender(t *testing.T) {
	t.Parallel()
	b := setup(t)
	in := b.queue(t)
	n, err := b.store.Intend(t.Context(), in.MessageID, 0)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.InDelta(t, 85, b.step(t, in).Wait.Seconds(), 20)
	postgrestest.Exec(t, b.address, `UPDATE reply_attempt SET sent_at = now() - interval '90 seconds'`)
	require.True(t, b.step(t, in).Refused)
	require.Equal(t, inbox.Unknown, b.message(t, in).State)
	require.Empty(t, b.net.calls)
}

// finding is a network that can be asked for an answer.
type finding struct {
	*network

	found string
	err   error
}

func (f *finding) FindReply(context.Context, platform.Account, platform.Reply, time.Time) (string, error) {
	return f.found, f.err
}

// TestLostRepliesAreLookedFor checks that an answer whose response was lost is looked for once its call is over: found, it is sent;
// certainly absent, it is sent again; and without a clear response, a person decides.
func TestLostRepliesAreLookedFor(t *testing.T) {
	t.Parallel()
	over := func(b *bundle, age string) {
		postgrestest.Exec(t, b.address, `UPDATE reply_attempt SET sent_at = now() - $1::interval WHERE state = 'SENT'`, age)
	}
	lost := &platform.Failure{Class: platform.ClassUnknown, Code: "LOST"}
	net := &finding{}
	b := setupOn(t, func(n *network) platform.Link {
		net.network = n
		return net
	}, lost, lost)
	in := b.queue(t)
	require.Positive(t, b.step(t, in).Wait)
	require.InDelta(t, 85, b.step(t, in).Wait.Seconds(), 20, "the call may still arrive")
	over(b, "90 seconds")
	net.err = errors.New("down")
	require.Positive(t, b.step(t, in).Wait)
	require.Equal(t, inbox.Queued, b.message(t, in).State)
	net.err = nil
	require.Positive(t, b.step(t, in).Wait, "it is absent")
	require.Len(t, net.calls, 1)
	require.Positive(t, b.step(t, in).Wait, "and lost again")
	require.Len(t, net.calls, 2)
	over(b, "90 seconds")
	net.found = "21/found"
	require.Equal(t, "Sent.", b.step(t, in).Note)
	require.Equal(t, "21/found", b.message(t, in).ExternalID)
	require.Len(t, net.calls, 2)

	net.failures, net.err = []error{lost}, errors.New("down")
	in = b.queue(t)
	require.Positive(t, b.step(t, in).Wait)
	over(b, "31 minutes")
	require.True(t, b.step(t, in).Refused)
	require.Equal(t, inbox.Unknown, b.message(t, in).State)
}

// TestRepliesThatMustNotBeSent checks the reasons for which nothing is sent.
func TestRepliesThatMustNotBeSent(t *testing.T) {
	t.Parallel()
	for code, change := range map[string]string{
		replying.CodeWindowClosed: `UPDATE conversation SET last_in_at = now() - interval '24 hours'`,
		replying.CodeUnanswerable: `UPDATE channel SET is_connected = false`,
	} {
		b := setup(t)
		in := b.queue(t)
		postgrestest.Exec(t, b.address, change)
		require.True(t, b.step(t, in).Refused)
		require.Equal(t, code, b.message(t, in).FailureCode)
		require.Empty(t, b.net.calls)
	}
}

// TestTriesOfRepliesEnd checks that an answer that the network never takes fails.
func TestTriesOfRepliesEnd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 20 {
		b.net.failures = append(b.net.failures, &platform.Failure{Class: platform.ClassTransient, Code: "DOWN"})
	}
	in := b.queue(t)
	var waits []time.Duration
	for out := b.step(t, in); !out.Done; out = b.step(t, in) {
		waits = append(waits, out.Wait)
	}
	require.Len(t, waits, 8)
	require.Less(t, waits[0], waits[7])
	require.Equal(t, inbox.Failed, b.message(t, in).State)
}

// attach adds the picture to the library, and returns it as the file of an answer.
func (b *bundle) attach(t *testing.T) inbox.MessageFile {
	t.Helper()
	asset := b.file.Asset
	asset.WorkspaceID, asset.CreatedAt, asset.Name = b.ch.WorkspaceID, time.Now(), "cat.png"
	asset = postgrestest.Asset(t, b.db, asset)
	return inbox.MessageFile{N: 1, Name: asset.Name, Type: asset.ContentType, State: inbox.Ready, MediaID: asset.ID}
}

// TestReplyWithFile uploads a file before the fence: once, whatever becomes of the call, and again after a failed upload.
func TestReplyWithFile(t *testing.T) {
	t.Parallel()
	down := &platform.Failure{Class: platform.ClassTransient, Code: "DOWN"}
	b := setup(t, down)
	b.net.uploads = []error{down, down}
	in := b.queue(t, b.attach(t))
	first := b.step(t, in).Wait
	require.Greater(t, b.step(t, in).Wait, first, "failed uploads are tries")
	require.Empty(t, b.net.calls)
	require.Positive(t, b.step(t, in).Wait, "the call fails")
	require.Equal(t, "Sent.", b.step(t, in).Note)
	require.Equal(t, 3, b.net.uploaded)
	require.Len(t, b.net.calls, 2)
	for _, call := range b.net.calls {
		require.Equal(t, "handle", call.Handle)
		require.Len(t, call.Media, 1)
	}
	require.Zero(t, b.files.Unclosed())
	require.Equal(t, []string{"REJECTED", "REJECTED", "REJECTED", "CONFIRMED"}, postgrestest.Column(t, b.address, `SELECT state FROM reply_attempt ORDER BY n`))
}

// TestReplyWithoutItsFile checks answers whose file is gone, or cannot be read.
func TestReplyWithoutItsFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	in := b.queue(t, b.attach(t))
	b.files.Fail(&platform.Failure{Class: platform.ClassRejected, Code: "DAMAGED", Message: "The file is damaged."})
	require.True(t, b.step(t, in).Refused)
	require.Equal(t, "The file is damaged.", b.message(t, in).FailureMessage)
	b.files.Fail(nil)
	b.file.Asset.ID = ident.New[ident.Media]()
	in = b.queue(t, b.attach(t))
	postgrestest.Exec(t, b.address, `DELETE FROM media`)
	require.True(t, b.step(t, in).Refused)
	require.Contains(t, b.message(t, in).FailureMessage, "deleted from the media library")
	require.Empty(t, b.net.calls)
	require.Zero(t, b.net.uploaded)
}
