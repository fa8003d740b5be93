package faults_test

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/faults/infra"
	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// serverAlerts are the alerts of F64, networkAlerts those of F65.
func serverAlerts() []string {
	return []string{
		"ProcessDown", "ProcessNotReady", "PostsLate", "OutboxStuck", "RelayFails", "TemporalLateForWebhooks", "RequestsFail",
		"ToolsFail", "FilesUnreachable", "PagesStale", "VisitsNotCounted", "DatabasePoolFull", "MailsWait",
		"VersionEnds", "InboundStuck", "InboundForged", "InboundFailed",
		"InboundSilent", "RepliesFail", "ReplyOutcomeUnknown",
	}
}

// usual is the default of the express lane, whose alert depends on it.
const usual = "DELIVERY_EXPRESS_AFTER=1s"

// TestEveryAlertHasAFault checks that each alert is expected by a scenario.
func TestEveryAlertHasAFault(t *testing.T) {
	t.Parallel()
	expected := slices.Concat(serverAlerts(), networkAlerts())
	require.ElementsMatch(t, allAlerts(t), expected)
}

// TestF64ServersFailAndTheirAlertsFire takes the mail server, Temporal, PostgreSQL, the object store and a program away, one
// after another, and locks a table, while a real Prometheus evaluates the alerts.
func TestF64ServersFailAndTheirAlertsFire(t *testing.T) {
	store, temporal, database := infra.NewProxy(t, ""), infra.NewProxy(t, temporalAddress(t)), infra.NewProxy(t, "")
	place, err := url.Parse(endpoint(t))
	require.NoError(t, err)
	store.To(place.Host)
	l := lab.Begin(t, lab.Fault{
		ID: "F64", Title: "The mail server, Temporal, PostgreSQL, the object store and a program fail in turn; a table is locked",
		Expect: "I1 I2: each alert fires on its fault alone and ends with it; posts are published once",
	}, "S3_ENDPOINT=http://"+store.Address(), usual)
	env := []string{
		"TEMPORAL_ADDRESS=" + temporal.Address(), "DATABASE_URL=" + through(t, database, l.Database()), "DB_MAX_CONNS=6",
	}
	runWith(l, 1, env...)
	tools := l.StartTools(1, env...)
	console := l.Start("console", "").Ready()
	l.Start("pages", "", env...).Ready()
	env = append(env, "WORKER_NETWORKS=bluesky")
	other := l.Start("worker", "", env...).Ready()
	l.Start("inbound", "").Ready() // Prometheus reads the programs that run when it starts
	w := watch(t, l)
	stop := w.busy(tools.Endpoints[0])
	t.Cleanup(stop)
	w.silent(40 * time.Second)

	console.Stop()
	w.fires("the console is stopped", time.Minute, func() { l.Start("console", console.Ops()).Ready() }, nil, "ProcessDown")

	mails(t, w)

	inbound(t, w)

	other.Stop()
	other = l.Start("worker", other.Ops(), append(env, "FACEBOOK_VERSION=v20.0")...).Ready()
	w.fires("a version of a network has ended", time.Minute, func() {
		other.Stop()
		l.Start("worker", other.Ops(), env...).Ready()
	}, nil, "VersionEnds")

	away := func(p *infra.Proxy) { p.Break(infra.Fault{Closed: true}); p.Sever() }
	away(temporal)
	w.fires("Temporal is not reachable", 4*time.Minute, temporal.Heal, nil,
		"ProcessNotReady", "PostsLate", "OutboxStuck", "RelayFails", "TemporalLateForWebhooks")
	away(database)
	w.fires("PostgreSQL is not reachable", 2*time.Minute, database.Heal, []string{"PostsLate", "OutboxStuck"},
		"ProcessNotReady", "RelayFails", "RequestsFail", "ToolsFail", "PagesStale", "VisitsNotCounted")
	away(store)
	w.fires("the object store is not reachable", time.Minute, store.Heal, nil, "ProcessNotReady", "FilesUnreachable")

	release := postgrestest.Hold(t, l.Database(), `LOCK TABLE post IN ACCESS EXCLUSIVE MODE`)
	w.fires("a lock on the table of posts", 2*time.Minute, release,
		[]string{"ProcessDown", "RequestsFail", "ToolsFail", "PostsLate", "OutboxStuck", "RelayFails", "ProcessNotReady"},
		"DatabasePoolFull")
	stop()
	l.Healed()
	l.Settle(2 * time.Minute)
	for _, name := range serverAlerts() {
		require.True(t, w.fired[name], "no fault of this scenario is for %s", name)
	}
	requireAlive(t, l)
	l.Check()
}

// mails requests a mail while no mail server runs, and dates the request back, because the age in the alert's expression is
// not shortened.
func mails(t *testing.T, w *watched) {
	t.Helper()
	const address = "waiting@example.com"
	require.NoError(t, w.NewPerson(address).ForgetPassword(t.Context()))
	w.Exec(`UPDATE mail SET created_at = created_at - interval '40 minutes'`)
	w.fires("the mail server is stopped", time.Minute, func() { w.StartMailServer() }, nil, "MailsWait")
}

