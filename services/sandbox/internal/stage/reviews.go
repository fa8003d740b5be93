package stage

import (
	"slices"
	"sync"
	"time"

	"fencepost.internal/shared/domain/channel"
)

// ReviewEnd is the end of a network's review of a post.
type ReviewEnd string

// The ends.
const (
	ReviewShown   ReviewEnd = "shown"
	ReviewRefused ReviewEnd = "refused" // also after the post was shown: its removal by moderation
	ReviewDraft   ReviewEnd = "draft"   // kept until a person publishes it
	ReviewNever   ReviewEnd = "never"
)

// ReviewEnds lists the ends of the reviews of most networks.
func ReviewEnds() []ReviewEnd {
	return []ReviewEnd{ReviewShown, ReviewRefused, ReviewNever}
}

// Review configures how a network reviews the posts of an account. It also applies to posts that were published before it was
// set.
type Review struct {
	Platform     channel.Network `json:"platform"`
	Account      string          `json:"account"` // empty: any
	End          ReviewEnd       `json:"end"`
	AfterSeconds int64           `json:"afterSeconds"` // from the acceptance to the end
}

// reviews holds the reviews that were set. It is safe for concurrent use.
type reviews struct {
	mu  sync.Mutex
	set []Review
}

// SetReview sets how a network reviews the posts of an account, instead of what was set for them before.
func (s *Stage) SetReview(r Review) {
	s.reviews.mu.Lock()
	defer s.reviews.mu.Unlock()
	s.reviews.set = append(slices.DeleteFunc(s.reviews.set, func(o Review) bool {
		return o.Platform == r.Platform && o.Account == r.Account
	}), r)
}

// Reviews lists the reviews that were set.
func (s *Stage) Reviews() []Review {
	s.reviews.mu.Lock()
	defer s.reviews.mu.Unlock()
	return append([]Review{}, s.reviews.set...)
}

// ClearReviews restores the networks' usual reviews.
func (s *Stage) ClearReviews() {
	s.reviews.mu.Lock()
	defer s.reviews.mu.Unlock()
	s.reviews.set = nil
}

// Reviewed returns how the review of a post that the network accepted at this time ended: ReviewNever if it did not yet. It
// returns false if no review was set for the account, which then has the network's usual one.
func (s *Stage) Reviewed(network string, account string, accepted time.Time) (ReviewEnd, bool) {
	s.reviews.mu.Lock()
	defer s.reviews.mu.Unlock()
	at := slices.IndexFunc(s.reviews.set, func(r Review) bool {
		return string(r.Platform) == network && (r.Account == "" || r.Account == account)
	})
	if at < 0 {
		return "", false
	}
	r := s.reviews.set[at]
	if s.Clock.Now().Before(accepted.Add(time.Duration(r.AfterSeconds) * time.Second)) {
		return ReviewNever, true
	}
	return r.End, true
}
