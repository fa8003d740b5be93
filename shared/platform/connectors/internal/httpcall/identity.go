package httpcall

import (
	"context"

	"fencepost.internal/shared/platform"
)

// IdentityFailure converts a failure, as the connector classifies it for calls about posts, into the failure of a call
// that reads the account of an access token.
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

// AskIdentity makes a call that reads the account of an access token, and decodes the response into a value. The class
// function classifies an error response.
func (c *Client) AskIdentity(
	ctx context.Context, request Request, class func(Response) *platform.Failure, into any,
) (Response, error) {
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

// Identity returns the identity with this id. It returns a failure if the id is empty.
func (c *Client) Identity(response Response, id, username string) (platform.Identity, error) {
	if id == "" {
		return platform.Identity{}, c.Unclear(response, "no account in the response")
	}
	return platform.Identity{ID: id, Username: username}, nil
}
