package operator

import (
	"context"
	"slices"

	"fencepost.internal/shared/infra/postgres"
)

// KeyUse is the use of the keys that encrypt secrets.
type KeyUse struct {
	Active string   // the key that encrypts
	Keys   []string // all keys of the program
	Counts []postgres.SecretCount
}

// Known reports whether the program has the key.
func (u KeyUse) Known(key string) bool { return slices.Contains(u.Keys, key) }

// Unused returns the keys of the program, except the active one, that encrypt nothing.
func (u KeyUse) Unused() []string {
	var unused []string
	for _, key := range u.Keys {
		if key != u.Active && !slices.ContainsFunc(u.Counts, func(c postgres.SecretCount) bool { return c.Key == key }) {
			unused = append(unused, key)
		}
	}
	return unused
}

// KeyUse counts the secrets under each key.
func (o *Operator) KeyUse(ctx context.Context) (KeyUse, error) {
	counts, err := o.secrets.Count(ctx)
	return KeyUse{Active: o.keyring.ActiveKeyID(), Keys: o.keyring.KeyIDs(), Counts: counts}, err
}

// Rewrap encrypts every secret with the active key; see postgres.Secrets.
func (o *Operator) Rewrap(ctx context.Context, batch int, report func(postgres.Rewrapped) error) error {
	var f faults
	if batch < 1 {
		f.add(MemberBatch, "must be at least 1")
	}
	if err := f.err(); err != nil {
		return err
	}
	return o.secrets.Rewrap(ctx, batch, report)
}
