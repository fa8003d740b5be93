package publishing_test

import (
	"bytes"
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/publishing"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/access"
	"fencepost.internal/shared/platform/connectors"
)

const (
	sendWindow = 200 * time.Millisecond
	readDelay  = 100 * time.Millisecond
)

// network is a scripted connector; functions that are nil succeed.
type network struct {
	prepare   func(platform.Handle) (platform.Preparation, error)
	commit    func(context.Context, platform.Account) (platform.Publication, error)
	reconcile func(platform.Sent) (platform.Evidence, platform.Publication, error)
	refresh   func(platform.Account) (channel.Credentials, error)
	contents  []platform.Content // arguments of Commit
	typ       channel.Type       // TWITTER if empty
	strength  platform.ReconcileStrength
	mu        sync.Mutex
	commits   atomic.Int32
	refreshes atomic.Int32
}

func (n *network) Types() []channel.Type                { return []channel.Type{cmp.Or(n.typ, channel.Twitter)} }
func (n *network) Strength() platform.ReconcileStrength { return n.strength }

func (n *network) Prepare(
	_ context.Context, _ platform.Account, _ platform.Content, h platform.Handle,
) (platform.Preparation, error) {
	if n.prepare == nil {
		return platform.Preparation{Ready: true}, nil
	}
	return n.prepare(h)
}

func (n *network) Commit(
	ctx context.Context, a platform.Account, c platform.Content, _ platform.Handle,
) (platform.Publication, error) {
	n.commits.Add(1)
	n.mu.Lock()
	n.contents = append(n.contents, c)
	n.mu.Unlock()
	if n.commit == nil {
		return platform.Publication{ExternalID: "ext-1", URL: "https://network.test/1"}, nil
	}
	return n.commit(ctx, a)
}

func (n *network) Reconcile(
	_ context.Context, _ platform.Account, _ platform.Content, s platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	return n.reconcile(s)
}

func (n *network) Refresh(_ context.Context, a platform.Account) (channel.Credentials, error) {
	n.refreshes.Add(1)
	if n.refresh == nil {
		return channel.Credentials{AccessToken: "fresh", RefreshToken: "r2"}, nil
	}
	return n.refresh(a)
}

func (*network) Term(platform.Account) platform.Term { return platform.Term{} }

func (n *network) Identify(_ context.Context, a platform.Account) (platform.Identity, error) {
	return platform.Identity{ID: a.ExternalID}, nil
}

type bundle struct {
	*publishing.Publisher
	db       *postgres.DB
	address  string // of the database
	posts    *postgres.Posts
	attempts *postgres.Attempts
	channels *postgres.Channels
	box      *secretbox.Keyring
	keeper   *access.Keeper
	ch       channel.Channel
	net      *network
}

func setup(t *testing.T, net *network) *bundle {
	t.Helper()
	return setupWith(t, net, net)
}

// setupWith is like setup, for a link that wraps the network.
func setupWith(t *testing.T, net *network, link platform.Link, change ...func(*publishing.Config)) *bundle {
	t.Helper()
	db, address := postgrestest.OpenURL(t)
	key, err := secretbox.NewKey("test", bytes.Repeat([]byte{7}, 32))
	require.NoError(t, err)
	box, err := secretbox.NewKeyring([]secretbox.Key{key})
	require.NoError(t, err)
	registry, err := platform.NewRegistry(link)
	require.NoError(t, err)
	b := &bundle{
		db: db, address: address, posts: postgres.NewPosts(db), attempts: postgres.NewAttempts(db, box),
		channels: postgres.NewChannels(db, box), box: box, net: net,
	}
	b.keeper, err = access.New(b.channels, clock.System())
	require.NoError(t, err)
	cfg := publishing.Config{
		NotifyLoss: func(context.Context, ident.Channel, time.Time) error { return nil },
		Attempts:   b.attempts, Posts: b.posts, Channels: b.channels, Media: postgres.NewMedia(db), Files: files{}, Renditions: &forms{},
		Access:     b.keeper,
		Connectors: registry, Rules: connectors.Rules(), Clock: clock.System(),
		Logger: slog.New(slog.DiscardHandler), Metrics: publishing.NewMetrics(prometheus.NewRegistry()), Wake: func() {},
		SendWindow: sendWindow, ReadDelay: readDelay, RetryScale: 0.001,
	}
	for _, c := range change {
		c(&cfg)
	}
	b.Publisher, err = publishing.NewPublisher(cfg)
	require.NoError(t, err)
	now := time.Now().UTC()
	ws := workspace.Workspace{
		ID: ident.New[ident.Workspace](), Name: "Acme", Plan: workspace.Free, Timezone: "UTC", CreatedAt: now,
	}
	require.NoError(t, postgres.NewWorkspaces(db).Insert(t.Context(), ws))
	b.ch = channel.Channel{
		ID: ident.New[ident.Channel](), WorkspaceID: ws.ID, Name: "Acme", Type: net.Types()[0], Username: "acme",
		ExternalID:  "1",
		IsConnected: true, TokenStatus: channel.TokenHealthy, Timezone: "UTC", CreatedAt: now,
	}
	require.NoError(t, b.channels.Insert(t.Context(), b.ch, channel.Credentials{AccessToken: "old", RefreshToken: "r1"}))
	return b
}

