// Package ledger records what the sandbox networks accepted. Tests use it to verify "exactly once".
//
// Every accepted creation is on disk before its response is sent, and the ledger contains nothing else.
//
// Its file is a Journal of JSON lines. An append returns only after its record is on disk. Concurrent appends share one sync,
// so that the disk's syncs per second do not limit the throughput.
package ledger

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"fencepost.internal/shared/kernel/clock"
)

// Errors of Publish.
var (
	ErrDuplicate = errors.New("ledger: the account has published this text already")
	ErrPublished = errors.New("ledger: the container is published already")
)

// Post is one accepted creation.
type Post struct {
	Seq        uint64    `json:"seq"` // order of acceptance
	ID         string    `json:"id"`
	Platform   string    `json:"platform"`
	Account    string    `json:"account"`
	Author     string    `json:"author,omitempty"` // the account's name on its network
	Text       string    `json:"text"`
	Visibility string    `json:"visibility,omitempty"` // in the network's words, on networks that let the author choose
	Origin     string    `json:"origin,omitempty"`     // source: a container's id, a bot's name
	RequestID  string    `json:"requestId"`
	CreatedAt  time.Time `json:"createdAt"`
	Media      []Media   `json:"media,omitempty"` // in post order
	IDs        int       `json:"ids,omitempty"`   // number of consecutive ids, of which ID is the first; zero means one
	Title      string    `json:"title,omitempty"`
	Link       string    `json:"link,omitempty"`
	Parent     string    `json:"parent,omitempty"` // id of the post that it replies to
	// Details are further properties in the network's words, such as the board of a pin.
	Details map[string]string `json:"details,omitempty"`
	// EditedAt is the time of the last change of the text; nil if there is none.
	EditedAt *time.Time `json:"editedAt,omitempty"`
}

// Draft is a post to publish.
type Draft struct {
	Platform, Account, Author, Text, RequestID string

	// ID is the post's id on a network whose clients choose it, or of an object that exists before its post. It is empty on
	// all others.
	ID         string
	Visibility string
	Media      []Media // in post order
	IDs        int     // number of consecutive ids, as for an album of messages; zero means one
	Title      string
	Link       string
	Parent     string            // id of the post that it replies to
	Details    map[string]string // further properties in the network's words

	Origin    string
	OneOrigin bool          // at most one post may come from the origin
	UniqueFor time.Duration // how long the account may not repeat the text with the same media; zero: no limit
}

// Detail adds a property in the network's words, unless the value is empty.
func (d *Draft) Detail(name, value string) {
	if value == "" {
		return
	}
	if d.Details == nil {
		d.Details = make(map[string]string)
	}
	d.Details[name] = value
}

// record is a line of the file: a post, a change of a text, or a deletion.
type record struct {
	Post   *Post    `json:"post,omitempty"`
	Edit   *edited  `json:"edit,omitempty"`
	Delete *deleted `json:"delete,omitempty"`
}

type edited struct {
	Platform string    `json:"platform"`
	ID       string    `json:"id"`
	Text     string    `json:"text"`
	At       time.Time `json:"at"`
}

type deleted struct {
	Platform string    `json:"platform"`
	ID       string    `json:"id"`
	At       time.Time `json:"at"`
}

// Config holds the settings of a ledger.
type Config struct {
	Path   string
	IDs    map[string]IDs // formats of ids, by platform
	Clock  clock.Clock
	Logger *slog.Logger
}

// Ledger keeps the posts in memory and in its file. It is safe for concurrent use.
type Ledger struct {
	clock   clock.Clock
	journal *Journal

	// clearing excludes Clear while a Publish runs, so that a post is both on disk and in memory, or in neither.
	clearing sync.RWMutex

	mu      sync.RWMutex
	seq     uint64
	version uint64 // changes with every visible change
	ids     idMint
	posts   []Post // by Seq
	byID    map[key]Post
	replies map[key][]string  // ids of the posts that reply to a post, with those that were deleted
	texts   map[key]time.Time // when an account last published a text with its media
	origins map[key]string    // the id of the origin's post; empty while it is being written
}

type key struct{ platform, name string }

// Open reads the ledger's file.
func Open(config Config) (*Ledger, error) {
	if config.Clock == nil || config.Logger == nil {
		return nil, errors.New("ledger: clock and logger are needed")
	}
	l := &Ledger{clock: config.Clock, ids: idMint{formats: config.IDs}}
	l.reset()
	file, err := OpenJournal(JournalConfig{Path: config.Path, Logger: config.Logger, Replay: l.replay})
	if err != nil {
		return nil, err
	}
	l.journal = file
	return l, nil
}

// Close closes the journal.
func (l *Ledger) Close() error { return l.journal.Close() }

func (l *Ledger) reset() {
	l.posts = nil
	l.byID = make(map[key]Post)
	l.replies = make(map[key][]string)
	l.texts = make(map[key]time.Time)
	l.origins = make(map[key]string)
	l.version++
}

