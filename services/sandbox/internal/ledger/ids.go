package ledger

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"socialpub.internal/shared/domain/channel"
)

// idMint generates ids in each network's format. They ascend with time, across restarts and a cleared ledger too, so
// that no id ever names two posts.
type idMint struct {
	last map[string]int64
}

// next returns a new id for the draft. If the draft takes more ids, the following ones are reserved too.
func (m *idMint) next(draft Draft, now time.Time) string {
	if m.last == nil {
		m.last = make(map[string]int64)
	}
	number := max(m.last[draft.Platform]+1, floor(draft.Platform, now))
	m.last[draft.Platform] = number + spare(draft.IDs)
	return namespace(draft.Platform, draft.Account) + strconv.FormatInt(number, 10)
}

// seen records an id that an earlier process issued.
func (m *idMint) seen(post Post) {
	if m.last == nil {
		m.last = make(map[string]int64)
	}
	if number, err := strconv.ParseInt(strings.TrimPrefix(post.ID, namespace(post.Platform, post.Account)), 10, 64); err == nil {
		m.last[post.Platform] = max(m.last[post.Platform], number+spare(post.IDs))
	}
}

// spare returns how many ids follow the first.
func spare(ids int) int64 { return int64(max(ids, 1) - 1) }

// namespace returns the prefix before the number of an id.
func namespace(platform, account string) string {
	if channel.Network(platform) == channel.NetworkLinkedIn {
		return "urn:li:share:"
	}
	if channel.Network(platform) == channel.NetworkFacebook {
		return account + "_"
	}
	return ""
}

// floor returns the smallest id of the instant.
func floor(platform string, now time.Time) int64 {
	// X's ids are milliseconds since this epoch, then 22 bits; LinkedIn's count from 1970
	const epoch, bits = 1288834974657, 22
	const tick = 100 * time.Millisecond // Telegram's ids, which are small numbers
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

// IDAt returns the smallest id in Meta's format at the instant: a prefix and fifteen digits.
func IDAt(prefix string, now time.Time) int64 {
	number, _ := strconv.ParseInt(fmt.Sprintf("%s%013d00", prefix, now.UnixMilli()), 10, 64)
	return number
}
