package receiving

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

const (
	// sourcesEvery is the pause between two looks for accounts that are new, or that no process asks.
	sourcesEvery = 5 * time.Second
	// checkEvery is the time after which the network is asked again where it reports.
	checkEvery = 15 * time.Minute
	// checkFor is the time limit of a check.
	checkFor = 30 * time.Second
	// pullWait is the time for which the network holds a request for events.
	pullWait = 25 * time.Second
	// pullFor is the time limit of such a request and of its record.
	pullFor = pullWait + 20*time.Second
	// pullsInTurn is the number of requests after which this process looks whether the account is still to be asked.
	pullsInTurn = 20
	// failedPause is the pause after a request for events that failed.
	failedPause = 5 * time.Second

	codeNoAddress = "INBOUND_NOT_CONFIGURED"
)

// SourceStore stores the accounts whose conversations networks report; see postgres.InboundSources.
type SourceStore interface {
	ChannelsToReceive(ctx context.Context) ([]channel.Channel, error)
	Know(ctx context.Context, network channel.Network, account string) (postgres.InboundSource, error)
	Lease(ctx context.Context, id ident.InboundSource, owner uuid.UUID, life, checked time.Duration) (bool, error)
	Checked(ctx context.Context, id ident.InboundSource, owner uuid.UUID, fault string) error
	SetSecret(ctx context.Context, id ident.InboundSource, secret string) error
	Advance(
		ctx context.Context, id ident.InboundSource, owner uuid.UUID, cursor int64, store func(context.Context) error,
	) error
}

// EventStore stores events once; see postgres.InboundReceipts.
type EventStore interface {
	Store(ctx context.Context, events []inbox.Event) (int, error)
}

// Caller calls the network of a channel with valid credentials; see access.Keeper.
type Caller interface {
	Do(ctx context.Context, link platform.Link, c channel.Channel, call func(context.Context, platform.Account) error) error
}

// SourcesConfig holds the dependencies of Sources.
type SourcesConfig struct {
	Store      SourceStore
	Events     EventStore
	Access     Caller
	Connectors *platform.Registry
	// URL is the public address to which networks report; empty: they are asked.
	URL string
	// MetaToken is returned by Meta when it verifies the address for reports; empty: it cannot.
	MetaToken string

	Clock  clock.Clock
	Logger *slog.Logger
}

// Sources lets networks report to this service, or asks them. It is safe for concurrent use, apart from Run, which runs once.
type Sources struct {
	SourcesConfig

	mu        sync.Mutex
	requested map[ident.InboundSource]bool // by this process, at the moment
}

// NewSources returns Sources, or an error if a dependency is missing.
func NewSources(cfg SourcesConfig) (*Sources, error) {
	if cfg.Store == nil || cfg.Events == nil || cfg.Access == nil || cfg.Connectors == nil || cfg.Clock == nil || cfg.Logger == nil {
		return nil, errors.New("receiving: every dependency of sources is required")
	}
	return &Sources{SourcesConfig: cfg, requested: make(map[ident.InboundSource]bool)}, nil
}

// Run keeps networks reporting, and asks the others, until the context is canceled.
func (s *Sources) Run(ctx context.Context) {
	var asking sync.WaitGroup
	retry.Every(ctx, sourcesEvery, func(ctx context.Context) error { return s.round(ctx, &asking) }, func(err error) {
		s.Logger.WarnContext(ctx, "the accounts of the inbox are not checked", slog.Any("error", err))
	})
	asking.Wait()
}

// Round checks every account once, and asks those that do not report, in turn.
func (s *Sources) Round(ctx context.Context) error {
	var asking sync.WaitGroup
	defer asking.Wait()
	return s.round(ctx, &asking)
}

func (s *Sources) round(ctx context.Context, asking *sync.WaitGroup) error {
	channels, err := s.Store.ChannelsToReceive(ctx)
	if err != nil {
		return err
	}
	done := make(map[ident.InboundSource]bool)
	for _, c := range channels {
		link, _ := s.Connectors.Link(c)
		source, ok := link.(platform.Source)
		if !ok {
			continue
		}
		of, err := s.Store.Know(ctx, c.Type.Network(), source.SourceOf(platform.Account{Type: c.Type, ExternalID: c.ExternalID}))
		if err != nil {
			return err
		}
		if done[of.ID] {
			continue
		}
		done[of.ID] = true
		of.Owner, of.Channel = uuid.New(), c
		puller, pulls := link.(platform.Puller)
		if s.URL == "" && pulls {
			s.ask(ctx, of, puller, asking)
		} else if err := s.check(ctx, of, source); err != nil {
			return err
		}
	}
	return nil
}

