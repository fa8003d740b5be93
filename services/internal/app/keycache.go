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

func (c *keyCache) find(ctx context.Context, token string) (credential.Key, error) {
	hash, err := credential.Hash(token)
	if err != nil {
		return credential.Key{}, unauthenticated()
	}
	now := c.clock.Now()
	c.mu.Lock()
	entry, hit := c.entries[hash]
	c.mu.Unlock()
	if !hit || now.Sub(entry.read) > keyFreshness {
		if entry.key, err = c.read(ctx, hash, now); err != nil {
			return credential.Key{}, err
		}
	}
	if !entry.key.Valid(now) {
		return credential.Key{}, unauthenticated()
	}
	return entry.key, nil
}

func (c *keyCache) read(ctx context.Context, hash [32]byte, now time.Time) (credential.Key, error) {
	found, err, _ := c.flight.Do(string(hash[:]), func() (any, error) {
		// Detached: one caller's hang-up must not fail the others that wait for the same answer.
		key, err := c.store.ByHash(context.WithoutCancel(ctx), hash)
		if err != nil {
			return nil, err
		}
		c.keep(hash, key, now) //nolint:contextcheck // noting a use is no part of the request
		return key, nil
	})
	if apperr.Is(err, apperr.NotFound) {
		return credential.Key{}, unauthenticated()
	}
	if err != nil {
		return credential.Key{}, err
	}
	key, ok := found.(credential.Key)
	if !ok {
		return credential.Key{}, errors.New("key look-up gave no key")
	}
	return key, nil
}

func (c *keyCache) keep(hash [32]byte, key credential.Key, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.entries) >= maxCachedKeys {
		clear(c.entries)
		clear(c.touched)
	}
	c.entries[hash] = cachedKey{key: key, read: now}
	if now.Sub(c.touched[key.ID]) >= time.Minute && key.Valid(now) {
		c.touched[key.ID] = now
		go c.touch(key.ID, now)
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
