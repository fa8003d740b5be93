package operator

import (
	"context"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/infra/postgres"
)

// ResetSecondFactor removes the authenticator app, the passkeys and the recovery codes of a user, signs the user out
// everywhere, and records it in the audit log of each of the user's workspaces. It reports false if the user had no
// second factor.
func (o *Operator) ResetSecondFactor(ctx context.Context, email string) (removed bool, err error) {
	u, err := o.user(ctx, email)
	if err != nil {
		return false, err
	}
	err = o.Together(ctx, func(ctx context.Context) error {
		if removed, err = postgres.NewFactors(o.db, o.keyring).Reset(ctx, u.ID); err != nil || !removed {
			return err
		}
		if err := o.users.EndUserSessions(ctx, u.ID); err != nil {
			return err
		}
		return app.RecordOfPerson(ctx, o.users, postgres.NewAudit(o.db), audit.Entry{
			At: o.now(), Actor: "operator", Action: audit.SecondFactorReset, Subject: u.String(),
		}, u.ID)
	})
	return removed, err
}