// due creates a post that became due the given time ago.
func (b *bundle) due(t *testing.T, since time.Duration) post.Post {
	t.Helper()
	return b.dueWith(t, since, post.NewPost{Content: "Hello"})
}

// dueWith is like due, for a post with the given content.
func (b *bundle) dueWith(t *testing.T, since time.Duration, in post.NewPost) post.Post {
	t.Helper()
	now := time.Now().UTC().Truncate(time.Millisecond)
	in.WorkspaceID, in.ChannelID, in.ContentType, in.ScheduleAt = b.ch.WorkspaceID, b.ch.ID, post.ContentPost, now.Add(
		-since)
	change, err := post.Create(in, now, post.ActorAPI)
	require.NoError(t, err)
	require.NoError(t, b.posts.Insert(t.Context(), []post.Change{change}))
	return change.Post
}

func step(p post.Post) postflow.Step { return postflow.Step{PostID: p.ID, Revision: p.Revision} }

// follow executes the steps of the protocol like the workflow does, until the post reaches a final state.
func (b *bundle) follow(t *testing.T, p post.Post) (steps []postflow.Next) {
	t.Helper()
	next := postflow.Outcome{Next: postflow.NextPublish}
	for len(steps) < 30 {
		var err error
		if wait := time.Until(next.At); !next.At.IsZero() && wait > 0 {
			<-time.After(wait)
		}
		switch next.Next {
		case postflow.NextPublish:
			next, err = b.Publish(t.Context(), step(p))
		case postflow.NextProcessing:
			next, err = b.CheckProcessing(t.Context(), step(p))
		case postflow.NextReconcile:
			next, err = b.Reconcile(t.Context(), step(p))
		case postflow.NextDone, postflow.NextSuperseded:
			return steps
		}
		require.NoError(t, err)
		steps = append(steps, next.Next)
	}
	t.Fatal("the post reaches no end")
	return nil
}

func (b *bundle) reload(t *testing.T, p post.Post) postgres.Job {
	t.Helper()
	job, err := b.attempts.Load(t.Context(), p.ID)
	require.NoError(t, err)
	return job
}

func fails(class platform.Class, code string) error {
	return &platform.Failure{Class: class, Code: code, Message: "The network said no."}
}

func TestPublish(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{})
	p := b.due(t, time.Second)
	require.Equal(t, []postflow.Next{postflow.NextDone}, b.follow(t, p))
	job := b.reload(t, p)
	require.Equal(t, post.Published, job.Post.Status)
	require.Equal(t, "https://network.test/1", job.Post.PostURL)
	require.Equal(t, post.AttemptConfirmed, job.Attempt.State)
	require.True(t, job.Post.PublishingSince.IsZero())
	// A repeated step reports that the post is published; nothing is sent twice.
	out, err := b.Publish(t.Context(), step(p))
	require.NoError(t, err)
	require.Equal(t, postflow.Outcome{
		Next: postflow.NextDone, Status: post.Published, URL: "https://network.test/1",
		Note: "Published at https://network.test/1",
	}, out)
	require.EqualValues(t, 1, b.net.commits.Load())
}

