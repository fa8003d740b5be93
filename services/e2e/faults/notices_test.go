package faults_test

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
)

const (
	reader   = "ada@example.com"
	chatOfUs = "77" // on Telegram
)

// room has a place of each way in the workspace of a lab, and a person who gets mails.
type room struct {
	l      *lab.Lab
	store  *postgres.Mails
	farm   *lab.Farm
	server *harness.MailServer
	places []mail.Place
}

func newRoom(t *testing.T, l *lab.Lab) *room {
	t.Helper()
	l.Run(2)
	r := &room{l: l, store: postgres.NewMails(l.DB, harness.Keyring(t)), farm: lab.NewFarm(t), server: l.StartMailServer()}
	l.NewPerson(reader)
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	require.NoError(t, err)
	device, err := json.Marshal(mail.Subscription{
		Endpoint: r.farm.URL("push"), Key: base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes()),
		Auth: base64.RawURLEncoding.EncodeToString(make([]byte, 16)),
	})
	require.NoError(t, err)
	for way, address := range map[mail.Way]string{
		mail.Slack: r.farm.URL("slack"), mail.Mattermost: r.farm.URL("mattermost"), mail.Telegram: chatOfUs, mail.Push: string(device),
	} {
		p := mail.Place{
			ID: ident.New[ident.Place](), WorkspaceID: l.Workspace, Way: way, Name: string(way), Address: address, Kinds: mail.Optional(),
			CreatedAt: time.Now().UTC(),
		}
		require.NoError(t, r.store.AddPlace(t.Context(), p))
		r.places = append(r.places, p)
	}
	return r
}

// arrived returns how many messages have arrived by each way, and how many distinct ones where the way has keys.
func (r *room) arrived(t *testing.T) map[mail.Way]int {
	t.Helper()
	found := map[mail.Way]int{mail.Slack: r.farm.Count("slack"), mail.Mattermost: r.farm.Count("mattermost")}
	devices, mails := make(map[string]bool), make(map[string]bool)
	for _, g := range r.farm.Got("push") {
		devices[g.Header.Get("Topic")] = true
	}
	for _, m := range r.server.Mails(t, reader) {
		mails[m.MessageID] = true
	}
	found[mail.Push], found[mail.ByMail] = len(devices), len(mails)
	for _, e := range r.l.Sandbox.Ledger() {
		if e.Platform == "telegram" && e.Account == chatOfUs {
			found[mail.Telegram]++
		}
	}
	return found
}

// enqueue stores a message to a way, as the application does.
func (r *room) enqueue(t *testing.T, way mail.Way) {
	t.Helper()
	m := mail.New(mail.Test, r.l.Workspace, mail.Content{Actor: "Ada"}, time.Now().UTC(), time.Time{})
	m.Way = way
	for _, p := range r.places {
		if p.Way == way {
			m.Content.Hook, m.Content.Place = p.Address, p.ID
		}
	}
	if way == mail.ByMail {
		m.Content.To = email.Address(reader)
	}
	require.NoError(t, r.store.Enqueue(t.Context(), m))
}

// settle waits until no message waits.
func (r *room) settle(t *testing.T) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Equal(c, []string{"0"}, r.l.Query(t, `SELECT (SELECT count(*) FROM mail) + (SELECT count(*) FROM post_notice)`))
	}, 3*recovery, 200*time.Millisecond)
}

func methods() []mail.Way {
	return []mail.Way{mail.ByMail, mail.Slack, mail.Mattermost, mail.Telegram, mail.Push}
}

