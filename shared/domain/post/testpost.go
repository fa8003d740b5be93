package post

import (
	"time"

	"fencepost.internal/shared/kernel/ident"
)

// TestPost is a post in the memory of the test network (docs/contract.md, Test mode).
type TestPost struct {
	ID          string // the handle of the attempt, and the ID on the test network
	WorkspaceID ident.Workspace
	PostID      ident.Post
	Script      string
	Calls       int // irrevocable calls for the post with this script, by every attempt
	CreatedAt   time.Time
	AcceptedAt  time.Time // zero: the network does not have the post
}
