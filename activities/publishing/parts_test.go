package publishing_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/platform"
)

// shown is a post on the board.
type shown struct{ id, text, root, parent string }

// board is a network that shows its posts and their places. Before each call, faults draws what goes wrong.
type board struct {
	network

	faults func() fault
	lock   sync.Mutex
	posts  []shown
}

// fault happens to a call.
type fault int

const (
	works         fault = iota
	losesResponse       // the post is shown, and the response is lost
	losesRequest        // the request is lost
	diesAfter           // the process dies after the post is shown
	diesBefore          // the process dies before the request leaves
	isBusy              // the network has no time
	isLimited           // the network limits the account
	isExpired           // the access token has expired
	isRefused           // the network does not take the content
	numberFaults        // the number of faults
)

// dead is the panic of a process that dies.
type dead struct{}

func (b *board) Commit(_ context.Context, _ platform.Account, c platform.Content, _ platform.Handle) (platform.Publication, error) {
	happens := b.faults()
	switch happens {
	case losesRequest:
		return platform.Publication{}, fails(platform.ClassUnknown, "LOST")
	case diesBefore:
		panic(dead{}) //nolint:forbidigo // the process dies
	case isBusy:
		return platform.Publication{}, fails(platform.ClassTransient, "BUSY")
	case isLimited:
		return platform.Publication{}, &platform.Failure{
			Class: platform.ClassRateLimited, Code: "RATE", Message: "m", Until: time.Now().Add(20 * time.Millisecond),
		}
	case isExpired:
		return platform.Publication{}, fails(platform.ClassRefresh, "EXPIRED")
	case isRefused:
		return platform.Publication{}, fails(platform.ClassRejected, "NO")
	case works, losesResponse, diesAfter, numberFaults:
	}
	b.lock.Lock()
	one := shown{id: strconv.Itoa(len(b.posts) + 1), text: c.Text}
	if c.ReplyTo != nil {
		one.root, one.parent = c.ReplyTo.RootID, c.ReplyTo.ParentID
	}
	b.posts = append(b.posts, one)
	b.lock.Unlock()
	switch happens { //nolint:exhaustive // the others have returned
	case losesResponse:
		return platform.Publication{}, fails(platform.ClassUnknown, "LOST")
	case diesAfter:
		panic(dead{}) //nolint:forbidigo // the process dies
	default:
		return platform.Publication{ExternalID: one.id, URL: "https://network.test/" + one.id}, nil
	}
}

func (b *board) Reconcile(
	_ context.Context, _ platform.Account, c platform.Content, s platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	for _, one := range b.posts {
		parent := ""
		if c.ReplyTo != nil {
			parent = c.ReplyTo.ParentID
		}
		if one.text == s.Text && one.parent == parent && !s.Taken(one.id) {
			return platform.EvidenceFound, platform.Publication{ExternalID: one.id, URL: "https://network.test/" + one.id}, nil
		}
	}
	return platform.EvidenceAbsent, platform.Publication{}, nil
}

// onBoard returns a bundle with a board.
func onBoard(t *testing.T, faults func() fault) (*bundle, *board) {
	t.Helper()
	net := &board{network: network{strength: platform.ReconcileMatch}, faults: faults}
	return setupWith(t, &net.network, net), net
}

// once returns faults that happen once each, in order.
func once(list ...fault) func() fault {
	var lock sync.Mutex
	return func() fault {
		lock.Lock()
		defer lock.Unlock()
		if len(list) == 0 {
			return works
		}
		next := list[0]
		list = list[1:]
		return next
	}
}

// parts returns the rows of the parts of a post, in order.
func (b *bundle) parts(t *testing.T, root post.Post) []post.Post {
	t.Helper()
	found, err := b.posts.Parts(t.Context(), root.ID)
	require.NoError(t, err)
	return found
}

// root reads a post as clients do.
func (b *bundle) root(t *testing.T, p post.Post) post.Post {
	t.Helper()
	found, err := b.posts.Get(t.Context(), p.WorkspaceID, p.ID)
	require.NoError(t, err)
	return found
}

// events returns the types of the events of the workspace.
func (b *bundle) events(t *testing.T) []string {
	t.Helper()
	return postgrestest.Column(t, b.address, "SELECT type FROM event ORDER BY id")
}

func threadOf(texts ...string) (thread []post.Part) {
	for _, text := range texts {
		thread = append(thread, post.Part{Content: text})
	}
	return thread
}

