package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	actrenewing "fencepost.internal/activities/renewing"
	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/access"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/platformtest"
	"fencepost.internal/workflows/background"
)

const lifetimeDay = 24 * time.Hour

// start is after the release of the API versions that the connectors use.
var lifetimeStart = time.Date(2026, time.October, 1, 9, 0, 0, 0, time.UTC)

// world is the service and the networks, which share one clock. The networks are called over HTTP.
type lifetimeWorld struct {
	clock    *clocktest.Fake
	db       *postgres.DB
	channels *postgres.Channels
	keeper   *access.Keeper
	links    *platform.Registry
	renewer  *actrenewing.Renewer
	network  *Sandbox
	tenant   ident.Workspace
	created  map[string]channel.Channel // by name
	renewals int
}

func setupLifetimes(t *testing.T) *lifetimeWorld {
	t.Helper()
	w := &lifetimeWorld{clock: clocktest.New(lifetimeStart), created: make(map[string]channel.Channel)}
	w.connectNetworks(t)
	key, err := secretbox.NewKey("test", bytes.Repeat([]byte{7}, 32))
	require.NoError(t, err)
	box, err := secretbox.NewKeyring([]secretbox.Key{key})
	require.NoError(t, err)
	w.db, _ = postgrestest.OpenURL(t)
	w.channels = postgres.NewChannels(w.db, box)
	w.keeper, err = access.New(w.channels, w.clock)
	require.NoError(t, err)
	w.renewer, err = actrenewing.New(actrenewing.Config{
		Store: postgres.NewRenewals(w.db, box), Access: w.keeper, Networks: w.links, Clock: w.clock,
		Logger: slog.New(slog.DiscardHandler), Metrics: actrenewing.NewMetrics(prometheus.NewRegistry()), RetryScale: 1,
	})
	require.NoError(t, err)
	w.tenant = ident.New[ident.Workspace]()
	require.NoError(t, postgres.NewWorkspaces(w.db).Insert(t.Context(), workspace.Workspace{
		ID: w.tenant, Name: "Acme", Plan: workspace.Growth, Timezone: "UTC", CreatedAt: lifetimeStart,
	}))
	return w
}

// connectNetworks starts the sandbox networks, with one LinkedIn application for profiles and one for pages.
func (w *lifetimeWorld) connectNetworks(t *testing.T) {
	t.Helper()
	var err error
	w.network, err = New(context.WithoutCancel(t.Context()), Config{
		Folder: t.TempDir(), Clock: w.clock, Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry(),
	})
	require.NoError(t, err)
	server := httptest.NewServer(w.network.Handler)
	t.Cleanup(func() {
		w.network.Release()
		server.Close()
		require.NoError(t, w.network.Close())
	})
	environment := connectors.Environment{SandboxURL: server.URL}
	environment.LinkedIn.ClientID, environment.LinkedIn.PageClientID = "profiles", "pages"
	environment.LinkedIn.ClientSecret = config.NewSecret("secret of profiles")
	environment.LinkedIn.PageClientSecret = config.NewSecret("secret of pages")
	w.links, err = connectors.New(environment, w.clock, 0)
	require.NoError(t, err)
}

// account is an account to connect, as an operator does with the token response of its network.
type account struct {
	name string
	typ  channel.Type
	life time.Duration // of the access token; zero: the response names none
	edit func(c *channel.Credentials)
}

func withoutRefreshToken(c *channel.Credentials) { c.RefreshToken = "" }

// viaFacebook turns the credentials of Instagram Login into those of Facebook Login.
func viaFacebook(c *channel.Credentials) {
	c.AccessToken, c.Variant = c.AccessToken+"@page", channel.FacebookLogin
}

// accounts returns an account of every type that this build has a link for, and both variants where there are two.
func accounts() []account {
	return []account{
		{"x", channel.Twitter, 2 * time.Hour, nil},
		{"threads", channel.Threads, 60 * lifetimeDay, nil},
		{"threads, its end unknown", channel.Threads, 0, nil},
		{"telegram", channel.TelegramChannel, 0, nil},
		{"linkedin page", channel.LinkedInPage, 60 * lifetimeDay, nil},
		{"facebook", channel.FacebookPage, 0, nil},
		{"instagram", channel.InstagramProfessional, 60 * lifetimeDay, nil},
		{"instagram via facebook", channel.InstagramProfessional, 0, viaFacebook},
		{"google", channel.GoogleBusiness, time.Hour, nil},
		{"youtube", channel.YouTube, time.Hour, nil},
		{"pinterest", channel.Pinterest, 30 * lifetimeDay, nil},
		{"tiktok", channel.TikTokPersonal, 2 * time.Hour, nil},
		{"tiktok business", channel.TikTokBusiness, lifetimeDay, nil},
		{"bluesky", channel.Bluesky, 2 * time.Hour, nil},
		{"mastodon", channel.Mastodon, 0, nil},
	}
}

