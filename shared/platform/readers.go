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

// PictureReader is a link that reads the picture of a connected account. Those of a Connecter are among its Accounts.
type PictureReader interface {
	// Picture returns the address of the account's picture, which may expire; empty if it has none.
	Picture(ctx context.Context, account Account) (string, error)
}

// QuotaReader is a link whose network reports how much of its quota an account has used, by whatever application.
type QuotaReader interface {
	// Quota reads the account's usage in the period of the quota that ends now. It only reads.
	Quota(ctx context.Context, account Account) (QuotaUsage, error)
}

// QuotaUsage is a number of posts, and the account's maximum in the same period.
type QuotaUsage struct{ Used, Max int }

// BoardLister is a link whose network sorts posts into boards.
type BoardLister interface {
	// Boards returns every board of the account that accepts posts, in the network's order.
	Boards(ctx context.Context, account Account) ([]Board, error)
	// BoardSections returns every section of a board that Boards returns, in the network's order.
	BoardSections(ctx context.Context, account Account, boardID string) ([]BoardSection, error)
}

// Board is a Pinterest board (docs/contract.md, Boards).
type Board struct {
	ID       string
	Name     string
	Privacy  string // PUBLIC, PROTECTED or SECRET; the network may add values
	PinCount int
}

// BoardSection is a part of a Pinterest board.
type BoardSection struct{ ID, Name string }

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
