package ledger

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"socialpub.internal/shared/domain/channel"
)

// idMint makes ids of the shape that each network uses. They ascend with time, also over restarts and a cleared
// ledger, so that no id ever names two posts.
type idMint struct {
	last map[string]int64
}

// next is a fresh id for the draft; those that follow it, if the draft takes more, belong to it too.
func (m *idMint) next(draft Draft, now time.Time) string {
	if m.last == nil {
		m.last = make(map[string]int64)
	}
	number := max(m.last[draft.Platform]+1, floor(draft.Platform, now))
	m.last[draft.Platform] = number + spare(draft.IDs)
	return namespace(draft.Platform, draft.Account) + strconv.FormatInt(number, 10)
}

// seen takes note of an id that was given before this process began.
func (m *idMint) seen(post Post) {
	if m.last == nil {
		m.last = make(map[string]int64)
	}
	if number, err := strconv.ParseInt(strings.TrimPrefix(post.ID, namespace(post.Platform, post.Account)), 10, 64); err == nil {
		m.last[post.Platform] = max(m.last[post.Platform], number+spare(post.IDs))
	}
}

// spare is how many ids follow the first.
func spare(ids int) int64 { return int64(max(ids, 1) - 1) }

// namespace is what stands before the number of an id.
func namespace(platform, account string) string {
	if channel.Network(platform) == channel.NetworkLinkedIn {
		return "urn:li:share:"
	}
	if channel.Network(platform) == channel.NetworkFacebook {
		return account + "_"
	}
	return ""
}

// floor is the smallest id of the instant.
func floor(platform string, now time.Time) int64 {
	const epoch, bits = 1288834974657, 22 // of X's ids: milliseconds, then 22 bits; LinkedIn's begin in 1970
	const tick = 100 * time.Millisecond   // of Telegram's, which are small numbers
	network := channel.Network(platform)
	if network == channel.NetworkX {
		return (now.UnixMilli() - epoch) << bits
	}
	if network == channel.NetworkLinkedIn {
		return now.UnixMilli() << bits
	}
	if network == channel.NetworkTelegram {
		return int64(now.Sub(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)) / tick)
	}
	return IDAt("180", now)
}

// IDAt is the smallest id of Meta's shape at the instant: a prefix and fifteen digits.
func IDAt(prefix string, now time.Time) int64 {
	number, _ := strconv.ParseInt(fmt.Sprintf("%s%013d00", prefix, now.UnixMilli()), 10, 64)
	return number
}