func (w *lifetimeWorld) connect(t *testing.T, a account) {
	t.Helper()
	name := fmt.Sprintf("acme%d", len(w.created))
	found := connectors.Of(a.typ.Network()).SandboxAccount(a.typ, name)
	if a.life > 0 {
		found.Credentials.ExpiresAt = w.clock.Now().Add(a.life)
	}
	if a.edit != nil {
		a.edit(&found.Credentials)
	}
	found.Credentials.StoredAt = w.clock.Now()
	c := channel.Channel{
		ID: ident.New[ident.Channel](), WorkspaceID: w.tenant, Name: a.name, Type: a.typ, Username: name,
		ExternalID: found.ID, IsConnected: true, TokenStatus: channel.TokenHealthy, Timezone: "UTC",
		CreatedAt: w.clock.Now(),
	}
	link, _ := w.links.Link(channel.Channel{Type: a.typ})
	_, err := link.Identify(t.Context(), access.AccountOf(c, found.Credentials)) // as the operator's command does
	require.NoError(t, err, a.name)
	require.NoError(t, w.channels.Insert(t.Context(), c, found.Credentials))
	w.created[a.name] = c
}

// sweep runs the workflows of one sweep, with the real activities. With renewals disabled it only recomputes the token
// status.
func (w *lifetimeWorld) sweep(t *testing.T, renews bool) {
	t.Helper()
	var due []flow.RenewalInput
	env := w.environment()
	env.RegisterActivityWithOptions(func(ctx context.Context, page flow.RenewalsPage) (flow.RenewalsFound, error) {
		found, err := w.renewer.Sweep(ctx, page)
		due = append(due, found.Due...)
		return found, err
	}, activity.RegisterOptions{Name: flow.ActivitySweepRenewals})
	env.OnWorkflow(flow.WorkflowRenewal, mock.Anything, mock.Anything).Return(nil) // outlives its sweep: see below
	env.ExecuteWorkflow(background.RenewalSweep, flow.RenewalsPage{})
	require.NoError(t, env.GetWorkflowError())
	if !renews {
		return
	}
	for _, in := range due {
		w.renewals++
		env := w.environment()
		env.ExecuteWorkflow(background.Renewal, in)
		if err := env.GetWorkflowError(); err != nil {
			require.ErrorContains(t, err, "CHANNEL_NEEDS_RECONNECT")
		}
	}
}

func (w *lifetimeWorld) environment() *testsuite.TestWorkflowEnvironment {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestWorkflowEnvironment()
	env.SetStartTime(w.clock.Now())
	env.SetTestTimeout(time.Minute)
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Minute}) // a busy machine is not a deadlock
	env.RegisterWorkflowWithOptions(background.RenewalSweep, workflow.RegisterOptions{Name: flow.WorkflowRenewalSweep})
	env.RegisterWorkflowWithOptions(background.Renewal, workflow.RegisterOptions{Name: flow.WorkflowRenewal})
	env.RegisterActivityWithOptions(w.renewer.Renew, activity.RegisterOptions{Name: flow.ActivityRenew})
	return env
}

// pass lets days pass, with a sweep on each.
func (w *lifetimeWorld) pass(t *testing.T, days int, renews bool) {
	t.Helper()
	for range days {
		w.clock.Advance(lifetimeDay)
		w.sweep(t, renews)
	}
}

// use publishes a post to the channel, or reads its figures if this build cannot publish to its network. It returns the
// failure.
func (w *lifetimeWorld) use(t *testing.T, name string) error {
	t.Helper()
	c := w.created[name]
	link, _ := w.links.Link(c)
	connector, publishes := w.links.For(channel.Channel{Type: c.Type})
	return w.keeper.Do(t.Context(), link, c, func(ctx context.Context, a platform.Account) error {
		if publishes {
			return publish(platform.WithSendBy(ctx, w.clock.Now().Add(time.Minute)), t, connector, a, name)
		}
		source, reads := link.(platform.Insighter)
		require.True(t, reads, name)
		yesterday := analytics.DateOf(w.clock.Now()).Add(-1)
		_, err := source.AccountInsights(ctx, a, yesterday, yesterday)
		return err
	})
}

