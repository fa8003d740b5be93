package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/activities/delivering"
	actinsights "fencepost.internal/activities/insights"
	actmailing "fencepost.internal/activities/mailing"
	actpublishing "fencepost.internal/activities/publishing"
	actreminding "fencepost.internal/activities/reminding"
	actrenewing "fencepost.internal/activities/renewing"
	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/services/internal/livechange"
	"fencepost.internal/services/internal/relay"
	"fencepost.internal/services/worker/internal/cleanup"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/infra/telemetry"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/access"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/network"
	"fencepost.internal/workflows/background"
)

// userAgent is the User-Agent sent to webhook receivers.
const userAgent = "Fencepost-Webhooks/1"

// deliveryPollers is the number of pollers for workflow tasks of deliveries. With the default of two, all pollers are
// busy in a burst with workflows that this process started, and workflows that another process started wait for
// seconds.
const deliveryPollers = 8

type parts struct {
	db        *postgres.DB
	temporal  client.Client
	relay     *relay.Relay
	publisher *actpublishing.Publisher
	deliverer *delivering.Deliverer
	express   *delivering.Express // nil: Temporal makes every attempt
	media     *mediaParts
	collector *actinsights.Collector
	renewer   *actrenewing.Renewer
	mailing   *actmailing.Mailing
	notices   *actmailing.Notices
	cleaner   *cleanup.Cleaner
	registry  *platform.Registry
	networks  *bootstrap.Networks
	live      *retry.Loop[postgres.LiveKey]
	leftovers *retry.Loop[postgres.Leftover]
	inbox     *inboxParts
	reminding *actreminding.Reminding
}

// Start builds the worker process.
func Start(
	ctx context.Context, cfg config.Worker[connectors.Environment], p *bootstrap.Process,
) (bootstrap.Service, error) {
	db, err := bootstrap.Database(ctx, cfg.Database.URL,
		bootstrap.Pool{
			Connections: cfg.DBMaxConns, Horizon: cfg.PostHorizon, Express: cfg.DeliveryExpressAfter.After(),
		}, p)
	if err != nil {
		return bootstrap.Service{}, err
	}
	built, err := build(ctx, cfg, p, db)
	if err != nil {
		return bootstrap.Service{}, errors.Join(err, db.Close())
	}
	if err := known(cfg.WorkerNetworks, built.registry.Networks()); err != nil {
		return bootstrap.Service{}, errors.Join(err, db.Close())
	}
	host, err := os.Hostname()
	if err != nil {
		return bootstrap.Service{}, errors.Join(err, db.Close())
	}
	workers, err := New(built.temporal, fmt.Sprintf("worker@%s@%d", host, os.Getpid()), p.Logger, p.Clock,
		version(cfg.Deployment, p.Version), built.queues(cfg)...)
	if err != nil {
		return bootstrap.Service{}, errors.Join(err, db.Close())
	}
	return bootstrap.Service{
		Checks: []telemetry.Check{
			bootstrap.DatabaseCheck(db), bootstrap.TemporalCheck(built.temporal, cfg.Temporal.Namespace),
			{Name: "pollers", Probe: workers.Ready},
			{Name: "store", Probe: built.media.objects.Ping},
		},
		Run: func(ctx context.Context) error {
			// The relay stops first, because a workflow that it has just started may have its first task in this
			// process.
			serving, stop := context.WithCancel(context.WithoutCancel(ctx))
			defer stop()
			var running sync.WaitGroup
			running.Go(func() {
				defer stop()
				built.relay.Run(ctx)
			})
			running.Go(func() { built.cleaner.Run(ctx) })
			running.Go(func() { built.networks.Run(ctx) })
			running.Go(func() { built.live.Run(ctx) })
			running.Go(func() { built.leftovers.Run(ctx) })
			running.Go(func() { built.notices.Run(ctx) })
			built.inbox.run(ctx, running.Go)
			if built.express != nil {
				running.Go(func() { built.express.Run(ctx) })
			}
			workers.Run(serving)
			running.Wait()
			built.temporal.Close()
			return db.Close()
		},
	}, nil
}