// TestF68AChannelDiesAndAWayHangs has a channel die under 40 posts while Slack hangs: everyone gets one message by each other way, and
// messages by these ways arrive as if Slack did not hang.
func TestF68AChannelDiesAndAWayHangs(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F68", Title: "A channel loses its access under 40 posts; one way of notifications hangs on every request",
		Expect: "one message per person and way; the other ways deliver within 5 s",
	}, "NOTIFY_TELEGRAM_TOKEN=100200300:sandbox-notes")
	r := newRoom(t, l)
	r.farm.Behave("slack", lab.Hang())
	const posts = 40
	for range posts {
		r.enqueue(t, mail.Slack)
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.GreaterOrEqual(c, r.farm.UnderWay(), 10) }, recovery, 50*time.Millisecond)
	l.Injected("Slack hangs on %d messages", posts)
	const limit = 5 * time.Second
	fastest := time.Hour
	for range 3 { // a busy machine delays one round, a way that holds the others up delays all
		before, began := r.arrived(t), time.Now()
		for _, way := range methods()[2:] {
			r.enqueue(t, way)
		}
		r.enqueue(t, mail.ByMail)
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			now := r.arrived(t)
			for _, way := range methods() {
				if way != mail.Slack {
					require.Equal(c, before[way]+1, now[way], way)
				}
			}
		}, recovery, 50*time.Millisecond)
		fastest = min(fastest, time.Since(began))
	}
	require.Less(t, fastest, limit)
	require.GreaterOrEqual(t, count(t, l, `SELECT count(*) FROM mail WHERE way = 'SLACK'`), posts, "none of the hanging ones is lost")

	before := r.arrived(t)
	lost := connect(l, channel.Twitter, "evicted")
	l.Sandbox.Inject(harness.Fault{Platform: "x", Account: lost.ExternalID, Step: "commit", Kind: "expired_token", Times: -1})
	l.Sandbox.Inject(harness.Fault{Platform: "x", Account: lost.ExternalID, Step: "token", Kind: "reject", Times: -1})
	due := time.Now().Add(15 * time.Second)
	for range posts {
		acceptOn(t, l, lost, due)
	}
	l.Injected("the access of a channel lost under %d posts", posts)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Equal(c, []string{strconv.Itoa(posts)}, l.Query(t, `SELECT count(*) FROM post WHERE waiting_reason = 'channel_reconnect'`))
	}, 2*recovery, 200*time.Millisecond)
	l.Sandbox.Heal()
	r.farm.Behave("slack", lab.Accept())
	l.Healed()
	r.settle(t)
	now := r.arrived(t)
	for _, way := range methods() {
		if way != mail.Slack {
			require.Equal(t, before[way]+1, now[way], "messages about the channel by %s", way)
		}
	}
	about := 0
	for _, g := range r.farm.Got("slack") {
		var body struct{ Text string }
		require.NoError(t, json.Unmarshal(g.Body, &body))
		if g.At.After(due) && len(body.Text) > 0 && body.Text[:5] == "Posts" {
			about++
		}
	}
	require.Positive(t, about, "the message by the way that hung arrived, after tries that hung")
	require.Equal(t, []string{"1"}, l.Query(t, `SELECT count(*) FROM notice WHERE kind = 'CHANNEL_LOST'`))
}

// TestF69WorkersDieWhileTheyNotify kills a worker at every step of a message, for each way.
func TestF69WorkersDieWhileTheyNotify(t *testing.T) {
	l := lab.Begin(t, lab.Fault{
		ID: "F69", Title: "A worker dies at every step of notifications: while they are made, before, while and after they are sent",
		Expect: "every message arrives; by mail and on devices a repeated one has the same key; in chats, which have no keys, it " +
			"arrives at most once more",
	}, "NOTIFY_TELEGRAM_TOKEN=100200300:sandbox-notes")
	r := newRoom(t, l)
	l.Sandbox.Inject(harness.Fault{Platform: "x", Step: "commit", Kind: "reject", Times: 1})
	acceptOn(t, l, connect(l, channel.Twitter, "refused"), time.Now().Add(time.Second))
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Equal(c, []string{"1"}, l.Query(t, `SELECT count(*) FROM post_notice`))
	}, recovery, 100*time.Millisecond)
	l.Arm(lab.Kills("notices.before_commit", 1)...)
	l.Exec(`UPDATE post_notice SET created_at = created_at - interval '3 minutes'`) // instead of waiting for other posts
	l.WaitFired("notices.before_commit", 2*recovery)
	l.Disarm()
	r.settle(t)
	for way, n := range r.arrived(t) {
		require.Equal(t, 1, n, way)
	}
	for _, point := range []string{"mailing.before_send", "mailing.after_send", "mailing.after_record"} {
		before := r.arrived(t)
		l.Arm(lab.Kills(point, 1)...)
		for _, way := range methods() {
			r.enqueue(t, way)
		}
		l.WaitFired(point, 2*recovery)
		l.Disarm()
		r.settle(t)
		for way, n := range r.arrived(t) {
			most := before[way] + 1
			switch way {
			case mail.Slack, mail.Mattermost, mail.Telegram:
				most++
			case mail.ByMail, mail.Push: // counted by their keys
			}
			require.GreaterOrEqual(t, n, before[way]+1, "%s lost by %s", point, way)
			require.LessOrEqual(t, n, most, "%s repeated by %s", point, way)
		}
	}
	l.Healed()
	l.Check()
}
