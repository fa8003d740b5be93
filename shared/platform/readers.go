package platform

import "context"

// BoardLister is a link whose network sorts posts into boards.
type BoardLister interface {
	// Boards reads every board of the account that can be posted to, in the network's order.
	Boards(ctx context.Context, account Account) ([]Board, error)
}

// Board is a Pinterest board (specification, Pinterest board).
type Board struct {
	ID       string
	Name     string
	Privacy  string // PUBLIC, PROTECTED or SECRET; more may come
	PinCount int
}

// CreatorInformer is a link whose network must be asked, before each post, what the account's owner allows.
type CreatorInformer interface {
	// CreatorInfo reads what the account allows at this moment.
	CreatorInfo(ctx context.Context, account Account) (CreatorInfo, error)
}

// CreatorInfo is what a TikTok account allows (specification, TikTok creator info).
type CreatorInfo struct {
	Nickname            string
	AvatarURL           string // empty when there is none
	PrivacyLevelOptions []string
	CommentDisabled     bool
	DuetDisabled        bool
	StitchDisabled      bool
	MaxVideoDurationSec int // seconds
}

// PrivacyPublic is the privacy level of public posts. An account whose options lack it is private: only drafts can be sent
// to it.
const PrivacyPublic = "PUBLIC_TO_EVERYONE"
