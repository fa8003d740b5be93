package platform

import (
	"context"

	"fencepost.internal/shared/domain/channel"
)

// FactReader is a link whose network says what an account may publish. The accounts that a Connecter lists have the same
// facts.
type FactReader interface {
	// Facts reads what is known about the account at this moment.
	Facts(ctx context.Context, account Account) (channel.Facts, error)
}

// BoardLister is a link whose network sorts posts into boards.
type BoardLister interface {
	// Boards returns every board of the account that accepts posts, in the network's order.
	Boards(ctx context.Context, account Account) ([]Board, error)
}

// Board is a Pinterest board (docs/contract.md, Boards).
type Board struct {
	ID       string
	Name     string
	Privacy  string // PUBLIC, PROTECTED or SECRET; the network may add values
	PinCount int
}

// CreatorInformer is a link whose network requires a query of the account's permissions before each post.
type CreatorInformer interface {
	// CreatorInfo returns what the account allows at this moment.
	CreatorInfo(ctx context.Context, account Account) (CreatorInfo, error)
}

// CreatorInfo holds what a TikTok account allows (docs/contract.md, Creator info).
type CreatorInfo struct {
	Nickname            string
	AvatarURL           string // empty if the account has none
	PrivacyLevelOptions []string
	CommentDisabled     bool
	DuetDisabled        bool
	StitchDisabled      bool
	MaxVideoDurationSec int // seconds
}

// Privacy levels of TikTok's posts. An account without PrivacyPublic is private: it accepts drafts, and posts of one of
// its own levels.
const (
	PrivacyPublic    = "PUBLIC_TO_EVERYONE"
	PrivacyFriends   = "MUTUAL_FOLLOW_FRIENDS"
	PrivacyFollowers = "FOLLOWER_OF_CREATOR"
	PrivacySelf      = "SELF_ONLY"
)
