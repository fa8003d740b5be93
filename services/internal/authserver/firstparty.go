package authserver

import (
	"context"
	"errors"
	"time"

	"socialpub.internal/shared/domain/oauth"
	"socialpub.internal/shared/infra/postgres"
	"socialpub.internal/shared/kernel/clock"
)

// FirstParty keeps the clients that the operator makes. It needs no HTTP. It is safe for concurrent use.
type FirstParty struct {
	clients *postgres.Clients
	clock   clock.Clock
}

// NewFirstParty makes it.
func NewFirstParty(db *postgres.DB, clk clock.Clock) (*FirstParty, error) {
	if db == nil || clk == nil {
		return nil, errors.New("authserver: every dependency is required")
	}
	return &FirstParty{clients: postgres.NewClients(db), clock: clk}, nil
}

func (f *FirstParty) now() time.Time { return f.clock.Now().UTC().Truncate(time.Millisecond) }

// Add takes a client. Its secret, of a confidential one, is known this once. The error is an *oauth.Error for a description that
// will not do.
func (f *FirstParty) Add(ctx context.Context, m oauth.ClientMetadata) (Registration, error) {
	c, err := m.Client(oauth.FirstParty)
	if err != nil {
		return Registration{}, err
	}
	made, err := named(c, f.now())
	if err != nil {
		return Registration{}, err
	}
	return made, f.clients.Insert(ctx, made.Client)
}

// List reads the clients that the operator made, oldest first.
func (f *FirstParty) List(ctx context.Context) ([]oauth.Client, error) { return f.clients.List(ctx) }

// Get reads a client, however it became known, and how many people's grants it has; NOT_FOUND when there is none.
func (f *FirstParty) Get(ctx context.Context, id string) (c oauth.Client, grants int, err error) {
	if c, _, err = f.clients.Get(ctx, id); err != nil {
		return oauth.Client{}, 0, err
	}
	grants, err = f.clients.Granted(ctx, id, f.now())
	return c, grants, err
}

// RotateSecret gives a confidential client another secret, which is known this once; the one before proves nothing from then on.
// What people have allowed the client stays. NOT_FOUND for a client that has no secret of the operator's.
func (f *FirstParty) RotateSecret(ctx context.Context, id string) (secret string, err error) {
	secret, hash, err := newSecret()
	if err != nil {
		return "", err
	}
	return secret, f.clients.ReplaceSecret(ctx, id, hash)
}

// Remove forgets a client, however it became known, and ends all that people have allowed it. NOT_FOUND when there is none.
func (f *FirstParty) Remove(ctx context.Context, id string) error { return f.clients.Delete(ctx, id) }
