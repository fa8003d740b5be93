package authserver

import (
	"context"
	"errors"
	"time"

	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/clock"
)

// FirstParty manages the clients that the operator creates. It needs no HTTP. It is safe for concurrent use.
type FirstParty struct {
	clients *postgres.Clients
	clock   clock.Clock
}

// NewFirstParty returns a FirstParty.
func NewFirstParty(db *postgres.DB, clk clock.Clock) (*FirstParty, error) {
	if db == nil || clk == nil {
		return nil, errors.New("authserver: every dependency is required")
	}
	return &FirstParty{clients: postgres.NewClients(db), clock: clk}, nil
}

func (f *FirstParty) now() time.Time { return f.clock.Now().UTC().Truncate(time.Millisecond) }

// Add creates a client. A confidential client's secret is returned only once. The error is an *oauth.Error for invalid
// metadata.
func (f *FirstParty) Add(ctx context.Context, m oauth.ClientMetadata) (Registration, error) {
	c, err := m.Client(oauth.FirstParty)
	if err != nil {
		return Registration{}, err
	}
	created, err := named(c, f.now())
	if err != nil {
		return Registration{}, err
	}
	return created, f.clients.Insert(ctx, created.Client)
}

// List returns the clients that the operator created, oldest first.
func (f *FirstParty) List(ctx context.Context) ([]oauth.Client, error) { return f.clients.List(ctx) }

// Get returns a client of any origin and the number of its grants, or NOT_FOUND.
func (f *FirstParty) Get(ctx context.Context, id string) (c oauth.Client, grants int, err error) {
	if c, _, err = f.clients.Get(ctx, id); err != nil {
		return oauth.Client{}, 0, err
	}
	grants, err = f.clients.Granted(ctx, id, f.now())
	return c, grants, err
}

// RotateSecret replaces the secret of a confidential client. The new secret is returned only once, and the previous one
// is invalid immediately. Grants stay valid. The error is NOT_FOUND for a client without a secret from the operator.
func (f *FirstParty) RotateSecret(ctx context.Context, id string) (secret string, err error) {
	secret, hash, err := newSecret()
	if err != nil {
		return "", err
	}
	return secret, f.clients.ReplaceSecret(ctx, id, hash)
}

// Remove deletes a client of any origin and ends its grants; NOT_FOUND when it does not exist.
func (f *FirstParty) Remove(ctx context.Context, id string) error { return f.clients.Delete(ctx, id) }