// inbound sends reports without a valid signature, and stores one that no worker can read while its account is locked.
func inbound(t *testing.T, w *watched) {
	t.Helper()
	stop := w.repeat(100*time.Millisecond, func() {
		forged, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.InboundURL+"/meta/whatsapp", http.NoBody)
		require.NoError(t, err)
		if response, err := w.HTTP.Do(forged); err == nil {
			_ = response.Body.Close()
		}
	})
	w.fires("reports are forged", 2*time.Minute, stop, nil, "InboundForged")
	release := postgrestest.Hold(t, w.Database(), `SELECT pg_advisory_xact_lock(hashtextextended('whatsapp ', 4))`)
	w.Exec(`INSERT INTO inbound_event (network, account, key, kind, occurred_at, body, next_at)
		VALUES ('whatsapp', '', 'x/1', 'unknown', now(), '', now() - interval '10 minutes')`)
	w.fires("a report is not read", 2*time.Minute, release, nil, "InboundStuck")
	replies(t, w)
}

// replies makes Telegram refuse answers, lose responses and end its reports, and reports what no version can read.
func replies(t *testing.T, w *watched) {
	t.Helper()
	of := w.AddInbox("shop")
	conversation := converse(t, w.Lab, harness.Writes{Platform: "telegram", Account: "shop", From: "anna", Text: "Hello"})
	reply := func() { queue(t, w.Lab, of, conversation, "Hello") }
	w.Sandbox.Inject(harness.Fault{Platform: "telegram", Step: "reply", Kind: "reject", Times: 1000})
	stop := w.repeat(200*time.Millisecond, reply)
	w.fires("a network takes no answer", 2*time.Minute, func() { stop(); w.Sandbox.Heal() }, nil, "RepliesFail")
	w.Sandbox.Inject(harness.Fault{Platform: "telegram", Step: "reply", Kind: "error_after_accept", Times: 1000})
	stop = w.repeat(200*time.Millisecond, reply)
	w.fires("responses to answers are lost", 2*time.Minute, func() { stop(); w.Sandbox.Heal() }, nil, "ReplyOutcomeUnknown")
	n := 0
	stop = w.repeat(200*time.Millisecond, func() {
		n++
		w.Exec(`INSERT INTO inbound_event (network, account, key, kind, occurred_at, body) VALUES ('whatsapp', '', $1, 'message', now(), 'x')`, strconv.Itoa(n))
	})
	w.fires("reports cannot be read", 2*time.Minute, stop, nil, "InboundFailed")
	w.Exec(`UPDATE inbound_source SET fault = 'Not reachable.'`)
	w.fires("a network does not report", 2*time.Minute, func() { w.Exec(`UPDATE inbound_source SET fault = ''`) }, nil, "InboundSilent")
}

// busy uses every program until stop is called: it creates posts, reads through the API and a tool, visits a page, and
// requests a file.
func (w *watched) busy(endpoint string) (stop func()) {
	w.t.Helper()
	page, err := linkpage.Create(linkpage.New{WorkspaceID: w.Workspace, Handle: "watched", Title: "Watched"}, time.Now().UTC())
	require.NoError(w.t, err)
	pages := postgres.NewLinkPages(w.DB)
	require.NoError(w.t, pages.Insert(w.t.Context(), page))
	_, err = pages.Change(w.t.Context(), w.Workspace, page.ID,
		func(_ context.Context, p linkpage.Page) (linkpage.Page, error) {
			return p.Publish(time.Now().UTC()), nil
		})
	require.NoError(w.t, err)
	file := w.Upload("watched.jpg", "image/jpeg", harness.Picture(w.t, 1)).URL
	agent, err := harness.NewAgent(w.t.Context(), harness.AgentConfig{Endpoint: endpoint, Token: w.Key})
	require.NoError(w.t, err)
	request := func(address string) {
		ask, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, address, http.NoBody)
		require.NoError(w.t, err)
		ask.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
		if response, err := w.HTTP.Do(ask); err == nil {
			_ = response.Body.Close()
		}
	}
	const often = 500 * time.Millisecond
	stops := []func(){
		w.repeat(often, func() { request(w.PagesURL + "/watched") }),
		w.repeat(often, func() { request(file) }),
		w.repeat(often, func() { _ = w.API.Request(w.t.Context(), http.MethodGet, "/v1/posts", nil, nil, nil) }),
		w.repeat(often, func() { _ = agent.Call(w.t.Context(), "list_channels", nil, new(map[string]any)) }),
		w.repeat(2*time.Second, func() { w.tryToPost() }),
	}
	for range 8 { // more clients than database connections
		stops = append(stops, w.repeat(often, func() {
			text := w.Text() + " as a draft"
			created, err := w.API.Posts.Create(w.t.Context(), fencepost.CreatePostsRequest{
				ChannelIDs: []string{w.Channels[channel.Threads].ID.String()}, Content: text, Schedule: "draft",
			})
			if err == nil {
				w.Remember(lab.Accepted{ID: created[0].ID, Text: text, Type: channel.Threads})
			}
		}))
	}
	return func() {
		for _, one := range stops {
			one()
		}
		_ = agent.Close()
	}
}

// tryToPost creates a post that is due at once, and does not repeat a request that fails.
func (w *watched) tryToPost() {
	p := lab.Accepted{Text: w.Text(), Type: channel.Threads, At: time.Now().Add(time.Second)}
	created, err := w.API.Posts.Create(w.t.Context(), fencepost.CreatePostsRequest{
		ChannelIDs: []string{w.Channels[p.Type].ID.String()}, Content: p.Text, Schedule: harness.At(p.At),
	})
	if err == nil {
		p.ID = created[0].ID
		w.Remember(p)
	}
}
