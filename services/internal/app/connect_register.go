package app

import (
	"context"
	"errors"
	"slices"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/access"
)

// RegistrationField returns the value that a person enters for accounts of a type that Need it; nil if there is none.
func (c *Connections) RegistrationField(t channel.Type) *platform.Field {
	link, _ := c.links.Link(channel.Channel{Type: t})
	registrar, ok := link.(platform.Registrar)
	if !ok {
		return nil
	}
	return new(registrar.RegistrationField())
}

// Register registers the chosen accounts of an attempt that need it, with the values by the accounts' IDs. It remembers which are
// registered. VALIDATION_FAILED, by the accounts' IDs, with what the network says.
func (c *Connections) Register(
	ctx context.Context, p Principal, session string, id ident.Connect, chosen []string, values map[string]string,
) error {
	if err := p.Require(credential.ChannelsConnect); err != nil {
		return err
	}
	a, secret, err := c.connects.Get(ctx, p.WorkspaceID, id, hashed(session))
	if err != nil {
		return err
	}
	link, _ := c.links.Link(channel.Channel{Type: a.Type})
	registrar, ok := link.(platform.Registrar)
	if !ok || a.Outcome != channel.AttemptPicking || !c.now().Before(a.ExpiresAt) {
		return nil // Pick says what is wrong
	}
	var faults []apperr.Field
	var registered []string
	for _, one := range secret.Accounts {
		if !one.Needs || !slices.Contains(chosen, one.ExternalID) {
			continue
		}
		limited, cancel := context.WithTimeout(ctx, networkTime)
		err := registrar.Register(limited, access.AccountOf(
			channel.Channel{Type: one.Type, ExternalID: one.ExternalID, Username: one.Username}, one.Credentials), values[one.ExternalID])
		cancel()
		if err != nil {
			faults = append(faults, apperr.Field{Pointer: "/" + one.ExternalID, Message: platform.FailureOf(err).Message})
			continue
		}
		registered = append(registered, one.ExternalID)
	}
	if len(registered) > 0 {
		err = c.registered(ctx, p, session, id, registered)
	}
	return errors.Join(err, apperr.Invalid(faults))
}

// registered remembers that accounts of an attempt need nothing any more.
func (c *Connections) registered(ctx context.Context, p Principal, session string, id ident.Connect, accounts []string) error {
	return c.db.WithinRetriedTx(ctx, func(ctx context.Context) error {
		a, secret, err := c.connects.GetLocked(ctx, p.WorkspaceID, id, hashed(session))
		if err != nil {
			return err
		}
		for i, one := range secret.Accounts {
			if one.Needs && slices.Contains(accounts, one.ExternalID) {
				secret.Accounts[i].Needs = false
				c.step(&a, one.Name+" is registered.")
			}
		}
		return c.connects.Save(ctx, a, secret)
	})
}