func publish(ctx context.Context, t *testing.T, connector platform.Connector, a platform.Account, name string) error {
	t.Helper()
	picture := platformtest.Picture(t, 1)
	content := platform.Content{PostID: ident.New[ident.Post](), ContentType: post.ContentPost, Text: "Hello from " + name}
	if lister, sorts := connector.(platform.BoardLister); sorts {
		boards, err := lister.Boards(ctx, a)
		if err != nil {
			return err
		}
		content.Options.BoardID = boards[0].ID
	}
	switch a.Type { //nolint:exhaustive // the others publish text
	case channel.InstagramProfessional, channel.Pinterest:
		content.Media, content.Files = []media.Asset{picture.Asset}, platformtest.Files(t, picture)
	case channel.YouTube, channel.TikTokPersonal, channel.TikTokBusiness:
		video := platformtest.Video(300_000)
		content.ContentType, content.Title = post.ContentVideo, "Hello"
		content.Media, content.Files = []media.Asset{video.Asset}, platformtest.Files(t, video)
	}
	ready := platform.Preparation{}
	for range 50 {
		var err error
		if ready, err = connector.Prepare(ctx, a, content, ready.Handle); err != nil {
			return err
		}
		if ready.Ready {
			_, err = connector.Commit(ctx, a, content, ready.Handle)
			return err
		}
	}
	require.Fail(t, "never ready", name)
	return nil
}

func (w *lifetimeWorld) status(t *testing.T, name string) channel.TokenStatus {
	t.Helper()
	found, err := w.channels.Get(t.Context(), w.tenant, w.created[name].ID)
	require.NoError(t, err)
	return found.TokenStatus
}

// timeline returns what happened to the channel's connection.
func (w *lifetimeWorld) timeline(t *testing.T, name string) []string {
	t.Helper()
	notes, err := w.channels.Timeline(t.Context(), w.created[name].ID, 1000)
	require.NoError(t, err)
	texts := make([]string, len(notes))
	for i, n := range notes {
		texts[i] = fmt.Sprintf("day %d: %s, %s", n.At.Sub(lifetimeStart)/lifetimeDay, n.Kind, n.Detail)
	}
	return texts
}

// TestChannelsStayConnectedWithRenewals moves the clock 61 days, day by day. Every channel of every network stays connected and
// publishes, except a LinkedIn profile, which only a person can extend: it is EXPIRING in its last week, and then needs
// to be reconnected.
func TestChannelsStayConnectedWithRenewals(t *testing.T) {
	t.Parallel()
	w := setupLifetimes(t)
	for _, a := range accounts() {
		w.connect(t, a)
	}
	w.connect(t, account{"linkedin profile", channel.LinkedInProfile, 60 * lifetimeDay, withoutRefreshToken})
	w.pass(t, 5, true)
	w.connect(t, account{"linkedin profile of day 5", channel.LinkedInProfile, 60 * lifetimeDay, withoutRefreshToken})
	w.pass(t, 49, true)
	require.Equal(t, channel.TokenExpiring, w.status(t, "linkedin profile"), "six days are left")
	require.NoError(t, w.use(t, "linkedin profile"), "it publishes until its end")
	w.pass(t, 7, true)

	for _, a := range accounts() {
		require.Equal(t, channel.TokenHealthy, w.status(t, a.name), "%s: %v", a.name, w.timeline(t, a.name))
		require.NoError(t, w.use(t, a.name), a.name)
		require.Equal(t, channel.TokenHealthy, w.status(t, a.name), a.name)
	}
	require.Equal(t, channel.TokenExpiring, w.status(t, "linkedin profile of day 5"))
	require.NoError(t, w.use(t, "linkedin profile of day 5"))
	require.Equal(t, channel.TokenNeedsReconnect, w.status(t, "linkedin profile"), "not reconnected")
	require.Positive(t, w.renewals)
	require.Less(t, w.renewals, 80, "no channel is renewed day after day")

	w.pass(t, 24, true) // day 85
	for _, name := range []string{"facebook", "instagram via facebook"} {
		require.Equal(t, channel.TokenExpiring, w.status(t, name), "%s: the data access ends on day 90", name)
	}
	w.clock.Advance(6 * lifetimeDay)
	w.sweep(t, true)
	require.Error(t, w.use(t, "facebook"), "the data access has ended")
}

// TestChannelsExpireWithoutRenewals is the same without renewals: the channels whose tokens end are lost.
func TestChannelsExpireWithoutRenewals(t *testing.T) {
	t.Parallel()
	w := setupLifetimes(t)
	for _, a := range accounts() {
		w.connect(t, a)
	}
	w.pass(t, 61, false)
	lost := make(map[string]bool)
	for _, a := range accounts() {
		if w.use(t, a.name) != nil {
			lost[a.name] = true
			require.Equal(t, channel.TokenNeedsReconnect, w.status(t, a.name), a.name)
		}
	}
	require.Equal(t, map[string]bool{
		"threads": true, "threads, its end unknown": true, "instagram": true, "pinterest": true,
	}, lost)
}