// TestThreadIsPublishedInOrder publishes a thread with two equal texts and a first comment: each part replies to the one before, and
// the comment to the root.
func TestThreadIsPublishedInOrder(t *testing.T) {
	t.Parallel()
	b, net := onBoard(t, once())
	p := b.dueWith(t, time.Second, post.NewPost{
		Content: "One", Thread: threadOf("Two", "Two"), Comment: post.Comment{Content: "See below", Delay: time.Second},
	})
	require.Equal(t, post.PartsPending, b.root(t, p).PartsState)
	require.Equal(t, []postflow.Next{postflow.NextDone}, b.follow(t, p))
	root := b.root(t, p)
	require.Equal(t, post.Published, root.Status)
	require.Equal(t, post.PartsInProgress, root.PartsState)
	parts := b.parts(t, p)
	require.Len(t, parts, 3)
	require.Equal(t, []string{"1 SCHEDULED scheduled"}, b.plans(t, parts[0]), "it starts at once")
	require.Empty(t, b.plans(t, parts[1]), "nothing runs for a part before its turn")
	early := b.publish(t, parts[1])
	require.True(t, early.At.IsZero())
	require.Equal(t, post.WaitAfterPost, b.parts(t, p)[1].Waiting.Reason)
	for i := range parts {
		b.follow(t, b.parts(t, p)[i])
	}
	require.Equal(t, []shown{
		{"1", "One", "", ""}, {"2", "Two", "1", "1"}, {"3", "Two", "1", "2"}, {"4", "See below", "1", "1"},
	}, net.posts)
	root = b.root(t, p)
	require.Equal(t, post.PartsComplete, root.PartsState)
	for i, state := range root.Parts {
		require.Equal(t, post.PartPublished, state.Status)
		require.Equal(t, "https://network.test/"+strconv.Itoa(i+1), state.URL)
	}
	ended := b.parts(t, p)
	require.GreaterOrEqual(t, ended[2].PublishedAt.Sub(ended[1].PublishedAt), time.Second)
	require.Equal(t, []string{"post.created", "post.scheduled", "post.published", "post.completed"}, b.events(t))
}

// TestPartWaitsForDecision refuses a part: the rest waits, and goes on when a person continues, or is given up.
func TestPartWaitsForDecision(t *testing.T) {
	t.Parallel()
	for _, end := range []bool{false, true} {
		t.Run(fmt.Sprint("end ", end), func(t *testing.T) {
			t.Parallel()
			b, net := onBoard(t, once(works, works, isRefused))
			p := b.dueWith(t, time.Second, post.NewPost{Content: "One", Thread: threadOf("Two", "Three", "Four"), Comment: post.Comment{Content: "Five"}})
			b.follow(t, p)
			for i := range 2 {
				b.follow(t, b.parts(t, p)[i])
			}
			root := b.root(t, p)
			require.Equal(t, post.PartsIncomplete, root.PartsState)
			require.Equal(t, "NO", root.Parts[2].Error.Code)
			require.Equal(t, post.PartFailed, root.Parts[2].Status)
			require.Equal(t, "post.part_failed", b.events(t)[3])
			waiting := b.parts(t, p)[2]
			require.Equal(t, post.WaitAfterPost, waiting.Waiting.Reason)
			require.Contains(t, b.publish(t, waiting).Note, "was not published")
			if end {
				change, err := root.EndParts(2, time.Now(), post.ActorAPI)
				require.NoError(t, err)
				require.NoError(t, b.posts.Apply(t.Context(), change))
				root = b.root(t, p)
				require.Equal(t, post.PartsComplete, root.PartsState)
				require.Len(t, root.Parts, 2)
				require.Len(t, b.parts(t, p), 1)
				require.Len(t, net.posts, 2)
				plans := b.plans(t, waiting)
				require.Contains(t, plans[len(plans)-1], " DRAFT ", "its workflow ends")
				return
			}
			again, err := b.parts(t, p)[1].ContinuePart(time.Now().UTC().Truncate(time.Millisecond), post.ActorAPI)
			require.NoError(t, err)
			require.NoError(t, b.posts.Apply(t.Context(), again))
			require.Equal(t, post.PartsInProgress, b.root(t, p).PartsState)
			for i := 1; i < 4; i++ {
				b.follow(t, b.parts(t, p)[i])
			}
			require.Equal(t, post.PartsComplete, b.root(t, p).PartsState)
			require.Len(t, net.posts, 5)
		})
	}
}

