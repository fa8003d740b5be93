package access

import (
	"context"
	"errors"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
)

// CodeRenewalRefused is the code of a network's refusal to renew credentials that it still accepts.
const CodeRenewalRefused = "RENEWAL_REFUSED"

// RenewDue renews credentials that no call renews in time, under the same lease as Renew. It marks the channel
// NEEDS_RECONNECT only after a definite refusal: if the network refuses to renew a token but still accepts it, the
// error is a *platform.Failure of ClassTransient with CodeRenewalRefused, and the channel keeps publishing. The entry that
// note returns is stored with the fresh credentials.
func (k *Keeper) RenewDue(
	ctx context.Context, link platform.Link, c channel.Channel, revision int,
	note func(fresh channel.Credentials) channel.Note,
) (channel.Credentials, error) {
	obtain := link.Refresh
	if renewer, ok := link.(platform.Renewer); ok {
		obtain = renewer.Renew
	}
	fresh, _, err := k.renew(ctx, c, revision,
		func(ctx context.Context, account platform.Account) (channel.Credentials, error) {
			fresh, err := obtain(ctx, account)
			if isReconnect(err) && k.accepted(ctx, link, account) {
				err = &platform.Failure{
					Class: platform.ClassTransient, Code: CodeRenewalRefused, Cause: err,
					Message: "The network refuses to renew the connection, which still works.",
				}
			}
			return fresh, err
		}, note)
	return fresh, err
}

// accepted reports whether the network still accepts the access token, although it does not renew it. It makes one
// read. A refused refresh token needs none, because its access token ends soon.
func (k *Keeper) accepted(ctx context.Context, link platform.Link, account platform.Account) bool {
	if account.Credentials.RefreshToken != "" || account.Credentials.Expired(k.clock.Now()) {
		return false
	}
	_, err := link.Identify(ctx, account)
	failure, classified := errors.AsType[*platform.Failure](err)
	return err == nil || classified && failure.Class != platform.ClassRefresh && failure.Class != platform.ClassReconnect
}
