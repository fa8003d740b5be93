package ledger

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// idMint generates ids in each network's format. They ascend with time, across restarts and a cleared ledger too, so
// that no id ever names two posts.
type idMint struct {
	formats map[string]IDs // by platform
	last    map[string]int64
}

// IDs is the format of one network's ids: a prefix and a number.
type IDs struct {
	Prefix func(account string) string // if it is nil, ids have no prefix
	Floor  func(now time.Time) int64   // the smallest number of the instant; if it is nil, as IDAt of "180"
}

// of returns the id that the client chose, or a new one.
func (m *idMint) of(draft Draft, now time.Time) string {
	if draft.ID != "" {
		return draft.ID
	}
	return m.next(draft, now)
}

// next returns a new id for the draft. If the draft takes more ids, the following ones are reserved too.
func (m *idMint) next(draft Draft, now time.Time) string {
	if m.last == nil {
		m.last = make(map[string]int64)
	}
	number := max(m.last[draft.Platform]+1, m.floor(draft.Platform, now))
	m.last[draft.Platform] = number + spare(draft.IDs)
	return m.namespace(draft.Platform, draft.Account) + strconv.FormatInt(number, 10)
}

// seen records an id that an earlier process issued.
func (m *idMint) seen(post Post) {
	if m.last == nil {
		m.last = make(map[string]int64)
	}
	digits, ok := strings.CutPrefix(post.ID, m.namespace(post.Platform, post.Account))
	if !ok {
		return // the id of an object that existed before its post
	}
	if number, err := strconv.ParseInt(digits, 10, 64); err == nil {
		m.last[post.Platform] = max(m.last[post.Platform], number+spare(post.IDs))
	}
}

// spare returns how many ids follow the first.
func spare(ids int) int64 { return int64(max(ids, 1) - 1) }

// namespace returns the prefix before the number of an id.
func (m *idMint) namespace(platform, account string) string {
	if prefix := m.formats[platform].Prefix; prefix != nil {
		return prefix(account)
	}
	return ""
}

// floor returns the smallest id of the instant.
func (m *idMint) floor(platform string, now time.Time) int64 {
	if floor := m.formats[platform].Floor; floor != nil {
		return floor(now)
	}
	return IDAt("180", now)
}

// IDAt returns the smallest id in Meta's format at the instant: a prefix and fifteen digits.
func IDAt(prefix string, now time.Time) int64 {
	number, _ := strconv.ParseInt(fmt.Sprintf("%s%013d00", prefix, now.UnixMilli()), 10, 64)
	return number
}
