package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/golang-lru/v2/expirable"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
)

const (
	// originFor is the time for which a source is not read again, also one that does not exist.
	originFor  = time.Second
	maxOrigins = 10_000
)

// InboundReceipts stores what networks report, before it is read. It is safe for concurrent use.
type InboundReceipts struct {
	db    *DB
	clock clock.Clock
	known *expirable.LRU[ident.InboundSource, knownOrigin]
}

// InboundOrigin is an account whose events a network reports to an address of its own.
type InboundOrigin struct {
	Network channel.Network
	Account string
	// Hashes are the SHA-256 hashes of the secrets that prove the origin of a request: the present and the former one. Without
	// any, no request is accepted.
	Hashes [][]byte
}

type knownOrigin struct {
	InboundOrigin

	found bool
	read  time.Time
}

// NewInboundReceipts returns the store.
func NewInboundReceipts(db *DB, clk clock.Clock) (*InboundReceipts, error) {
	if db == nil || clk == nil {
		return nil, errors.New("postgres: database and clock are required")
	}
	return &InboundReceipts{
		db: db, clock: clk, known: expirable.NewLRU[ident.InboundSource, knownOrigin](maxOrigins, nil, 0),
	}, nil
}

// Source returns the source as it was within the last second; NOT_FOUND if there is none.
func (s *InboundReceipts) Source(ctx context.Context, id ident.InboundSource) (InboundOrigin, error) {
	now := s.clock.Now()
	origin, cached := s.known.Get(id)
	if age := now.Sub(origin.read); !cached || age < 0 || age >= originFor {
		var rows []struct {
			Network, Account         string
			SecretHash, PreviousHash []byte
		}
		err := s.db.conn(ctx).Table("inbound_source").Select("network, account, secret_hash, previous_hash").
			Where("id = ?", id).Scan(&rows).Error
		if err != nil {
			return InboundOrigin{}, classify(err)
		}
		origin = knownOrigin{read: now}
		for _, r := range rows {
			origin.found, origin.InboundOrigin = true, InboundOrigin{Network: channel.Network(r.Network), Account: r.Account}
			for _, hash := range [][]byte{r.SecretHash, r.PreviousHash} {
				if len(hash) > 0 {
					origin.Hashes = append(origin.Hashes, hash)
				}
			}
		}
		s.known.Add(id, origin)
	}
	if !origin.found {
		return InboundOrigin{}, notFound("inbound source")
	}
	return origin.InboundOrigin, nil
}

// storedEvent is an event as the statement takes it.
type storedEvent struct {
	Network channel.Network `json:"network"`
	Account string          `json:"account"`
	Key     string          `json:"key"`
	Kind    string          `json:"kind"`
	At      time.Time       `json:"at"`
	Body    []byte          `json:"body"`
}

// Store stores events that are not known yet, and returns their number. Without an error they are committed, unless the
// context has a transaction. Events of an account that no channel has are stored as SKIPPED, without their content.
func (s *InboundReceipts) Store(ctx context.Context, events []inbox.Event) (int, error) {
	return s.store(ctx, events, false)
}

func (s *InboundReceipts) store(ctx context.Context, events []inbox.Event, wanted bool) (stored int, err error) {
	raw, err := jsonParam(each(events, func(e inbox.Event) storedEvent {
		return storedEvent{e.Network, e.Account, e.Key, e.Kind, e.At, e.Body}
	}))
	if err != nil {
		return 0, err
	}
	err = s.db.queryRow(ctx, storeEvents, map[string]any{"events": raw, "wanted": wanted}, &stored)
	return stored, classify(err)
}