func build(
	ctx context.Context, cfg config.Worker[connectors.Environment], p *bootstrap.Process, db *postgres.DB,
) (*parts, error) {
	keyring, err := bootstrap.Keyring(cfg.Encryption.Keys)
	if err != nil {
		return nil, err
	}
	temporal, err1 := bootstrap.Temporal(cfg.Temporal, p)
	policy, err2 := buildPolicy(cfg)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	networks, err := buildNetworks(cfg, p, db, keyring, policy)
	if err != nil {
		return nil, err
	}
	var lane *delivering.Express
	carrier, err := buildRelay(cfg, p, db, temporal, func() { lane.Wake() })
	if err != nil {
		return nil, err
	}
	channels := postgres.NewChannels(db, keyring)
	keeper, err1 := access.New(channels, p.Clock)
	files, err2 := buildMedia(ctx, cfg, p, db, keyring, policy)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	shared := publisherParts{db, keyring, keeper, files, networks, channels, carrier}
	publisher, err := buildPublisher(cfg, p, shared)
	if err != nil {
		return nil, err
	}
	deliverer, err := buildDeliverer(cfg, p, postgres.NewDeliveries(db, keyring), policy, carrier)
	if err != nil {
		return nil, err
	}
	claims := retry.NewMetrics(p.Registry)
	if lane, err = buildExpress(cfg, deliverer, claims); err != nil {
		return nil, err
	}
	collector, err1 := buildInsights(cfg, p, db, keeper, networks.Registry, files.pictures)
	cleaner, err2 := buildCleanup(cfg.Retention, p, db, keyring, files.objects)
	renewer, err3 := buildRenewer(cfg, p, db, keyring, keeper, networks.Registry)
	live, err4 := buildLiveChanges(cfg, p, livechange.Config{
		Changes: postgres.NewLiveChanges(db, keyring), Access: keeper, Connectors: networks.Registry,
		Wake: func() { carrier.Wake(relay.Events) },
	}, claims)
	mails, err5 := buildMailing(cfg, p, db, keyring, policy, files.objects)
	leftovers, err6 := buildLeftovers(p, postgres.NewLeftovers(db, keyring), keeper, networks.Registry, claims)
	reminding, err8 := actreminding.New(reminders(cfg, db, keyring), p.Clock, p.Registry)
	inboxed, err7 := buildInbox(cfg, p, shared, claims)
	if err := errors.Join(err1, err2, err3, err4, err5, err6, err7, err8); err != nil {
		return nil, err
	}
	measure(p, db, cfg.Networks.Declared())
	return &parts{
		db: db, temporal: temporal, relay: carrier, publisher: publisher, deliverer: deliverer, express: lane,
		media: files, collector: collector, renewer: renewer, mailing: mails, cleaner: cleaner,
		registry: networks.Registry, networks: networks, live: live, leftovers: leftovers,
		notices: buildNotices(cfg, p, db, keyring, carrier), inbox: inboxed, reminding: reminding,
	}, nil
}

// version returns the version of this worker in its deployment; the zero value if it has none.
func version(cfg config.Deployment, build string) worker.WorkerDeploymentVersion {
	if cfg.DeploymentName == "" {
		return worker.WorkerDeploymentVersion{}
	}
	return worker.WorkerDeploymentVersion{
		DeploymentName: cfg.DeploymentName, BuildID: cmp.Or(cfg.DeploymentBuildID, build),
	}
}

func buildLiveChanges(
	cfg config.Worker[connectors.Environment], p *bootstrap.Process, of livechange.Config, claims *retry.Metrics,
) (*retry.Loop[postgres.LiveKey], error) {
	of.Clock, of.Logger = p.Clock, p.Logger
	of.SendWindow, of.CommitTimeout, of.RetryScale = cfg.PublishSendWindow, cfg.CommitTimeout, cfg.RetryScale
	changer, err := livechange.New(of)
	if err != nil {
		return nil, err
	}
	return changer.Loop(claims)
}

func buildLeftovers(
	p *bootstrap.Process, store *postgres.Leftovers, keeper *access.Keeper, registry *platform.Registry,
	claims *retry.Metrics,
) (*retry.Loop[postgres.Leftover], error) {
	return actpublishing.NewLeftovers(actpublishing.LeftoversConfig{
		Store: store, Access: keeper, Connectors: registry, Clock: p.Clock, Logger: p.Logger, Metrics: claims,
	})
}

// measure registers the metrics of all posts, and expects the workflows and activities of this process.
func measure(p *bootstrap.Process, db *postgres.DB, networks []network.Declaration) {
	measureVersions(p.Registry, networks)
	bootstrap.PostMetrics(p.Registry, postgres.NewPosts(db), p.Logger)
	p.Expect([]string{
		postflow.Workflow, flow.WorkflowDelivery, flow.WorkflowReplay, flow.WorkflowImport,
		flow.WorkflowProcess, flow.WorkflowInsights, flow.WorkflowRenewalSweep, flow.WorkflowRenewal, flow.WorkflowMail,
		flow.WorkflowReply, flow.WorkflowFollowup,
	}, []string{
		postflow.ActivityPublish, postflow.ActivityCheckProcessing, postflow.ActivityReconcile, flow.ActivityAttempt,
		flow.ActivityReplay, flow.ActivityImport, flow.ActivityFailImport, flow.ActivityProcess,
		flow.ActivityGiveUp, flow.ActivityCollect, flow.ActivitySweepRenewals, flow.ActivityRenew,
		flow.ActivitySendMail, flow.ActivitySendReply, flow.ActivityRemind,
	})
}