func TestEndings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err       error
		strength  platform.ReconcileStrength
		code      string
		retryable bool
		state     post.AttemptState
	}{
		"rejected": {fails(platform.ClassRejected, "TOO_LONG"), 0, "TOO_LONG", false, post.AttemptRejected},
		"user":     {fails(platform.ClassUser, "ACCOUNT_LOCKED"), 0, "ACCOUNT_LOCKED", true, post.AttemptRejected},
		"operator": {fails(platform.ClassOperator, "SPENDING_CAP"), 0, "SPENDING_CAP", true, post.AttemptRejected},
		"reconnect": {
			fails(platform.ClassReconnect, "TOKEN_REVOKED"), 0, post.ErrorNeedsReconnect, true, post.AttemptRejected,
		},
		"unknown": {
			fails(platform.ClassUnknown, "TIMEOUT"), platform.ReconcileNone, post.ErrorOutcomeUnknown, false,
			post.AttemptUndetermined,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, &network{
				strength: c.strength,
				commit: func(context.Context, platform.Account) (platform.Publication, error) {
					return platform.Publication{}, c.err
				},
			})
			b.failsAtOnce(t)
			p := b.due(t, time.Second)
			require.Equal(t, []postflow.Next{postflow.NextDone}, b.follow(t, p))
			job := b.reload(t, p)
			require.Equal(t, post.Failed, job.Post.Status)
			require.Equal(t, c.code, job.Post.Error.Code)
			require.Equal(t, c.retryable, job.Post.Error.Retryable)
			require.Equal(t, c.state, job.Attempt.State)
			again := b.publish(t, p) // a later execution returns the same end, and sends nothing
			require.Equal(t, postflow.NextDone, again.Next)
			require.Equal(t, c.code, again.Code)
			require.EqualValues(t, 1, b.net.commits.Load())
		})
	}
}

func TestReconnectMarksChannel(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{commit: func(context.Context, platform.Account) (platform.Publication, error) {
		return platform.Publication{}, fails(platform.ClassReconnect, "TOKEN_REVOKED")
	}})
	b.failsAtOnce(t)
	b.follow(t, b.due(t, time.Second))
	ch, err := b.channels.Get(t.Context(), b.ch.WorkspaceID, b.ch.ID)
	require.NoError(t, err)
	require.Equal(t, channel.TokenNeedsReconnect, ch.TokenStatus)
	second := b.due(t, time.Second) // fails without a call to the network
	b.follow(t, second)
	require.Equal(t, post.ErrorNeedsReconnect, b.reload(t, second).Post.Error.Code)
	require.EqualValues(t, 1, b.net.commits.Load())
}

func TestTransientFailureIsRetriedAndReleasesClaim(t *testing.T) {
	t.Parallel()
	net := &network{}
	net.commit = func(context.Context, platform.Account) (platform.Publication, error) {
		if net.commits.Load() < 3 {
			return platform.Publication{}, fails(platform.ClassTransient, "UNAVAILABLE")
		}
		return platform.Publication{ExternalID: "x"}, nil
	}
	b := setup(t, net)
	p := b.due(t, time.Second)
	out, err := b.Publish(t.Context(), step(p))
	require.NoError(t, err)
	require.Equal(t, postflow.NextPublish, out.Next)
	require.Equal(t, "The network said no. The post is not published yet. The service tries again.", out.Note)
	waiting := b.reload(t, p).Post
	require.True(t, waiting.PublishingSince.IsZero())
	require.Equal(t, post.WaitRetrying, waiting.Waiting.Reason)
	require.Equal(t, []postflow.Next{postflow.NextPublish, postflow.NextDone}, b.follow(t, p))
	require.Equal(t, 3, b.reload(t, p).Attempt.N)
}

func TestRateLimitIsHonoured(t *testing.T) {
	t.Parallel()
	until := time.Now().Add(10 * time.Minute)
	b := setup(t, &network{commit: func(context.Context, platform.Account) (platform.Publication, error) {
		return platform.Publication{}, &platform.Failure{
			Class: platform.ClassRateLimited, Code: "RATE", Message: "m", Until: until,
		}
	}})
	p := b.due(t, time.Second)
	out, err := b.Publish(t.Context(), step(p))
	require.NoError(t, err)
	require.Equal(t, postflow.NextPublish, out.Next)
	require.WithinDuration(t, until, out.At, 5*time.Millisecond)
	require.False(t, out.At.Before(until))
	require.Equal(t, post.WaitRateLimited, b.reload(t, p).Post.Waiting.Reason)
}

func TestLimitBeyondBudgetFailsPost(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{commit: func(context.Context, platform.Account) (platform.Publication, error) {
		return platform.Publication{}, &platform.Failure{
			Class: platform.ClassRateLimited, Code: "RATE", Until: time.Now().Add(20 * time.Hour),
		}
	}})
	p := b.due(t, time.Second)
	b.follow(t, p)
	require.Equal(t, post.ErrorRateLimited, b.reload(t, p).Post.Error.Code)
	require.True(t, b.reload(t, p).Post.Error.Retryable)
}

