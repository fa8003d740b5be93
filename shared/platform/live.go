package platform

import (
	"context"
	"time"
)

// Live is a published post on its network.
type Live struct {
	ExternalID string
	Parts      []string // ids of all parts; empty if the post has one
	Captioned  bool     // the post has attachments, and its text is their caption
}

// LiveChanger is a connector whose network allows people to change published posts. Both methods may be repeated: a
// call that finds its effect on the network succeeds, and so a lost response is reconciled. A Failure whose
// class is not ClassUnknown guarantees that this call changed nothing. They obey SendBy as Commit does.
type LiveChanger interface {
	Connector
	// EditLive replaces the text of the post.
	EditLive(ctx context.Context, account Account, live Live, text string) error
	// DeleteLive deletes the post with all its parts.
	DeleteLive(ctx context.Context, account Account, live Live) error
	// DeleteWithin returns the age up to which posts can be deleted.
	DeleteWithin() time.Duration
}

// CodeLiveGone is the code of a refusal because the post is no longer on its network.
const CodeLiveGone = "LIVE_POST_GONE"