func buildRelay(
	cfg config.Worker[connectors.Environment], p *bootstrap.Process, db *postgres.DB, temporal client.Client,
	admitted func(),
) (*relay.Relay, error) {
	return relay.New(relay.Config{
		Outbox: postgres.NewOutbox(db), Events: postgres.NewEvents(db), Queues: postgres.NewDeliveries(db, nil),
		Temporal: temporal, Namespace: cfg.Temporal.Namespace, Clock: p.Clock, Logger: p.Logger,
		Metrics: relay.NewMetrics(p.Registry, true), Sweep: cfg.SweepInterval, Grace: cfg.SweepInterval,
		Insights: schedules(cfg, db), Renewals: postgres.NewRenewals(db, nil),
		Admitted: admitted, Late: bootstrap.Late(cfg.Express), Connections: cfg.DBMaxConns,
	})
}

func buildPolicy(cfg config.Worker[connectors.Environment]) (*egress.Policy, error) {
	own := bootstrap.OwnURLs(cfg.Public, cfg.ObjectStore)
	return egress.NewPolicy(egress.PolicyConfig{Allow: cfg.EgressAllow, OwnURLs: own})
}

func buildExpress(
	cfg config.Worker[connectors.Environment], d *delivering.Deliverer, claims *retry.Metrics,
) (*delivering.Express, error) {
	after := cfg.DeliveryExpressAfter.After()
	if after == nil {
		return nil, nil //nolint:nilnil // the lane is off
	}
	return delivering.NewExpress(d, *after, cfg.DeliveryConcurrency, claims)
}

func buildDeliverer(
	cfg config.Worker[connectors.Environment], p *bootstrap.Process, deliveries *postgres.Deliveries, policy *egress.Policy,
	carrier *relay.Relay,
) (*delivering.Deliverer, error) {
	sender, err := egress.NewClient(egress.Config{
		Policy: policy, Profile: egress.Webhook, UserAgent: userAgent, Timeout: webhook.AckTimeout,
	})
	if err != nil {
		return nil, err
	}
	return delivering.New(delivering.Config{
		Deliveries: deliveries, Sender: sender, Clock: p.Clock, Logger: p.Logger,
		Metrics: delivering.NewMetrics(p.Registry), RetryScale: cfg.RetryScale, Wake: func() { carrier.Wake(relay.Queues) },
	})
}

// queues returns the queues that this process serves: those of all networks, or of the configured ones, and that of test
// channels.
func (b *parts) queues(cfg config.Worker[connectors.Environment]) []Queue {
	queues := append(b.media.queues(cfg.ImportConcurrency, cfg.FileConcurrency), Queue{
		Name: flow.QueueDeliveries, Workflows: true, Activities: true,
		Options: worker.Options{
			MaxConcurrentActivityExecutionSize: cfg.DeliveryConcurrency, MaxConcurrentWorkflowTaskPollers: deliveryPollers,
		},
		Register: func(w worker.Worker) {
			w.RegisterWorkflowWithOptions(background.Delivery, workflow.RegisterOptions{Name: flow.WorkflowDelivery})
			w.RegisterWorkflowWithOptions(background.Replay, workflow.RegisterOptions{Name: flow.WorkflowReplay})
			w.RegisterActivityWithOptions(b.deliverer.Replay, activity.RegisterOptions{Name: flow.ActivityReplay})
			w.RegisterActivityWithOptions(b.deliverer.Deliver, activity.RegisterOptions{Name: flow.ActivityAttempt})
		},
	})
	queues = append(queues, insightsQueue(b.collector, cfg.InsightConcurrency), renewalQueue(b.renewer),
		mailQueue(b.mailing, flow.QueueMails, mailConcurrency))
	queues = append(append(queues, b.inbox.queues()...), followupQueue(b.reminding))
	for _, name := range []string{flow.QueueHooks, flow.QueueMattermost, flow.QueueTelegram, flow.QueuePush} {
		queues = append(queues, mailQueue(b.mailing, name, hookConcurrency))
	}
	for _, n := range b.registry.Networks() {
		if len(cfg.WorkerNetworks) == 0 || slices.Contains(cfg.WorkerNetworks, string(n)) {
			queues = append(queues, b.networkQueue(n, cfg.PublishConcurrency))
		}
	}
	return append(queues, b.networkQueue(channel.NetworkTest, cfg.PublishConcurrency))
}
