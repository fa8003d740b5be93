package app

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"socialpub.internal/shared/apperr"
	"socialpub.internal/shared/clock"
	"socialpub.internal/shared/credential"
	"socialpub.internal/shared/ident"
	"socialpub.internal/shared/postgres"
	"socialpub.internal/shared/workspace"
)

const (
	// keyFreshness bounds how long a revoked key may still be accepted.
	keyFreshness = 800 * time.Millisecond
	// maxCachedKeys bounds the cache; when it is full it starts anew.
	maxCachedKeys = 10_000
	touchTimeout  = 2 * time.Second
)

// keyCache spares the database a look-up for every request of a busy client. Only keys that exist are kept, so that
// guessing fills nothing.
type keyCache struct {
	store  *postgres.Keys
	clock  clock.Clock
	log    *slog.Logger
	flight singleflight.Group

	mu      sync.Mutex
	entries map[[32]byte]cachedKey
	touched map[ident.Credential]time.Time
}

type cachedKey struct {
	key  credential.Key
	plan workspace.Plan // of the key's workspace
	read time.Time
}

func newKeyCache(store *postgres.Keys, clk clock.Clock, log *slog.Logger) *keyCache {
	return &keyCache{
		store: store, clock: clk, log: log,
		entries: make(map[[32]byte]cachedKey), touched: make(map[ident.Credential]time.Time),
	}
}

func unauthenticated() error {
	return apperr.New(apperr.Unauthenticated, "The credential is missing, unknown, expired or revoked. Send Authorization: Bearer <API key>.")
}

func (c *keyCache) find(ctx context.Context, token string) (cachedKey, error) {
	hash, err := credential.Hash(token)
	if err != nil {
		return cachedKey{}, unauthenticated()
	}
	now := c.clock.Now()
	c.mu.Lock()
	entry, hit := c.entries[hash]
	c.mu.Unlock()
	if !hit || now.Sub(entry.read) > keyFreshness {
		if entry, err = c.read(ctx, hash, now); err != nil {
			return cachedKey{}, err
		}
	}
	if !entry.key.Valid(now) {
		return cachedKey{}, unauthenticated()
	}
	return entry, nil
}

func (c *keyCache) read(ctx context.Context, hash [32]byte, now time.Time) (cachedKey, error) {
	found, err, _ := c.flight.Do(string(hash[:]), func() (any, error) {
		// Detached: one caller's hang-up must not fail the others that wait for the same answer.
		key, plan, err := c.store.ByHash(context.WithoutCancel(ctx), hash)
		if err != nil {
			return nil, err
		}
		entry := cachedKey{key: key, plan: plan, read: now}
		c.keep(hash, entry) //nolint:contextcheck // noting a use is no part of the request
		return entry, nil
	})
	if apperr.Is(err, apperr.NotFound) {
		return cachedKey{}, unauthenticated()
	}
	if err != nil {
		return cachedKey{}, err
	}
	entry, ok := found.(cachedKey)
	if !ok {
		return cachedKey{}, errors.New("key look-up gave no key")
	}
	return entry, nil
}

func (c *keyCache) keep(hash [32]byte, entry cachedKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.entries) >= maxCachedKeys {
		clear(c.entries)
		clear(c.touched)
	}
	c.entries[hash] = entry
	if id := entry.key.ID; entry.read.Sub(c.touched[id]) >= time.Minute && entry.key.Valid(entry.read) {
		c.touched[id] = entry.read
		go c.touch(id, entry.read)
	}
}

// touch notes the use of a key, apart from the request: it must neither slow nor fail it.
func (c *keyCache) touch(id ident.Credential, now time.Time) {
	ctx, cancel := context.WithTimeout(context.Background(), touchTimeout)
	defer cancel()
	if err := c.store.Touch(ctx, id, now); err != nil {
		c.log.WarnContext(ctx, "noting the use of an API key failed", slog.Any("error", err))
	}
}
