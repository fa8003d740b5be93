package ledger

import (
	"slices"
	"time"
)

// Filter selects posts. Zero fields match all posts.
type Filter struct {
	Platform, Account string

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
