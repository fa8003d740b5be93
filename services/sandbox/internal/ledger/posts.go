package ledger

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Filter selects posts. Zero fields match all posts.
type Filter struct {
	Platform, Account string

	Roots  bool      // that reply to no post that exists
	Since  time.Time // created at or after
	Before uint64    // accepted before the post with that Seq
	Limit  int       // zero: no limit
}

// List returns the selected posts, newest first.
func (l *Ledger) List(filter Filter) []Post {
	l.mu.RLock()
	defer l.mu.RUnlock()
	var found []Post
	for _, post := range slices.Backward(l.posts) {
		if !filter.Since.IsZero() && post.CreatedAt.Before(filter.Since) {
			break // the remaining posts are older
		}
		if !filter.picks(post) || filter.Roots && l.isReply(post) {
			continue
		}
		found = append(found, post)
		if len(found) == filter.Limit {
			break
		}
	}
	return found
}

func (f Filter) picks(post Post) bool {
	return (f.Platform == "" || f.Platform == post.Platform) && (f.Account == "" || f.Account == post.Account) &&
		(f.Before == 0 || post.Seq < f.Before)
}

func (l *Ledger) isReply(post Post) bool {
	_, ok := l.byID[key{post.Platform, post.Parent}]
	return ok && post.Parent != ""
}

// Below returns the posts that reply to a post, each followed by those that reply to it.
func (l *Ledger) Below(platform, id string) []Post {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.below(key{platform, id})
}

func (l *Ledger) below(name key) (found []Post) {
	for _, id := range l.replies[name] {
		reply := key{name.platform, id}
		if post, ok := l.byID[reply]; ok && post.Parent == name.name {
			found = append(append(found, post), l.below(reply)...)
		}
	}
	return found
}

// Get returns the post with that id.
func (l *Ledger) Get(platform, id string) (Post, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	post, ok := l.byID[key{platform, id}]
	return post, ok
}

// FromOrigin returns the id of the post made from the origin. It returns false if there is none.
func (l *Ledger) FromOrigin(platform, origin string) (string, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	id, ok := l.origins[key{platform, origin}]
	return id, ok && id != ""
}

// Version returns a number that changes with every change of the list of posts.
func (l *Ledger) Version() uint64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.version
}

// Count returns the number of posts.
func (l *Ledger) Count() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.posts)
}

// Accounts returns the names of the accounts that have posts, sorted.
func (l *Ledger) Accounts() []string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	names := make(map[string]bool)
	for _, post := range l.posts {
		names[post.Account] = true
	}
	accounts := make([]string, 0, len(names))
	for name := range names {
		accounts = append(accounts, name)
	}
	slices.Sort(accounts)
	return accounts
}

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

// Media is a media file of a post. Its bytes are in the media store.
type Media struct {
	ID          string `json:"id"` // in the network's own format
	Type        string `json:"type"`
	ContentType string `json:"contentType"`
	SHA256      string `json:"sha256"`
	Size        int64  `json:"size"`            // bytes
	Width       int    `json:"width,omitempty"` // pixels; zero if unknown
	Height      int    `json:"height,omitempty"`
	AltText     string `json:"altText"`
}

// textKey identifies an account's text with its files: the same text with other files is another post.
func textKey(platform, account, text string, files []Media) key {
	name := account + "\n" + strings.TrimSpace(text)
	for _, file := range files {
		name += "\n" + file.SHA256
	}
	return key{platform, name}
}
