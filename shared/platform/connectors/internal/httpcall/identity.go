package httpcall

import (
	"context"

	"socialpub.internal/shared/platform"
)

// IdentityFailure is the failure of a call that asks for the account of an access token, as the network's connector classes it
// for calls about posts.
func (c *Client) IdentityFailure(failure *platform.Failure) *platform.Failure {
	switch failure.Class {
	case platform.ClassRejected:
		return c.Fail(platform.ClassRejected, platform.CodeIdentityRefused, failure.Cause,
			"%s refused to report the account of this access token.", c.config.Name)
	case platform.ClassUnknown, platform.ClassTransient: // the call only reads, so its outcome is never unknown
		return c.Unavailable(failure.Cause)
	case platform.ClassRateLimited, platform.ClassRefresh, platform.ClassReconnect, platform.ClassUser, platform.ClassOperator:
	}
	return failure
}

// AskIdentity makes a call that asks for the account of an access token and decodes the response into a value. Class classes a
// response that is no success.
func (c *Client) AskIdentity(ctx context.Context, request Request, class func(Response) *platform.Failure, into any) (Response, error) {
	request.Operation = "identify"
	response, err := c.Call(ctx, request)
	if err != nil {
		return Response{}, err
	}
	if !response.OK() {
		return Response{}, c.IdentityFailure(class(response))
	}
	if response.Decode(into) != nil {
		return Response{}, c.Unclear(response, "no account in the response")
	}
	return response, nil
}

// Identity is the identity with this id; a failure when the response holds none.
func (c *Client) Identity(response Response, id, username string) (platform.Identity, error) {
	if id == "" {
		return platform.Identity{}, c.Unclear(response, "no account in the response")
	}
	return platform.Identity{ID: id, Username: username}, nil
}
