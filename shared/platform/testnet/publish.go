package testnet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/platform"
)

// CodeRefused is the code of a post that the test network refused.
const CodeRefused = "TEST_REFUSED"

// errUnknownPost is the cause of a call with a handle that the test network does not know.
var errUnknownPost = errors.New("the test network does not know the handle")

// publisher implements platform.Connector, and platform.Reviewer for every network, so that the scripts with a review
// work on channels of every type.
type publisher struct {
	link

	connector platform.Connector
}

// Strength is that of the live connector: a network that cannot be read cannot be read in test mode either.
func (p publisher) Strength() platform.ReconcileStrength { return p.connector.Strength() }

// CarriesMedia marks the connector as one that publishes attachments.
func (publisher) CarriesMedia() {}

// Gaps returns what the live connector may not publish.
func (p publisher) Gaps(content platform.Content) []platform.Finding {
	if restricter, ok := p.connector.(platform.Restricter); ok {
		return restricter.Gaps(content)
	}
	return nil
}

func (p publisher) Prepare(
	ctx context.Context, _ platform.Account, content platform.Content, handle platform.Handle,
) (platform.Preparation, error) {
	var prepared post.TestPost
	var err error
	if handle == "" {
		prepared, err = p.Memory.Prepare(ctx, content.PostID, cmp.Or(content.Script, ScriptAccept))
	} else {
		prepared, err = p.Memory.Post(ctx, string(handle))
	}
	if err != nil {
		return platform.Preparation{}, lostUpload(err)
	}
	ready := prepared.Script != ScriptProcessing || !p.Clock.Now().Before(prepared.CreatedAt.Add(p.scaled(pause)))
	return platform.Preparation{Handle: platform.Handle(prepared.ID), Ready: ready, Wait: p.scaled(poll)}, nil
}

// lostUpload converts an error of the memory before the irrevocable call.
func lostUpload(err error) error {
	if apperr.Is(err, apperr.NotFound) {
		return &platform.Failure{
			Class: platform.ClassTransient, Code: platform.CodePreparationLost, Cause: errUnknownPost,
			Message: "The test network no longer has the upload.",
		}
	}
	return err
}

// Commit counts the call and follows the script.
func (p publisher) Commit(
	ctx context.Context, a platform.Account, _ platform.Content, handle platform.Handle,
) (platform.Publication, error) {
	if until, limited := platform.SendBy(ctx); limited && !p.Clock.Now().Before(until) {
		return platform.Publication{}, fail(a, platform.ClassTransient, platform.CodeSendWindowClosed,
			"The call to {network} was due too late; nothing was sent.")
	}
	called, err := p.Memory.Call(ctx, string(handle))
	if apperr.Is(err, apperr.NotFound) {
		return platform.Publication{}, lostUpload(err)
	}
	if err != nil {
		return platform.Publication{}, lost(a, err)
	}
	if failure := p.failure(a, called); failure != nil {
		return platform.Publication{}, failure
	}
	if called.Script == ScriptSlow {
		p.wait(ctx)
	}
	return p.accept(ctx, a, called)
}

// failure returns the failure with which the network responds before it accepts the post; nil if it accepts it.
func (p publisher) failure(a platform.Account, called post.TestPost) *platform.Failure {
	switch first := called.Calls == 1; {
	case called.Script == ScriptRefuse:
		return fail(a, platform.ClassRejected, CodeRefused, "{network} refuses the post, as its test script says.")
	case called.Script == ScriptUnavailable, called.Script == ScriptUnavailableOnce && first:
		return fail(a, platform.ClassTransient, post.ErrorPlatformDown, "{network} could not be reached.")
	case called.Script == ScriptRateLimited && first:
		limited := fail(a, platform.ClassRateLimited, post.ErrorRateLimited, "{network} limits how often this account may publish.")
		limited.Until = p.Clock.Now().Add(p.scaled(pause))
		return limited
	case called.Script == ScriptTokenExpired && first:
		return fail(a, platform.ClassRefresh, "TOKEN_EXPIRED", "The connection to {network} has to be renewed.")
	case called.Script == ScriptTokenRevoked && first:
		return fail(a, platform.ClassReconnect, post.ErrorNeedsReconnect,
			"{network} no longer accepts this connection. Connect the channel again.")
	case called.Script == ScriptLostForGood, called.Script == ScriptTimeoutLost && first:
		return lost(a, nil)
	}
	return nil
}

