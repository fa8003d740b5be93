package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/hashicorp/golang-lru/v2/expirable"
	"golang.org/x/sync/singleflight"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
)

const (
	// keyFreshness limits how long a revoked key may still be accepted.
	keyFreshness = 800 * time.Millisecond
	// maxCachedKeys limits the size of the cache. The keys used last stay.
	maxCachedKeys = 10_000
	touchTimeout  = 2 * time.Second
)

// keyCache caches keys, so that a busy client does not cause a query per request. It holds only existing keys, so that
// guesses cannot fill it.
type keyCache struct {
	store  *postgres.Keys
	grants *postgres.Grants
	// audience is the required audience of access tokens (RFC 8707); if it is empty, no access token is accepted.
	audience string
	clock    clock.Clock
	log      *slog.Logger
	flight   singleflight.Group
	// entries has no lifetime of its own, because the LRU reads the system's clock. Each entry has its time.
	entries *expirable.LRU[[32]byte, cachedKey]
}

type cachedKey struct {
	key       credential.Key
	program   string                  // name of the OAuth client of an access token; empty for an API key
	grantor   []credential.Permission // of the person who granted an access token; nil for an API key
	grantorID ident.User              // that person; zero for an API key
	channels  []ident.Channel         // to which that person is limited
	plan      workspace.Plan          // of the key's workspace
	mode      workspace.Mode          // of the key's workspace
	read      time.Time
	touched   time.Time // when the use of an API key was last recorded
}

func newKeyCache(
	store *postgres.Keys, grants *postgres.Grants, audience string, clk clock.Clock, log *slog.Logger,
) *keyCache {
	return &keyCache{
		store: store, grants: grants, audience: audience, clock: clk, log: log,
		entries: expirable.NewLRU[[32]byte, cachedKey](maxCachedKeys, nil, 0),
	}
}

func unauthenticated() error {
	return apperr.New(apperr.Unauthenticated,
		"The credential is missing, unknown, expired or revoked. Send Authorization: Bearer <API key>.")
}

func (c *keyCache) find(ctx context.Context, token string) (cachedKey, error) {
	lookUp := c.key
	hash, err := credential.HashKey(token)
	if err != nil {
		lookUp = c.access
		hash, err = credential.AccessToken.Hash(token)
	}
	if err != nil {
		return cachedKey{}, unauthenticated()
	}
	now := c.clock.Now()
	entry, hit := c.entries.Get(hash)
	if !hit || now.Sub(entry.read) > keyFreshness {
		if entry, err = c.read(ctx, hash, now, lookUp); err != nil {
			return cachedKey{}, err
		}
	}
	if !entry.key.Valid(now) {
		return cachedKey{}, unauthenticated()
	}
	return entry, nil
}

// key returns an API key.
func (c *keyCache) key(ctx context.Context, hash [32]byte, _ time.Time) (cachedKey, error) {
	key, plan, mode, err := c.store.ByHash(ctx, hash)
	return cachedKey{key: key, plan: plan, mode: mode}, err
}

// access returns an access token; NOT_FOUND for a token with another audience. It records the first use of the token.
// After that, a repeated refresh does not return the token again.
func (c *keyCache) access(ctx context.Context, hash [32]byte, now time.Time) (cachedKey, error) {
	access, plan, err := c.grants.AccessToken(ctx, hash)
	if err != nil {
		return cachedKey{}, err
	}
	if c.audience == "" || access.Grant.Resource != c.audience {
		return cachedKey{}, apperr.New(apperr.NotFound, "There is no such access token.")
	}
	if access.UsedAt.IsZero() && access.Valid(now) {
		err = c.grants.Used(ctx, hash, now)
	}
	return cachedKey{plan: plan, mode: workspace.Live, program: access.Program, grantor: access.Person, grantorID: access.Grant.UserID, channels: access.Channels, key: credential.Key{
		ID: ident.Credential(access.Grant.ID), WorkspaceID: access.Grant.WorkspaceID, Name: access.Program, Hash: hash,
		Scopes:    access.Scopes,
		ExpiresAt: access.ExpiresAt, RevokedAt: access.Grant.RevokedAt, CreatedAt: access.Grant.CreatedAt,
	}}, err
}

func (c *keyCache) read(
	ctx context.Context, hash [32]byte, now time.Time, lookUp func(context.Context, [32]byte, time.Time) (cachedKey, error),
) (cachedKey, error) {
	found, err, _ := c.flight.Do(string(hash[:]), func() (any, error) {
		// Detached: the cancellation of one caller must not fail the other callers that wait for the same result.
		entry, err := lookUp(context.WithoutCancel(ctx), hash, now)
		if err != nil {
			return nil, err
		}
		entry.read = now
		c.keep(hash, entry) //nolint:contextcheck // recording a use is not part of the request
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
		return cachedKey{}, errors.New("key look-up returned no key")
	}
	return entry, nil
}

// keep caches the entry, and records the use of an API key once per minute. The flight admits one caller per hash.
func (c *keyCache) keep(hash [32]byte, entry cachedKey) {
	earlier, _ := c.entries.Peek(hash)
	entry.touched = earlier.touched
	if entry.program == "" && entry.read.Sub(entry.touched) >= time.Minute && entry.key.Valid(entry.read) {
		entry.touched = entry.read
		go c.touch(entry.key.ID, entry.read)
	}
	c.entries.Add(hash, entry)
}

// touch records the use of a key outside the request, which it must neither delay nor fail.
func (c *keyCache) touch(id ident.Credential, now time.Time) {
	ctx, cancel := context.WithTimeout(context.Background(), touchTimeout)
	defer cancel()
	if err := c.store.Touch(ctx, id, now); err != nil {
		c.log.WarnContext(ctx, "recording the use of an API key failed", slog.Any("error", err))
	}
}
