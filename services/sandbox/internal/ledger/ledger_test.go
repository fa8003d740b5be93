package ledger_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/shared/kernel/clock/clocktest"
)

type bundle struct {
	*ledger.Ledger

	clock *clocktest.Fake
	path  string
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{
		clock: clocktest.New(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)), path: filepath.Join(t.TempDir(), "posts.jsonl"),
	}
	b.reopen(t)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

func (b *bundle) reopen(t *testing.T) {
	t.Helper()
	if b.Ledger != nil {
		require.NoError(t, b.Close())
	}
	opened, err := ledger.Open(ledger.Config{Path: b.path, Clock: b.clock, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	b.Ledger = opened
}

func (b *bundle) publish(t *testing.T, draft ledger.Draft) ledger.Post {
	t.Helper()
	post, err := b.Publish(draft)
	require.NoError(t, err)
	return post
}

func draft(platform, account, text string) ledger.Draft {
	return ledger.Draft{Platform: platform, Account: account, Text: text, RequestID: "r"}
}

func TestOpenRequiresConfig(t *testing.T) {
	t.Parallel()

	_, err := ledger.Open(ledger.Config{})
	require.Error(t, err)
	path := filepath.Join(t.TempDir(), "posts.jsonl")
	require.NoError(t, os.WriteFile(path, []byte("{}\n"), 0o600))
	_, err = ledger.Open(ledger.Config{
		Path: path, Clock: clocktest.New(time.Now()), Logger: slog.New(slog.DiscardHandler),
	})
	require.ErrorContains(t, err, "neither a post nor a removal")
}

func TestPostsSurviveRestart(t *testing.T) {
	t.Parallel()

	b := setup(t)
	first := b.publish(t, draft("x", "acme", "one\nline"))
	second := b.publish(t, draft("telegram", "@acme", "two"))
	gone := b.publish(t, draft("threads", "acme", "three"))
	deleted, err := b.Delete("threads", gone.ID)
	require.NoError(t, err)
	require.True(t, deleted)

	b.reopen(t)
	require.Equal(t, []ledger.Post{second, first}, b.List(ledger.Filter{}))
	found, ok := b.Get("x", first.ID)
	require.True(t, ok)
	require.Equal(t, first, found)
	require.Equal(t, []string{"@acme", "acme"}, b.Accounts())
	next := b.publish(t, draft("x", "acme", "four"))
	require.Greater(t, next.Seq, gone.Seq)
	require.Greater(t, number(t, next), number(t, first), "ids ascend while the clock is stopped")

	deleted, err = b.Delete("threads", gone.ID)
	require.NoError(t, err)
	require.False(t, deleted)
}

func number(t *testing.T, post ledger.Post) int64 {
	t.Helper()
	n, err := strconv.ParseInt(post.ID, 10, 64)
	require.NoError(t, err)
	return n
}

func TestDuplicateTextIsRefusedPerAccount(t *testing.T) {
	t.Parallel()

	b := setup(t)
	once := draft("x", "acme", "same")
	once.UniqueFor = 24 * time.Hour
	b.publish(t, once)
	_, err := b.Publish(once)
	require.ErrorIs(t, err, ledger.ErrDuplicate)
	once.Text = " same\n"
	_, err = b.Publish(once)
	require.ErrorIs(t, err, ledger.ErrDuplicate)

	other := once
	other.Account = "initech"
	b.publish(t, other)
	b.publish(t, draft("telegram", "acme", "same"))

	b.reopen(t)
	b.clock.Advance(24*time.Hour - time.Millisecond)
	_, err = b.Publish(once)
	require.ErrorIs(t, err, ledger.ErrDuplicate)
	b.clock.Advance(time.Millisecond)
	b.publish(t, once)
}

func TestTextWithOtherMediaIsNotDuplicate(t *testing.T) {
	t.Parallel()

	b := setup(t)
	with := func(sums ...string) ledger.Draft {
		d := draft("x", "acme", "same")
		d.UniqueFor = 24 * time.Hour
		for i, sum := range sums {
			d.Media = append(d.Media, ledger.Media{
				ID: strconv.Itoa(i), Type: "IMAGE", ContentType: "image/png", SHA256: sum, Size: 3, AltText: "words",
			})
		}
		return d
	}
	for _, d := range []ledger.Draft{with(), with("a"), with("b"), with("a", "b"), with("b", "a")} {
		require.Equal(t, d.Media, b.publish(t, d).Media)
	}
	b.reopen(t)
	for _, d := range []ledger.Draft{with(), with("a"), with("a", "b")} {
		_, err := b.Publish(d)
		require.ErrorIs(t, err, ledger.ErrDuplicate)
	}
	require.Equal(t, with("b", "a").Media, b.List(ledger.Filter{})[0].Media, "in their order, over a restart")
}

func TestAlbumTakesConsecutiveIDs(t *testing.T) {
	t.Parallel()

	b := setup(t)
	album := draft("telegram", "@acme", "album")
	album.IDs = 4
	first := b.publish(t, album)
	require.Equal(t, number(t, first)+4, number(t, b.publish(t, draft("telegram", "@acme", "next"))))

	b.publish(t, album)
	last := number(t, b.List(ledger.Filter{Limit: 1})[0])
	b.reopen(t)
	require.Equal(t, last+4, number(t, b.publish(t, draft("telegram", "@acme", "after a restart"))))
}

func TestConcurrentPublishesSucceedOnce(t *testing.T) {
	t.Parallel()

	for name, draft := range map[string]ledger.Draft{
		"same text":      {Platform: "x", Account: "acme", Text: "same", UniqueFor: time.Hour},
		"same container": {Platform: "threads", Account: "acme", Text: "same", Origin: "c1", OneOrigin: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t)
			var accepted atomic.Int32
			var group sync.WaitGroup
			for range 50 {
				group.Go(func() {
					if _, err := b.Publish(draft); err == nil {
						accepted.Add(1)
					}
				})
			}
			group.Wait()
			require.Equal(t, int32(1), accepted.Load())
			require.Equal(t, 1, b.Count())
			b.reopen(t)
			_, err := b.Publish(draft)
			require.Error(t, err)
		})
	}
}