// TestDeletedRootTakesItsPartsAlong deletes a published post while its parts wait: nothing more is published.
func TestDeletedRootTakesItsPartsAlong(t *testing.T) {
	t.Parallel()
	b, net := onBoard(t, once())
	p := b.dueWith(t, time.Second, post.NewPost{Content: "One", Thread: threadOf("Two", "Three")})
	b.follow(t, p)
	parts := b.parts(t, p)
	archived, err := b.root(t, p).Archive(time.Now(), post.ActorAPI)
	require.NoError(t, err)
	require.NoError(t, b.posts.Apply(t.Context(), archived))
	gone, err := archived.Post.Delete(time.Now())
	require.NoError(t, err)
	require.NoError(t, b.posts.Delete(t.Context(), gone))
	require.Empty(t, b.parts(t, p))
	require.Equal(t, "2 DRAFT ", b.plans(t, parts[0])[1], "its workflow ends")
	require.Equal(t, postflow.NextDone, b.publish(t, parts[0]).Next, "the post is gone")
	require.Len(t, net.posts, 1)
}

// TestPartsHaveTheAddressOfThePredecessor publishes a thread and a comment that name the post before them.
func TestPartsHaveTheAddressOfThePredecessor(t *testing.T) {
	t.Parallel()
	b, net := onBoard(t, once())
	video := b.due(t, time.Second)
	b.follow(t, video)
	p := b.successorOf(t, video, post.NewPost{Content: "One", Thread: threadOf("Watch {{url}}"), Comment: post.Comment{Content: "{{url}}"}})
	b.follow(t, p)
	for i := range 2 {
		b.follow(t, b.parts(t, p)[i])
	}
	require.Equal(t, "Watch https://network.test/1", net.posts[2].text)
	require.Equal(t, "https://network.test/1", net.posts[3].text)
	require.Equal(t, "One\nWatch https://network.test/1\nhttps://network.test/1", b.root(t, p).Texts(), "what the network shows")
}

// TestPartsOfApprovedPost publishes a thread where two people must approve, and one whose channel is paused, for a person who wants it.
func TestPartsOfApprovedPost(t *testing.T) {
	t.Parallel()
	b, net := onBoard(t, once())
	p := b.dueWith(t, time.Second, post.NewPost{Content: "One", Thread: threadOf("Two")})
	b.follow(t, p)
	postgrestest.Exec(t, b.address, "UPDATE workspace SET approval_policy = 3") // after the approval of the post
	require.Equal(t, []postflow.Next{postflow.NextDone}, b.follow(t, b.parts(t, p)[0]))
	postgrestest.Exec(t, b.address, "UPDATE workspace SET approval_policy = 0")

	paused := b.dueWith(t, time.Second, post.NewPost{Content: "Three", Thread: threadOf("Four")})
	b.pause(t, true)
	change, err := paused.PublishDespitePause(time.Now().UTC().Truncate(time.Millisecond), post.ActorAPI)
	require.NoError(t, err)
	require.NoError(t, b.posts.Apply(t.Context(), change))
	b.follow(t, change.Post)
	require.Equal(t, []postflow.Next{postflow.NextDone}, b.follow(t, b.parts(t, paused)[0]))
	require.Len(t, net.posts, 4)
}

// threadRuns is the number of runs of TestThreadsUnderFaults.
var threadRuns = flag.Int("threads.runs", 40, "runs of the test of threads under faults")

// TestThreadsUnderFaults publishes threads while calls fail, processes die, and steps are repeated by several workers at any time and
// in any order. On the network, every part is there once, under the part before it, and what the service says is so.
func TestThreadsUnderFaults(t *testing.T) {
	t.Parallel()
	slots := make(chan struct{}, 16)
	for seed := range *threadRuns {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			t.Parallel()
			slots <- struct{}{}
			defer func() { <-slots }()
			rng := rand.New(rand.NewPCG(uint64(seed), 1)) //nolint:gosec // repeatable on purpose
			var lock sync.Mutex
			draw := func(n int) int {
				lock.Lock()
				defer lock.Unlock()
				return rng.IntN(n)
			}
			budget := draw(5)
			b, net := onBoard(t, func() fault {
				lock.Lock()
				defer lock.Unlock()
				if budget == 0 || rng.IntN(2) == 0 {
					return works
				}
				budget--
				return fault(1 + rng.IntN(int(numberFaults)-1))
			})
			b.failsAtOnce(t)
			texts := []string{"Again", "Again", "Second", "Third", "Again", "Fourth"}[:2+draw(5)]
			p := b.dueWith(t, time.Second, post.NewPost{Content: texts[0], Thread: threadOf(texts[1:]...)})
			if draw(2) == 0 { // the text is edited before it is published
				texts = slices.Insert(slices.Clone(texts), 1, "Inserted")
				edited := threadOf(texts[1:]...)
				change, _, err := p.Edit(post.Edit{Thread: &edited}, time.Now(), post.ActorAPI)
				require.NoError(t, err)
				require.NoError(t, b.posts.Apply(t.Context(), change))
			}
			b.drive(t, p, draw)
			b.isTrue(t, b.root(t, p), texts, net.posts)
		})
	}
}