func TestUnknownOutcomeIsReconciled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		evidence []platform.Evidence
		status   post.Status
		commits  int32
	}{
		"found": {[]platform.Evidence{platform.EvidenceFound}, post.Published, 1},
		"unclear then found": {
			[]platform.Evidence{platform.EvidenceUnclear, platform.EvidenceUnclear, platform.EvidenceFound}, post.Published, 1,
		},
		"absent, sent again": {
			[]platform.Evidence{platform.EvidenceAbsent, platform.EvidenceAbsent, platform.EvidenceAbsent}, post.Published, 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			net := &network{strength: platform.ReconcileMatch}
			net.commit = func(context.Context, platform.Account) (platform.Publication, error) {
				if net.commits.Load() == 1 {
					return platform.Publication{}, fails(platform.ClassUnknown, "TIMEOUT")
				}
				return platform.Publication{ExternalID: "second"}, nil
			}
			requested := 0
			net.reconcile = func(platform.Sent) (platform.Evidence, platform.Publication, error) {
				requested++
				return c.evidence[min(requested, len(c.evidence))-1],
					platform.Publication{ExternalID: "found", URL: "https://network.test/f"}, nil
			}
			b := setup(t, net)
			p := b.due(t, time.Second)
			b.follow(t, p)
			require.Equal(t, c.status, b.reload(t, p).Post.Status)
			require.Equal(t, c.commits, b.net.commits.Load())
		})
	}
}

func TestAbsenceCountsOnlyAfterReadDelay(t *testing.T) {
	t.Parallel()
	const readDelay = time.Hour // longer than the test takes on any machine
	net := &network{
		strength: platform.ReconcileMatch,
		commit: func(context.Context, platform.Account) (platform.Publication, error) {
			return platform.Publication{}, fails(platform.ClassUnknown, "TIMEOUT")
		},
		reconcile: func(platform.Sent) (platform.Evidence, platform.Publication, error) {
			return platform.EvidenceAbsent, platform.Publication{}, nil
		},
	}
	b := setupWith(t, net, net, func(cfg *publishing.Config) { cfg.ReadDelay = readDelay })
	p := b.due(t, time.Second)
	sent := time.Now()
	_, err := b.Publish(t.Context(), step(p))
	require.NoError(t, err)
	out, err := b.Reconcile(t.Context(), step(p))
	require.NoError(t, err)
	require.Equal(t, postflow.NextReconcile, out.Next)
	require.False(t, out.At.Before(sent.Add(readDelay)))
	require.Equal(t, post.AttemptUnknown, b.reload(t, p).Attempt.State)
}

// TestAbsentPostIsSentOnceMoreAfterBudget checks that a post whose retry budget has passed while its
// result was unknown is sent once more.
func TestAbsentPostIsSentOnceMoreAfterBudget(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{
		strength: platform.ReconcileMatch,
		reconcile: func(platform.Sent) (platform.Evidence, platform.Publication, error) {
			return platform.EvidenceAbsent, platform.Publication{}, nil
		},
	})
	p := b.due(t, time.Second)
	b.vanish(t, p)
	b.sentAgo(t, 2*time.Hour)
	b.follow(t, p)
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
	require.EqualValues(t, 1, b.net.commits.Load())
}

// vanish leaves an attempt in the state in which a worker leaves it that dies after recording its intent.
func (b *bundle) vanish(t *testing.T, p post.Post) postgres.Job {
	t.Helper()
	job, err := b.attempts.Claim(t.Context(), p.ID, p.Revision)
	require.NoError(t, err)
	require.NoError(t, b.attempts.Intend(t.Context(), job, postgres.Intent{N: 1}))
	return job
}

