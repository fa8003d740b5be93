package linkedin

import (
	"context"
	"net/http"
	"time"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// doubtTimeout is the timeout of the read that checks the connection.
const doubtTimeout = 10 * time.Second

// refused classifies LinkedIn's refusal of a post. A 403 or 404 alone does not prove that the connection is lost, so
// the account is read before the failure asks a user to reconnect it. If the connection is intact, the post is sent
// again later, unless LinkedIn names the missing permission: only another consent grants it.
func (c *Connector) refused(
	ctx context.Context, account platform.Account, author string, response httpcall.Response,
) *platform.Failure {
	failure := c.failure(account, response)
	if failure.Class != platform.ClassReconnect ||
		response.Status != http.StatusForbidden && response.Status != http.StatusNotFound {
		return failure
	}
	ctx, cancel := context.WithTimeout(ctx, doubtTimeout)
	defer cancel()
	found, err := c.identify(ctx, account, author)
	if err != nil {
		return c.unconfirmed(failure, platform.FailureOf(err))
	}
	if p, _ := problemOf(response); found.ID == author && !p.says("not enough permissions") {
		return c.client.Fail(platform.ClassTransient, CodeForbidden, failure.Cause,
			"LinkedIn refused the post without a reason, although it accepts the connection.")
	}
	if found.ID == author {
		failure.Message = "LinkedIn does not let this connection publish. Connect the channel again with the permission " +
			c.kind.postScope + "."
	}
	return failure
}

// unconfirmed returns the failure of a post that was refused with the given failure if the account could not be read.
func (c *Connector) unconfirmed(refusal, read *platform.Failure) *platform.Failure {
	switch read.Class {
	case platform.ClassRefresh, platform.ClassOperator:
		return read
	case platform.ClassReconnect, platform.ClassUser, platform.ClassRejected:
		return refusal
	case platform.ClassTransient, platform.ClassRateLimited, platform.ClassUnknown:
	}
	return c.client.Fail(platform.ClassTransient, CodeForbidden, read.Cause,
		"LinkedIn refused the post, and did not report whether it still accepts the connection.")
}