func lost(a platform.Account, cause error) *platform.Failure {
	failure := fail(a, platform.ClassUnknown, post.ErrorOutcomeUnknown, "{network} did not confirm whether the post was published.")
	failure.Cause = cause
	return failure
}

// accept lets the network have the post. The response may be lost after that.
func (p publisher) accept(ctx context.Context, a platform.Account, called post.TestPost) (platform.Publication, error) {
	var collectAfter time.Duration
	if called.Script == ScriptRemovedLater && a.Type.Capabilities().Analytics {
		collectAfter = p.scaled(removedAfter)
	}
	accepted, err := p.Memory.Accept(ctx, called.ID, collectAfter)
	if err != nil {
		return platform.Publication{}, lost(a, err)
	}
	if called.Script == ScriptTimeoutAfterAccept && called.Calls == 1 {
		return platform.Publication{}, lost(a, nil)
	}
	return p.publication(accepted), nil
}

// wait delays the response.
func (p publisher) wait(ctx context.Context) {
	timer := time.NewTimer(p.scaled(pause))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (p publisher) publication(of post.TestPost) platform.Publication {
	reviews := of.Script == ScriptReviewAccepted || of.Script == ScriptReviewRefused
	return platform.Publication{
		ExternalID: of.ID, URL: p.PostURL(of.WorkspaceID, of.PostID),
		InReview:    reviews && p.age(of) < p.scaled(pause),
		Unconfirmed: p.Strength() == platform.ReconcileNone,
	}
}

// age returns the time since the network accepted the post.
func (p publisher) age(of post.TestPost) time.Duration { return p.Clock.Now().Sub(of.AcceptedAt) }

// Reconcile reads the memory.
func (p publisher) Reconcile(
	ctx context.Context, a platform.Account, content platform.Content, sent platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	var found post.TestPost
	var err error
	if sent.Handle == "" { // after a restore
		found, err = p.Memory.Accepted(ctx, content.PostID)
	} else {
		found, err = p.Memory.Post(ctx, string(sent.Handle))
	}
	switch {
	case apperr.Is(err, apperr.NotFound):
		return platform.EvidenceAbsent, platform.Publication{}, nil
	case err != nil:
		return platform.EvidenceUnclear, platform.Publication{}, fmt.Errorf("read the memory of the test network: %w", err)
	case found.Script == ScriptLostForGood:
		return platform.EvidenceUnclear, platform.Publication{}, fail(a, platform.ClassUser, platform.CodeReadRefused,
			"{network} does not show the account’s posts to this connection.")
	case found.AcceptedAt.IsZero():
		return platform.EvidenceAbsent, platform.Publication{}, nil
	default:
		return platform.EvidenceFound, p.publication(found), nil
	}
}

// Review reads the state of an accepted post. The zero publication is that of a post that the service no longer has.
func (p publisher) Review(ctx context.Context, a platform.Account, externalID string) (platform.Publication, error) {
	seen, err := p.Memory.Post(ctx, externalID)
	switch {
	case err != nil && !apperr.Is(err, apperr.NotFound):
		return platform.Publication{}, fmt.Errorf("read the memory of the test network: %w", err)
	case err != nil, seen.Script == ScriptRemovedLater && p.age(seen) >= p.scaled(removedAfter):
		return platform.Publication{}, fail(a, platform.ClassRejected, CodeRefused, "{network} removed the post, as its test script says.")
	case seen.Script == ScriptReviewRefused && p.age(seen) >= p.scaled(pause):
		return platform.Publication{}, fail(a, platform.ClassRejected, CodeRefused,
			"{network} refused the post in its review, as its test script says.")
	default:
		return p.publication(seen), nil
	}
}