// check makes sure that the network reports to this service.
func (s *Sources) check(ctx context.Context, of postgres.InboundSource, source platform.Source) error {
	leased, err := s.Store.Lease(ctx, of.ID, of.Owner, checkFor, checkEvery)
	if err != nil || !leased {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, checkFor)
	defer cancel()
	fault := ""
	err = s.Access.Do(ctx, source, of.Channel, func(ctx context.Context, account platform.Account) error {
		present, err := source.Subscription(ctx, account)
		if err != nil {
			return err
		}
		if shared, is := source.(platform.Shared); is {
			return s.checkShared(ctx, shared, account, present)
		}
		address := s.URL + "/" + string(of.Network) + "/" + of.ID.String()
		if fault = present.Fault; present.Address == address && of.Secret {
			return nil
		}
		secret := rand.Text()
		if err := s.Store.SetSecret(ctx, of.ID, secret); err != nil {
			return err
		}
		fault = ""
		return source.Subscribe(ctx, account, address, secret)
	})
	if err != nil {
		fault = s.failed(ctx, of, err)
	}
	return s.Store.Checked(context.WithoutCancel(ctx), of.ID, of.Owner, fault)
}

// checkShared makes sure that a network reports to the one address of its application.
func (s *Sources) checkShared(
	ctx context.Context, source platform.Shared, account platform.Account, present platform.Subscription,
) error {
	address := s.URL + source.InboundPath()
	switch {
	case present.Address == address:
		return nil
	case s.URL == "" || s.MetaToken == "":
		return &platform.Failure{
			Class: platform.ClassOperator, Code: codeNoAddress,
			Message: account.Type.Network().Name() + " cannot report messages to this installation: its operator must set INBOUND_URL and " +
				"WHATSAPP_VERIFY_TOKEN.",
		}
	}
	return source.Subscribe(ctx, account, address, s.MetaToken)
}

// ask asks a network for its events until another process does, in the background.
func (s *Sources) ask(ctx context.Context, of postgres.InboundSource, puller platform.Puller, asking *sync.WaitGroup) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.requested[of.ID] {
		return
	}
	s.requested[of.ID] = true
	asking.Go(func() {
		defer func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.requested, of.ID)
		}()
		for range pullsInTurn {
			if fault, err := s.turn(ctx, &of, puller); fault || err != nil || ctx.Err() != nil {
				return
			}
		}
	})
}

// turn asks a network once, if no other process does. It reports whether that failed, after a pause.
func (s *Sources) turn(ctx context.Context, of *postgres.InboundSource, puller platform.Puller) (failed bool, err error) {
	leased, err := s.Store.Lease(ctx, of.ID, of.Owner, pullFor, 0)
	if err != nil || !leased {
		return true, err
	}
	fault := s.pull(ctx, of, puller)
	if err := s.Store.Checked(context.WithoutCancel(ctx), of.ID, of.Owner, fault); err != nil || fault == "" {
		return false, err
	}
	select {
	case <-ctx.Done():
	case <-time.After(failedPause):
	}
	return true, nil
}

// pull asks a network once, and stores what it reports. It returns what went wrong.
func (s *Sources) pull(ctx context.Context, of *postgres.InboundSource, puller platform.Puller) string {
	ctx, cancel := context.WithTimeout(ctx, pullFor)
	defer cancel()
	err := s.Access.Do(ctx, puller, of.Channel, func(ctx context.Context, account platform.Account) error {
		events, cursor, err := puller.Pull(ctx, account, of.Cursor, pullWait)
		if err != nil || len(events) == 0 {
			return err
		}
		if err := s.Store.Advance(ctx, of.ID, of.Owner, cursor, func(ctx context.Context) error {
			_, err := s.Events.Store(ctx, events)
			return err
		}); err != nil {
			return err
		}
		of.Cursor = cursor
		return nil
	})
	fault := ""
	if err != nil && ctx.Err() == nil {
		fault = s.failed(ctx, *of, err)
	}
	return fault
}

func (s *Sources) failed(ctx context.Context, of postgres.InboundSource, err error) string {
	s.Logger.WarnContext(ctx, "a network does not report the conversations of an account", slog.String("network", string(of.Network)),
		slog.String("source_id", of.ID.String()), slog.Any("error", err))
	if failure, is := errors.AsType[*platform.Failure](err); is {
		return failure.Message
	}
	return "The service could not ask " + of.Network.Name() + "."
}