func TestVanishedSenderIsNeverFollowedBySecondSend(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		strength platform.ReconcileStrength
		evidence platform.Evidence
		status   post.Status
		commits  int32
	}{
		"found":           {platform.ReconcileMatch, platform.EvidenceFound, post.Published, 0},
		"absent":          {platform.ReconcileMatch, platform.EvidenceAbsent, post.Published, 1},
		"cannot be asked": {platform.ReconcileNone, 0, post.Failed, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, &network{
				strength: c.strength,
				reconcile: func(platform.Sent) (platform.Evidence, platform.Publication, error) {
					return c.evidence, platform.Publication{ExternalID: "f"}, nil
				},
			})
			p := b.due(t, time.Second)
			b.vanish(t, p)
			sent := time.Now()
			b.follow(t, p)
			require.Equal(t, c.status, b.reload(t, p).Post.Status)
			require.Equal(t, c.commits, b.net.commits.Load())
			if c.evidence != platform.EvidenceFound { // no decision while the sender may still send
				require.Greater(t, time.Since(sent), sendWindow)
			}
		})
	}
}

func TestLateResponseOfSuspendedSenderIsRecorded(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{strength: platform.ReconcileNone})
	p := b.due(t, time.Second)
	job := b.vanish(t, p)
	b.follow(t, p) // the result remains unknown: FAILED
	change, err := job.Post.Complete("https://network.test/late", true, time.Now())
	require.NoError(t, err)
	require.ErrorIs(t, b.posts.Record(t.Context(), change, postgres.AttemptResult{
		N: 1, State: post.AttemptConfirmed, ExternalID: "late", URL: "https://network.test/late",
	}), postgres.ErrStale)
	failed := b.reload(t, p)
	require.Equal(t, post.Failed, failed.Post.Status)
	require.Equal(t, post.AttemptConfirmed, failed.Attempt.State)
	// The owner publishes again. The step reports that the post is already published.
	again, err := failed.Post.PublishNow(time.Now().UTC().Add(-time.Second), post.ActorAPI)
	require.NoError(t, err)
	require.NoError(t, b.posts.Apply(t.Context(), again))
	b.follow(t, again.Post)
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
	require.Equal(t, "https://network.test/late", b.reload(t, p).Post.PostURL)
	require.Zero(t, b.net.commits.Load())
}

func TestUndeterminedOutcomeCanBeRetried(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{strength: platform.ReconcileNone})
	p := b.due(t, time.Second)
	b.vanish(t, p)
	b.follow(t, p)
	again, err := b.reload(t, p).Post.PublishNow(time.Now().UTC().Add(-time.Second), post.ActorAPI)
	require.NoError(t, err)
	require.NoError(t, b.posts.Apply(t.Context(), again))
	b.follow(t, again.Post)
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
	require.EqualValues(t, 1, b.net.commits.Load())
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	net := &network{commit: func(_ context.Context, a platform.Account) (platform.Publication, error) {
		if a.Credentials.AccessToken != "fresh" {
			return platform.Publication{}, fails(platform.ClassRefresh, "EXPIRED")
		}
		return platform.Publication{ExternalID: "x"}, nil
	}}
	b := setup(t, net)
	p := b.due(t, time.Second)
	require.Equal(t, []postflow.Next{postflow.NextDone}, b.follow(t, p))
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
	require.EqualValues(t, 1, net.refreshes.Load())
	second := b.due(t, time.Second) // uses the stored credentials
	b.follow(t, second)
	require.EqualValues(t, 1, net.refreshes.Load())
}

func TestConcurrentStepsRefreshOnce(t *testing.T) {
	t.Parallel()
	net := &network{commit: func(_ context.Context, a platform.Account) (platform.Publication, error) {
		if a.Credentials.AccessToken != "fresh" {
			return platform.Publication{}, fails(platform.ClassRefresh, "EXPIRED")
		}
		return platform.Publication{}, nil
	}}
	b := setup(t, net)
	posts := []post.Post{b.due(t, time.Second), b.due(t, time.Second), b.due(t, time.Second), b.due(t, time.Second)}
	errs := make(chan error, len(posts))
	for _, p := range posts {
		go func() {
			_, err := b.Publish(context.WithoutCancel(t.Context()), step(p))
			errs <- err
		}()
	}
	for range posts {
		require.NoError(t, <-errs)
	}
	require.EqualValues(t, 1, net.refreshes.Load())
}

func TestRefusedRefresh(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{
		commit: func(context.Context, platform.Account) (platform.Publication, error) {
			return platform.Publication{}, fails(platform.ClassRefresh, "EXPIRED")
		},
		refresh: func(platform.Account) (channel.Credentials, error) {
			return channel.Credentials{}, fails(platform.ClassReconnect, "GONE")
		},
	})
	b.failsAtOnce(t)
	p := b.due(t, time.Second)
	b.follow(t, p)
	require.Equal(t, post.ErrorNeedsReconnect, b.reload(t, p).Post.Error.Code)
}

