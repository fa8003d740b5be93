package ledger

import (
	"slices"
	"time"
)

// Filter picks posts. Empty members pick all.
type Filter struct {
	Platform, Account string

	Since  time.Time // not older
	Before uint64    // accepted before the post of that Seq
	Limit  int       // no limit when zero
}

// List returns the posts, newest first.
func (l *Ledger) List(filter Filter) []Post {
	l.mu.RLock()
	defer l.mu.RUnlock()
	var found []Post
	for _, post := range slices.Backward(l.posts) {
		if !filter.Since.IsZero() && post.CreatedAt.Before(filter.Since) {
			break // older ones follow
		}
		if !filter.picks(post) {
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

// Get returns the post of that id.
func (l *Ledger) Get(platform, id string) (Post, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	post, ok := l.byID[key{platform, id}]
	return post, ok
}

// FromOrigin is the id of the post that came from the origin; false when none did.
func (l *Ledger) FromOrigin(platform, origin string) (string, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	id, ok := l.origins[key{platform, origin}]
	return id, ok && id != ""
}

// Version changes whenever the list of posts does.
func (l *Ledger) Version() uint64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.version
}

// Count is the number of posts.
func (l *Ledger) Count() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.posts)
}

// Accounts lists the accounts that have posts, by name.
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