// drive executes steps of the post and its parts by two workers until nothing waits, and continues a failed part now and then.
func (b *bundle) drive(t *testing.T, p post.Post, draw func(int) int) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for !b.settled(t, p) && time.Now().Before(deadline) {
				rows := append([]post.Post{b.reload(t, p).Post}, b.parts(t, p)...)
				one := rows[draw(len(rows))]
				if one.Status == post.Failed && draw(3) == 0 {
					if change, err := one.ContinuePart(time.Now().UTC().Truncate(time.Millisecond), post.ActorAPI); err == nil {
						_ = b.posts.Apply(t.Context(), change) // another worker may be faster
					}
					continue
				}
				b.anyStep(t, one, draw(4) == 0)
				<-time.After(time.Duration(draw(10)) * time.Millisecond)
			}
		})
	}
	workers.Wait()
	require.True(t, b.settled(t, p), "%+v", b.root(t, p).Parts)
}

// settled reports whether nothing of the post waits, apart from parts behind a failed one.
func (b *bundle) settled(t *testing.T, p post.Post) bool {
	t.Helper()
	root := b.root(t, p)
	return root.Status == post.Failed || root.PartsState == post.PartsComplete || root.PartsState == post.PartsIncomplete
}

// anyStep executes a step of a post in a process that may die.
func (b *bundle) anyStep(t *testing.T, p post.Post, looks bool) {
	t.Helper()
	defer func() {
		if gone := recover(); gone != nil && gone != any(dead{}) {
			panic(gone) //nolint:forbidigo // a fault of the test
		}
	}()
	act := b.Publish
	if looks {
		act = b.Reconcile
	}
	_, err := act(t.Context(), step(p))
	require.NoError(t, err)
}

// isTrue checks that the network has the parts in order, each once, and that the post says so.
func (b *bundle) isTrue(t *testing.T, root post.Post, texts []string, posts []shown) {
	t.Helper()
	require.LessOrEqual(t, len(posts), len(texts))
	for i, one := range posts {
		want := shown{id: strconv.Itoa(i + 1), text: texts[i]}
		if i > 0 {
			want.root, want.parent = "1", strconv.Itoa(i)
		}
		require.Equal(t, want, one)
	}
	require.Len(t, root.Parts, len(texts))
	for i, part := range root.Parts {
		require.Equal(t, i < len(posts), part.Status == post.PartPublished, "part %d is %s", i, part.Status)
	}
	require.Equal(t, len(posts) == len(texts), root.PartsState == post.PartsComplete)
}

// TestPartsOfRestoredPostAreLookedFor publishes a thread, restores the database to the time before, and goes on: the parts that are on
// the network already are found there.
func TestPartsOfRestoredPostAreLookedFor(t *testing.T) {
	t.Parallel()
	b, net := onBoard(t, once())
	p := b.restored(t, post.NewPost{Content: "One", Thread: threadOf("Two", "Three")}, channel.Twitter)
	net.posts = []shown{{"1", "One", "", ""}, {"2", "Two", "1", "1"}}
	b.follow(t, p)
	for i := range 2 {
		b.follow(t, b.parts(t, p)[i])
	}
	require.Equal(t, []shown{{"1", "One", "", ""}, {"2", "Two", "1", "1"}, {"3", "Three", "1", "2"}}, net.posts)
	require.Equal(t, post.PartsComplete, b.root(t, p).PartsState)
}

// TestPartWithoutItsParentFails continues a thread of which the network's id of the part before is no longer stored.
func TestPartWithoutItsParentFails(t *testing.T) {
	t.Parallel()
	b, net := onBoard(t, once())
	p := b.dueWith(t, time.Second, post.NewPost{Content: "One", Thread: threadOf("Two")})
	b.follow(t, p)
	postgrestest.Exec(t, b.address, "DELETE FROM publish_attempt")
	b.follow(t, b.parts(t, p)[0])
	require.Equal(t, post.ErrorContentInvalid, b.root(t, p).Parts[1].Error.Code)
	require.Len(t, net.posts, 1)
}