func TestPreparationIsKept(t *testing.T) {
	t.Parallel()
	var handles []platform.Handle
	b := setup(t, &network{prepare: func(h platform.Handle) (platform.Preparation, error) {
		handles = append(handles, h)
		return platform.Preparation{Handle: "container", Ready: len(handles) == 3, Wait: time.Millisecond}, nil
	}})
	p := b.due(t, time.Second)
	require.Equal(t, []postflow.Next{postflow.NextProcessing, postflow.NextProcessing, postflow.NextDone}, b.follow(t, p))
	require.Equal(t, []platform.Handle{"", "container", "container"}, handles)
	require.Equal(t, 1, b.reload(t, p).Attempt.N)
}

func TestPrepareFailuresCountTowardsBudget(t *testing.T) {
	t.Parallel()
	calls := 0
	b := setup(t, &network{prepare: func(platform.Handle) (platform.Preparation, error) {
		if calls++; calls < 3 {
			// before the irrevocable call: harmless
			return platform.Preparation{}, fails(platform.ClassUnknown, "RESET")
		}
		return platform.Preparation{Ready: true}, nil
	}})
	p := b.due(t, time.Second)
	b.follow(t, p)
	job := b.reload(t, p)
	require.Equal(t, post.Published, job.Post.Status)
	require.Equal(t, 3, job.Attempt.N)
	require.False(t, job.Post.PublishedAt.IsZero())
}

func TestPostMissedByMoreThanOneDay(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{})
	missed, late := b.due(t, 25*time.Hour), b.due(t, 23*time.Hour)
	b.follow(t, missed)
	require.Equal(t, post.ErrorMissedSchedule, b.reload(t, missed).Post.Error.Code)
	b.follow(t, late)
	require.Equal(t, post.Published, b.reload(t, late).Post.Status)
	require.EqualValues(t, 1, b.net.commits.Load())
}

func TestPublishWaitsForScheduledTime(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{})
	p := b.due(t, -time.Minute)
	out, err := b.Publish(t.Context(), step(p))
	require.NoError(t, err)
	require.Equal(t, postflow.NextPublish, out.Next)
	require.WithinDuration(t, time.Now(), out.At, time.Second, "asked again soon: the database's clock may be put right")
	require.Zero(t, b.net.commits.Load())
}

func TestStaleAndDeletedPlans(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{})
	p := b.due(t, time.Second)
	change, err := p.Unschedule(time.Now(), post.ActorAPI)
	require.NoError(t, err)
	require.NoError(t, b.posts.Apply(t.Context(), change))
	again := b.due(t, time.Second)
	rescheduled, err := again.Schedule(time.Now().Add(time.Hour), time.Now(), post.ActorAPI)
	require.NoError(t, err)
	require.NoError(t, b.posts.Apply(t.Context(), rescheduled))
	for _, run := range []func(context.Context, postflow.Step) (postflow.Outcome, error){b.Publish, b.Reconcile} {
		for _, superseded := range []post.Post{p, change.Post, again} {
			out, err := run(t.Context(), step(superseded))
			require.NoError(t, err)
			require.Equal(t, postflow.NextSuperseded, out.Next)
		}
		out, err := run(t.Context(), postflow.Step{PostID: ident.New[ident.Post](), Revision: 1})
		require.NoError(t, err)
		require.Equal(t, postflow.NextDone, out.Next)
	}
	require.Zero(t, b.net.commits.Load())
}

func TestHostileResponsesAreSanitized(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{commit: func(context.Context, platform.Account) (platform.Publication, error) {
		return platform.Publication{ExternalID: "a\x00b\r\nc\xff\uFFFD", URL: "https://network.test/\x00\n1"}, nil
	}})
	p := b.due(t, time.Second)
	b.follow(t, p)
	require.Equal(t, "abc", b.reload(t, p).Attempt.ExternalID)
	require.Equal(t, "https://network.test/1", b.reload(t, p).Post.PostURL)
}

func TestOneNetworkIDForTwoPosts(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{})
	first, second := b.due(t, time.Second), b.due(t, time.Second)
	b.follow(t, first)
	b.follow(t, second) // the scripted network returns the same ID again
	require.Equal(t, post.Published, b.reload(t, second).Post.Status)
	require.Empty(t, b.reload(t, second).Attempt.ExternalID)
}
