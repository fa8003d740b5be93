package youtube

import (
	"context"
	"errors"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/comments"
)

// Strength returns ReconcileExact: the handle names the video, whose visibility can be read. Comments are listed and compared.
func (c *Connector) Strength() platform.ReconcileStrength { return platform.ReconcileExact }

// Reconcile reads the visibility of the uploaded video. A video with the requested visibility is published, and any other
// is not. Without the handle nothing identifies the video, because a title may occur repeatedly on a channel.
func (c *Connector) Reconcile(
	ctx context.Context, account platform.Account, content platform.Content, sent platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	if !usable(account) {
		return platform.EvidenceUnclear, platform.Publication{}, c.client.Reconnect(errNoToken)
	}
	if comments.IsFirst(content) {
		return c.reconcileFirst(ctx, account, content, sent)
	}
	id := videoOf(sent.Handle)
	if id == "" {
		return platform.EvidenceUnclear, platform.Publication{}, nil
	}
	seen, err := c.look(ctx, "reconcile", account, id)
	switch {
	case errors.Is(err, errVideoGone):
		return platform.EvidenceAbsent, platform.Publication{}, nil
	case err != nil:
		return platform.EvidenceUnclear, platform.Publication{}, c.unread(err)
	case seen.Status.Privacy != visibilityOf(content.Options):
		return platform.EvidenceAbsent, platform.Publication{}, nil
	default:
		return platform.EvidenceFound, c.publication(content, seen), nil
	}
}

// unread returns the failure for a read that YouTube refused, which says nothing about the connection.
func (c *Connector) unread(err error) error {
	if failure, ok := errors.AsType[*platform.Failure](err); ok {
		return c.client.ReadRefused(failure, "youtube.readonly")
	}
	return err
}

// Review reads how YouTube processes a published video. It may refuse the file, or its content as a violation of its
// rules.
func (c *Connector) Review(
	ctx context.Context, account platform.Account, externalID string,
) (platform.Publication, error) {
	if !usable(account) {
		return platform.Publication{}, c.client.Reconnect(errNoToken)
	}
	seen, err := c.look(ctx, "review", account, externalID)
	if errors.Is(err, errVideoGone) { // its owner may have deleted it
		return platform.Publication{}, c.client.Unavailable(err)
	}
	if err != nil {
		if failure := platform.FailureOf(err); failure.Class != platform.ClassRefresh {
			return platform.Publication{}, c.client.Unavailable(failure.Cause) // a refused read says nothing about the video
		}
		return platform.Publication{}, err
	}
	if failure := c.unusable(seen); failure != nil {
		return platform.Publication{}, failure
	}
	return platform.Publication{ExternalID: seen.ID, InReview: seen.inReview()}, nil
}