func (l *Ledger) replay(line []byte) error {
	var r record
	if err := json.Unmarshal(line, &r); err != nil {
		return err
	}
	switch {
	case r.Post != nil:
		l.seq = max(l.seq, r.Post.Seq)
		l.ids.seen(*r.Post)
		l.texts[textKey(r.Post.Platform, r.Post.Account, r.Post.Text, r.Post.Media)] = r.Post.CreatedAt
		l.insert(*r.Post)
	case r.Edit != nil:
		l.rewrite(*r.Edit)
	case r.Delete != nil:
		l.remove(key{r.Delete.Platform, r.Delete.ID})
	default:
		return errors.New("neither a post nor a removal")
	}
	return nil
}

// Publish accepts the draft and returns when the post is on disk. Of two drafts that exclude each other at most one
// succeeds.
func (l *Ledger) Publish(draft Draft) (Post, error) {
	l.clearing.RLock()
	defer l.clearing.RUnlock()
	post, undo, err := l.reserve(draft)
	if err != nil {
		return Post{}, err
	}
	if err := l.journal.Append(record{Post: &post}); err != nil {
		undo()
		return Post{}, fmt.Errorf("ledger: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.insert(post)
	return post, nil
}

// reserve checks the draft and reserves its text and origin, so that Publish need not hold the lock while it waits for
// the disk.
func (l *Ledger) reserve(draft Draft) (Post, func(), error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock.Now().Truncate(time.Millisecond)
	text, origin := textKey(draft.Platform, draft.Account, draft.Text, draft.Media), key{draft.Platform, draft.Origin}
	last, repeated := l.texts[text]
	if repeated && now.Before(last.Add(draft.UniqueFor)) {
		return Post{}, nil, ErrDuplicate
	}
	if _, taken := l.origins[origin]; taken && draft.OneOrigin {
		return Post{}, nil, ErrPublished
	}
	l.texts[text] = now
	if draft.OneOrigin {
		l.origins[origin] = ""
	}
	l.seq++
	post := Post{
		Seq: l.seq, ID: l.ids.of(draft, now), Platform: draft.Platform, Account: draft.Account,
		Author: draft.Author, Text: draft.Text, Visibility: draft.Visibility, Origin: draft.Origin,
		RequestID: draft.RequestID, CreatedAt: now,
		Media: slices.Clone(draft.Media), IDs: draft.IDs, Title: draft.Title, Link: draft.Link,
		Parent:  draft.Parent,
		Details: maps.Clone(draft.Details),
	}
	return post, func() { l.undo(draft, text, origin, last, repeated) }, nil
}

func (l *Ledger) undo(draft Draft, text, origin key, last time.Time, repeated bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if delete(l.texts, text); repeated {
		l.texts[text] = last
	}
	if draft.OneOrigin {
		delete(l.origins, origin)
	}
}

func (l *Ledger) insert(post Post) {
	at, _ := slices.BinarySearchFunc(l.posts, post.Seq, func(p Post, seq uint64) int { return cmp.Compare(p.Seq, seq) })
	l.posts = slices.Insert(l.posts, at, post)
	l.byID[key{post.Platform, post.ID}] = post
	if post.Parent != "" {
		if above := (key{post.Platform, post.Parent}); !slices.Contains(l.replies[above], post.ID) {
			l.replies[above] = append(l.replies[above], post.ID)
		}
	}
	if post.Origin != "" {
		l.origins[key{post.Platform, post.Origin}] = post.ID
	}
	l.version++
}

// Edit replaces the text of a post. It returns false if there is no post with that id.
func (l *Ledger) Edit(platform, id, text string) (Post, bool, error) {
	l.clearing.RLock()
	defer l.clearing.RUnlock()
	if _, ok := l.Get(platform, id); !ok {
		return Post{}, false, nil
	}
	change := edited{Platform: platform, ID: id, Text: text, At: l.clock.Now().Truncate(time.Millisecond)}
	if err := l.journal.Append(record{Edit: &change}); err != nil {
		return Post{}, false, fmt.Errorf("ledger: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	post, ok := l.rewrite(change)
	return post, ok, nil
}

func (l *Ledger) rewrite(change edited) (Post, bool) {
	name := key{change.Platform, change.ID}
	post, ok := l.byID[name]
	at := slices.IndexFunc(l.posts, func(p Post) bool { return p.Seq == post.Seq })
	if !ok || at < 0 {
		return Post{}, false
	}
	post.Text, post.EditedAt = change.Text, &change.At
	l.byID[name], l.posts[at] = post, post
	l.version++
	return post, true
}

// Delete deletes a post. It returns false if there is no post with that id.
func (l *Ledger) Delete(platform, id string) (bool, error) {
	l.clearing.RLock()
	defer l.clearing.RUnlock()
	if _, ok := l.Get(platform, id); !ok {
		return false, nil
	}
	if err := l.journal.Append(record{Delete: &deleted{Platform: platform, ID: id, At: l.clock.Now()}}); err != nil {
		return false, fmt.Errorf("ledger: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.remove(key{platform, id}), nil
}

func (l *Ledger) remove(name key) bool {
	post, ok := l.byID[name]
	if !ok {
		return false
	}
	delete(l.byID, name)
	l.posts = slices.DeleteFunc(l.posts, func(p Post) bool { return p.Seq == post.Seq })
	l.version++
	return true
}

// Clear deletes every post, on disk too. Ids are not reused.
func (l *Ledger) Clear() error {
	l.clearing.Lock()
	defer l.clearing.Unlock()
	if err := l.journal.Truncate(); err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reset()
	return nil
}
