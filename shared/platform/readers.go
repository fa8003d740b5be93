package platform

import "context"

// BoardLister is a link whose network sorts posts into boards.
type BoardLister interface {
	// Boards returns every board of the account that accepts posts, in the network's order.
	Boards(ctx context.Context, account Account) ([]Board, error)
}

// Board is a Pinterest board (specification, Pinterest board).
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

// CreatorInfo holds what a TikTok account allows (specification, TikTok creator info).
type CreatorInfo struct {
	Nickname            string
	AvatarURL           string // empty if the account has none
	PrivacyLevelOptions []string
	CommentDisabled     bool
	DuetDisabled        bool
	StitchDisabled      bool
	MaxVideoDurationSec int // seconds
}

// PrivacyPublic is the privacy level of public posts. An account without this option is private and accepts only
// drafts.
const PrivacyPublic = "PUBLIC_TO_EVERYONE"
