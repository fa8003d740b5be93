package threads

import (
	"context"
	"net/url"

	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/graph"
	"socialpub.internal/shared/platform/wire"
	"socialpub.internal/shared/post"
)

// The states of a container.
const (
	statusInProgress = "IN_PROGRESS"
	statusFinished   = "FINISHED"
	statusPublished  = "PUBLISHED"
	statusError      = "ERROR"
	statusExpired    = "EXPIRED"
)

type container struct {
	ID           string `json:"id"`
	Status       string `json:"status"`
	ErrorMessage string `json:"error_message"`
}

// Prepare makes the container, or looks whether the one of the handle is ready. A container that has expired, is
// gone or failed for a passing reason is replaced: nobody has seen it.
func (c *Connector) Prepare(
	ctx context.Context, account platform.Account, content platform.Content, handle platform.Handle,
) (platform.Preparation, error) {
	if !usable(account) {
		return platform.Preparation{}, c.client.Reconnect(errNoToken)
	}
	if !idPattern.MatchString(string(handle)) {
		return c.create(ctx, account, content)
	}
	state, err := c.status(ctx, account, handle)
	if err != nil {
		return platform.Preparation{}, err
	}
	switch {
	case state.Status == statusFinished:
		return platform.Preparation{Handle: handle, Ready: true}, nil
	case state.Status == statusInProgress:
		return platform.Preparation{Handle: handle, Wait: containerWait}, nil
	case state.Status == statusPublished:
		return platform.Preparation{}, c.client.Fail(platform.ClassUnknown, post.ErrorOutcomeUnknown, nil,
			"Threads has already published this post.")
	case state.Status == statusExpired, state.Status == statusGone, state.passing():
		return c.create(ctx, account, content)
	default:
		return platform.Preparation{}, c.containerFailure(state)
	}
}

// create makes a container and looks at it once: those of text are ready at once. From the moment the container
// exists nothing fails any more, so that its handle is not lost.
func (c *Connector) create(ctx context.Context, account platform.Account, content platform.Content) (platform.Preparation, error) {
	form := url.Values{"media_type": {"TEXT"}, "text": {content.Text}}
	response, err := c.client.Call(ctx, c.form("create", account, form, account.ExternalID, "threads"))
	if err != nil {
		return platform.Preparation{}, err
	}
	if !response.OK() {
		return platform.Preparation{}, c.failure(response)
	}
	var made container
	if err := response.Decode(&made); err != nil || !idPattern.MatchString(made.ID) {
		return platform.Preparation{}, c.client.Unclear(response, "no container in the answer")
	}
	preparation := platform.Preparation{Handle: platform.Handle(made.ID), Wait: containerWait}
	if state, err := c.status(ctx, account, preparation.Handle); err == nil && state.Status == statusFinished {
		preparation.Ready, preparation.Wait = true, 0
	}
	return preparation, nil
}

// status reads the container's state; statusGone when Threads no longer knows it.
func (c *Connector) status(ctx context.Context, account platform.Account, handle platform.Handle) (container, error) {
	query := url.Values{"fields": {"status,error_message"}}
	response, err := c.get(ctx, "status", account, query, string(handle))
	if err != nil {
		return container{}, err
	}
	if !response.OK() {
		if missing(graph.ErrorOf(response)) {
			return container{Status: statusGone}, nil
		}
		return container{}, c.failure(response)
	}
	return c.readContainer(response)
}

func (c *Connector) readContainer(response wire.Response) (container, error) {
	var state container
	if err := response.Decode(&state); err != nil || state.Status == "" {
		return container{}, c.client.Unclear(response, "no status in the answer")
	}
	return state, nil
}

// statusGone is our own word for a container that Threads does not know.
const statusGone = "GONE"

// passing reports a failed container that a new one may cure.
func (s container) passing() bool {
	return s.Status == statusError && (s.ErrorMessage == "" || s.ErrorMessage == "UNKNOWN" || s.ErrorMessage == "FAILED_DOWNLOADING_VIDEO")
}

func (c *Connector) containerFailure(state container) *platform.Failure {
	if state.Status != statusError {
		return c.client.Unavailable(errUnknownStatus)
	}
	return c.client.Fail(platform.ClassRejected, CodeRefused, errContainerFailed,
		"Threads could not process the post. Change it, then publish it again.")
}