func TestFromOrigin(t *testing.T) {
	t.Parallel()

	b := setup(t)
	_, ok := b.FromOrigin("threads", "c1")
	require.False(t, ok)
	post := b.publish(t, ledger.Draft{Platform: "threads", Account: "a", Text: "t", Origin: "c1", OneOrigin: true})
	id, ok := b.FromOrigin("threads", "c1")
	require.True(t, ok)
	require.Equal(t, post.ID, id)
	_, err := b.Publish(ledger.Draft{Platform: "threads", Account: "a", Text: "u", Origin: "c1", OneOrigin: true})
	require.ErrorIs(t, err, ledger.ErrPublished)
}

func TestFailedWriteAcceptsNothing(t *testing.T) {
	t.Parallel()

	b := setup(t)
	require.NoError(t, b.Close())
	once := ledger.Draft{Platform: "threads", Account: "a", Text: "t", Origin: "c1", OneOrigin: true, UniqueFor: time.Hour}
	for range 2 {
		_, err := b.Publish(once)
		require.Error(t, err)
		require.NotErrorIs(t, err, ledger.ErrDuplicate)
		require.NotErrorIs(t, err, ledger.ErrPublished)
	}
	require.Error(t, b.Clear())
	require.Zero(t, b.Count())
	b.Ledger = nil
	b.reopen(t)
}

func TestList(t *testing.T) {
	t.Parallel()

	b := setup(t)
	var posts []ledger.Post
	for i := range 6 {
		posts = append(posts, b.publish(t, draft([]string{"x", "threads"}[i%2], "a"+strconv.Itoa(i/4), strconv.Itoa(i))))
		b.clock.Advance(time.Minute)
	}
	require.Equal(t, []ledger.Post{posts[5], posts[4]}, b.List(ledger.Filter{Limit: 2}))
	require.Equal(t, []ledger.Post{posts[4], posts[2], posts[0]}, b.List(ledger.Filter{Platform: "x"}))
	require.Equal(t, []ledger.Post{posts[5], posts[4]}, b.List(ledger.Filter{Account: "a1"}))
	require.Equal(t, []ledger.Post{posts[1], posts[0]}, b.List(ledger.Filter{Before: posts[2].Seq}))
	require.Equal(t, []ledger.Post{posts[5], posts[4]}, b.List(ledger.Filter{Since: posts[4].CreatedAt}))
	require.Empty(t, b.List(ledger.Filter{Account: "unknown"}))
}

func TestClear(t *testing.T) {
	t.Parallel()

	b := setup(t)
	before := b.publish(t, draft("x", "acme", "same"))
	version := b.Version()
	require.NoError(t, b.Clear())
	require.NotEqual(t, version, b.Version())
	require.Empty(t, b.List(ledger.Filter{}))
	content, err := os.ReadFile(b.path)
	require.NoError(t, err)
	require.Empty(t, content)

	b.clock.Advance(time.Second)
	b.reopen(t)
	after := b.publish(t, ledger.Draft{Platform: "x", Account: "acme", Text: "same", UniqueFor: time.Hour})
	require.Greater(t, number(t, after), number(t, before), "no id names two posts")
}

func TestClearWhilePublishing(t *testing.T) {
	t.Parallel()

	b := setup(t)
	var group sync.WaitGroup
	for i := range 100 {
		group.Go(func() { b.publish(t, draft("x", "a", strconv.Itoa(i))) })
		if i%20 == 0 {
			group.Go(func() { require.NoError(t, b.Clear()) })
		}
	}
	group.Wait()
	memory := b.List(ledger.Filter{})
	b.reopen(t)
	require.ElementsMatch(t, memory, b.List(ledger.Filter{}))
}

func BenchmarkPublish(b *testing.B) {
	opened, err := ledger.Open(ledger.Config{
		Path: filepath.Join(b.TempDir(), "posts.jsonl"), Clock: clocktest.New(time.Now()),
		Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(b, err)
	defer func() { require.NoError(b, opened.Close()) }()
	b.SetParallelism(16)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := opened.Publish(draft("telegram", "@acme", "text")); err != nil {
				b.Error(err)
			}
		}
	})
}
